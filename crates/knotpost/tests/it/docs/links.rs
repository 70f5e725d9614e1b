//! Links between documents lead to files that are there, and to headings that are in them.

use std::collections::HashMap;
use std::path::{Component, Path, PathBuf};

use super::{Page, pages, prose, root};

/// The anchors of a document, as GitHub makes them.
fn anchors(text: &str) -> Vec<String> {
    let mut anchors: Vec<String> = Vec::new();
    for (_, line) in prose(text) {
        let Some(title) = line.strip_prefix('#').map(|rest| rest.trim_start_matches('#')) else { continue };
        let Some(title) = title.strip_prefix(' ') else { continue };
        // Of a link in a heading the words count.
        let title = title.replace('[', "");
        let title: Vec<&str> = title
            .split("](")
            .enumerate()
            .map(|(at, part)| if at == 0 { part } else { after_link(part) })
            .collect();
        let plain = title.concat().trim().to_lowercase();
        let plain: String = plain
            .chars()
            .filter(|letter| letter.is_alphanumeric() || matches!(letter, ' ' | '-' | '_'))
            .map(|letter| if letter == ' ' { '-' } else { letter })
            .collect();
        let count = anchors.iter().filter(|known| **known == plain).count();
        anchors.push(if count == 0 { plain } else { format!("{plain}-{count}") });
    }
    anchors
}

fn after_link(part: &str) -> &str {
    part.split_once(')').map_or(part, |(_, after)| after)
}

/// The addresses of the links of a document, with the lines they are in.
fn links(page: &Page) -> Vec<(usize, String)> {
    let mut links = Vec::new();
    for (number, line) in prose(&page.text) {
        // Code is no link.
        let plain: String = line.split('`').step_by(2).collect::<Vec<_>>().join("`");
        let found = plain.split("](").skip(1).filter_map(|rest| rest.split_once(')'));
        links.extend(found.map(|(address, _)| (number, address.to_owned())));
    }
    links
}

/// A path without `..`.
fn plain(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => drop(out.pop()),
            Component::CurDir => {}
            other => out.push(other),
        }
    }
    out
}

#[test]
fn every_link_leads_to_a_file_and_a_heading() {
    let pages = pages();
    let known: HashMap<&str, Vec<String>> =
        pages.iter().map(|page| (page.name.as_str(), anchors(&page.text))).collect();
    let (mut count, mut wrong) = (0, Vec::new());
    for page in &pages {
        for (line, address) in links(page) {
            if address.contains("://") || address.starts_with("mailto:") {
                continue;
            }
            count += 1;
            let (file, anchor) = address.split_once('#').unwrap_or((&address, ""));
            let folder = Path::new(&page.name).parent().unwrap();
            let target = if file.is_empty() { PathBuf::from(&page.name) } else { plain(&folder.join(file)) };
            let is_there = root().join(&target).exists();
            let has_anchor = anchor.is_empty()
                || known
                    .get(target.to_str().unwrap())
                    .is_some_and(|known| known.iter().any(|name| name == anchor));
            if !is_there || !has_anchor {
                wrong.push(format!("{}:{line}: {address}", page.name));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(count > 150, "{count}");
}

#[test]
fn anchors_are_those_of_github() {
    let text =
        "# Mail in\n## 1. DNS\n```sh\n# no heading\n```\n## `a` and [b](c.md#d), *e*\n## 1. DNS\n#hash\n";
    assert_eq!(anchors(text), ["mail-in", "1-dns", "a-and-b-e", "1-dns-1"]);
}
