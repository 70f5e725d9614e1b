//! `man`: manual pages, made from the definitions of the command line, of its exit codes and of the settings.

mod settings_page;

use std::fmt::Write as _;
use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use clap::Args;
use clap_mangen::Man;

const MANUAL: &str = "Knotpost manual";

const MORE: &str = "\
.SH SIGNALS
.TP
SIGTERM, SIGINT
The server finishes what is in progress and ends within ten seconds.
.TP
SIGHUP
The server reads certificate, key for signatures and mail templates again.
.SH \"SEE ALSO\"
\\fBknotpost.toml\\fR(5)
";

#[derive(Debug, Args)]
pub(super) struct ManArgs {
    /// Write one page for each command, and knotpost.toml(5), into this folder; otherwise knotpost(1) is printed.
    folder: Option<PathBuf>,
}

pub(super) fn run(args: &ManArgs, program: clap::Command) -> anyhow::Result<()> {
    let pages = pages(program).context("the manual pages cannot be made")?;
    match &args.folder {
        None => {
            let first = pages.iter().find(|page| page.file == "knotpost.1");
            super::output::text(first.map_or("", |page| &page.text));
            Ok(())
        }
        Some(folder) => write(&pages, folder),
    }
}

fn write(pages: &[Page], folder: &Path) -> anyhow::Result<()> {
    fs::create_dir_all(folder).with_context(|| format!("the folder {} cannot be made", folder.display()))?;
    for page in pages {
        let file = folder.join(&page.file);
        fs::write(&file, &page.text).with_context(|| format!("{} cannot be written", file.display()))?;
    }
    Ok(())
}

struct Page {
    file: String,
    text: String,
}

fn pages(program: clap::Command) -> io::Result<Vec<Page>> {
    let mut program = program.disable_help_subcommand(true);
    program.build();
    let mut pages = vec![Page { file: "knotpost.toml.5".to_owned(), text: settings_page::page(MANUAL) }];
    add_pages(&program, &mut pages)?;
    Ok(pages)
}

fn add_pages(command: &clap::Command, pages: &mut Vec<Page>) -> io::Result<()> {
    for subcommand in command.get_subcommands().filter(|subcommand| !subcommand.is_hide_set()) {
        add_pages(subcommand, pages)?;
    }
    let man = Man::new(command.clone()).source(source()).manual(MANUAL).date("");
    let mut text = Vec::new();
    man.render(&mut text)?;
    if command.get_name() == "knotpost" {
        text.write_all(exit_status().as_bytes())?;
        text.write_all(MORE.as_bytes())?;
    } else {
        text.write_all(b".SH \"SEE ALSO\"\n\\fBknotpost\\fR(1), \\fBknotpost.toml\\fR(5)\n")?;
    }
    let text = String::from_utf8(text).map_err(io::Error::other)?;
    pages.push(Page { file: man.get_filename(), text });
    Ok(())
}

fn exit_status() -> String {
    let mut text = ".SH \"EXIT STATUS\"\n".to_owned();
    for (code, meaning) in super::exit_codes::CODES {
        let _ = writeln!(text, ".TP\n{code}\n{}", settings_page::roff(meaning));
    }
    text
}

/// Omits the commit: the same sources give the same pages.
fn source() -> String {
    format!("knotpost {}", env!("CARGO_PKG_VERSION"))
}
