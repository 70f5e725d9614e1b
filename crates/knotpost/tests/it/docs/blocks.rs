//! The blocks of code in the documents: each is parsed as what it says it is.

use std::fs;
use std::process::{Command, Stdio};

use knotpost_core::config::Config;

use super::{Page, commands, pages, root};
use crate::process::running::{has_neighbour, leave_out};

/// A fenced block.
pub(super) struct Block {
    pub(super) line: usize,
    pub(super) language: String,
    /// What the comment above it says, such as `recipe:swaks` or `not run: a reason`.
    pub(super) mark: String,
    pub(super) text: String,
}

/// The blocks of a document, without the indentation that a list gives them.
pub(super) fn blocks(page: &Page) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    let (mut open, mut above) = (None, "");
    for (number, line) in (1..).zip(page.text.lines()) {
        let bare = line.trim_start();
        if let Some(language) = bare.strip_prefix("```") {
            if open.take().is_none() {
                open = Some(line.len() - bare.len());
                let mark = above.trim().strip_prefix("<!-- ").and_then(|mark| mark.strip_suffix(" -->"));
                let mark = mark.unwrap_or_default().to_owned();
                blocks.push(Block { line: number, language: language.to_owned(), mark, text: String::new() });
            }
        } else if let (Some(indent), Some(block)) = (open, blocks.last_mut()) {
            block.text.push_str(line.get(indent..).unwrap_or_default());
            block.text.push('\n');
        }
        above = line;
    }
    assert!(open.is_none(), "{}: a block is not closed", page.name);
    blocks
}

/// Why a block is not what it says it is.
fn examine(page: &Page, block: &Block) -> Result<(), String> {
    if let Some(path) = block.mark.strip_prefix("file:") {
        let file = fs::read_to_string(root().join(path)).map_err(|error| format!("{path}: {error}"))?;
        return if file == block.text { Ok(()) } else { Err(format!("it is not {path}")) };
    }
    let reason = block.mark.strip_prefix("not run: ");
    if reason.is_some_and(|reason| reason.len() < 10) {
        return Err("no reason why it is not run".to_owned());
    }
    let is_tried = ["recipe:", "tour:"].iter().any(|mark| block.mark.starts_with(mark)) || reason.is_some();
    match block.language.as_str() {
        "toml" => load(&block.text),
        "sh" => commands::examine_script(&block.text),
        "json" => parse_json(&block.text),
        "yaml" => parse_yaml(&block.text),
        "ini" => parse_ini(&block.text),
        // Sources of other languages and what programs print; the tests that run them have a mark for it.
        _ if is_tried || !page.is_for_operators() => Ok(()),
        other => Err(format!(
            "a block of `{other}` that nothing tries, without `<!-- not run: REASON -->` above it"
        )),
    }
}

/// The text as the configuration of a server.
fn load(text: &str) -> Result<(), String> {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("knotpost.toml");
    fs::write(&file, text).unwrap();
    let (_, problems) = Config::examine(Some(&file));
    problems.first().map_or(Ok(()), |problem| Err(problem.to_string()))
}

/// One value or several.
fn parse_json(text: &str) -> Result<(), String> {
    let mut values = serde_json::Deserializer::from_str(text).into_iter::<serde_json::Value>();
    values.try_for_each(|value| value.map(drop).map_err(|error| error.to_string()))
}

fn parse_yaml(text: &str) -> Result<(), String> {
    if !has_neighbour("python3") {
        return Ok(());
    }
    let python = |script: &str| {
        let mut child = Command::new("python3")
            .args(["-c", script])
            .stdin(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut input = child.stdin.take().unwrap();
        // A program that ends early reads nothing.
        let _ = std::io::Write::write_all(&mut input, text.as_bytes());
        drop(input);
        child.wait_with_output().unwrap()
    };
    if !python("import yaml").status.success() {
        leave_out("the YAML of the documents, for which python3-yaml must be there");
        return Ok(());
    }
    let parsed = python("import sys, yaml; yaml.safe_load(sys.stdin)");
    if parsed.status.success() { Ok(()) } else { Err(String::from_utf8_lossy(&parsed.stderr).into_owned()) }
}

/// Sections and keys with a value.
fn parse_ini(text: &str) -> Result<(), String> {
    for line in text.lines().map(str::trim) {
        let is_section = line.starts_with('[') && line.ends_with(']');
        if !(line.is_empty() || line.starts_with('#') || is_section || line.contains('=')) {
            return Err(format!("`{line}` is neither a section nor a key with its value"));
        }
    }
    Ok(())
}

#[test]
fn every_block_is_what_it_says_it_is() {
    let (mut wrong, mut count) = (Vec::new(), 0);
    for page in &pages() {
        for block in blocks(page) {
            count += 1;
            if let Err(why) = examine(page, &block) {
                wrong.push(format!("{}:{}: {why}", page.name, block.line));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(count > 100, "{count}");
}

#[test]
fn blocks_that_are_wrong_are_found() {
    let page = |text: &str| Page { name: "docs/operations/x.md".to_owned(), text: text.to_owned() };
    for text in [
        "```toml\n[http]\nlistne = \"x\"\n```\n",
        "1. x\n\n   ```toml\n   [smtp]\n   listen = \"nowhere\"\n   ```\n",
        "```json\n{\n```\n",
        "```ini\nno value\n```\n",
        "```text\nx\n```\n",
        "<!-- not run: why -->\n```text\nx\n```\n",
        "<!-- file:deploy/port25.conf -->\n```ini\n[Service]\n```\n",
        "```sh\nsudo -u knotpost knotpost --config /etc/knotpost.toml admin user grnat ann\n```\n",
        "```sh\nsystemctl stop x && knotpost serve --fast\n```\n",
        "```sh\ncp deploy/no-such-file /etc\n```\n",
    ] {
        let page = page(text);
        let found = blocks(&page);
        assert_eq!(found.len(), 1, "{text}");
        assert!(examine(&page, &found[0]).is_err(), "{text}");
    }
    for text in [
        "```toml\n[http]\nlisten = \"127.0.0.1:0\"\n```\n",
        "<!-- not run: a file of another program -->\n```text\nx\n```\n",
        "```sh\nKNOTPOST_LOG__LEVEL=warn knotpost config show | grep x   # a comment\n```\n",
    ] {
        let page = page(text);
        assert_eq!(examine(&page, &blocks(&page)[0]), Ok(()), "{text}");
    }
}
