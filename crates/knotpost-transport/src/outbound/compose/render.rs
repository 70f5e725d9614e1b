//! Replies as Subject and text, by the templates in `templates/mail/<kind>/`.

use minijinja::{Value, context};

use super::board_text::{set_sheet, sheet_context, wrapped};
use super::facts::lay_out;
use super::standings::{pools_table, standings_context};
use super::templates::{OwnTemplate, Templates};
use knotpost_core::config::Config;
use knotpost_core::replies::{LineResult, Reply, Sheet};

/// The line around comments, as clients in the wild know it.
pub(super) const STARS: &str = "************************************************************";

/// A reply as its reader sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rendered {
    /// One line.
    pub subject: String,
    /// The text, ending in a newline.
    pub text: String,
}

/// Renders replies.
#[derive(Debug)]
pub struct Renderer {
    templates: Templates,
    server: String,
    address: String,
    url: String,
    confirms: bool,
}

/// A template failed: a mistake in it, or in what it was given.
#[derive(Debug, thiserror::Error)]
#[error("the template {kind} could not be rendered")]
pub struct RenderError {
    kind: &'static str,
    #[source]
    source: minijinja::Error,
}

impl Renderer {
    /// A renderer with the templates of this program.
    pub fn new(config: &Config) -> Self {
        Self {
            templates: Templates::load(&config.mail_templates()),
            server: config.server.name.clone(),
            address: config.server.address.clone(),
            url: config.server.public_url.trim_end_matches('/').to_owned(),
            confirms: config.confirms_addresses(),
        }
    }

    /// The operator's templates and what became of them.
    pub fn own_templates(&self) -> Vec<OwnTemplate> {
        self.templates.own()
    }

    /// The reply as Subject and text.
    ///
    /// # Errors
    /// When a template is wrong.
    pub fn render(&self, reply: &Reply) -> Result<Rendered, RenderError> {
        self.render_by(reply, &self.facts(reply)?)
    }

    /// The same, where the reply's [`Renderer::facts`] are at hand.
    pub(super) fn render_by(&self, reply: &Reply, facts: &Value) -> Result<Rendered, RenderError> {
        let kind = reply.template();
        let subject = self.fill(kind, "subject.txt", facts)?;
        let text = self.fill(kind, "body.txt", facts)?;
        let text = match reply {
            Reply::Board(sheet) => set_sheet(sheet, &tidy(&text)),
            _ => tidy(&text),
        };
        Ok(Rendered { subject: subject.split_whitespace().collect::<Vec<_>>().join(" "), text })
    }

    pub(super) fn fill(&self, kind: &'static str, part: &str, facts: &Value) -> Result<String, RenderError> {
        let filled = self.templates.fill(&format!("{kind}/{part}"), facts);
        filled.map_err(|source| RenderError { kind, source })
    }

    fn sheet(&self, sheet: &Sheet) -> Result<String, RenderError> {
        Ok(set_sheet(sheet, &tidy(&self.fill("board", "body.txt", &sheet_context(sheet))?)))
    }

    /// The page of a board.
    pub(super) fn board_link(&self, game: &str, number: u32) -> String {
        format!("{}/boards/{game}/{number}", self.url)
    }

    fn sheet_text(&self, sheet: Option<&Sheet>) -> Result<Option<String>, RenderError> {
        sheet.map(|sheet| self.sheet(sheet)).transpose()
    }

    /// Template context of the reply.
    pub(super) fn facts(&self, reply: &Reply) -> Result<Value, RenderError> {
        let own = match reply {
            Reply::Board(sheet) => sheet_context(sheet),
            Reply::Boards { subject, sheets, missing } => {
                let texts = sheets.iter().map(|sheet| self.sheet(sheet)).collect::<Result<Vec<_>, _>>()?;
                let missing: Vec<String> = missing.iter().map(|line| wrapped("", "", line)).collect();
                context! { subject, sheets => texts.len(), texts, missing }
            }
            Reply::Error(error) => context! {
                message => wrapped("", "", &sentence(&error.message)),
                // A line that is indented reads as a command.
                hints => error.hints.iter().map(|hint| wrapped("", "", hint)).collect::<Vec<_>>(),
                echo => error.echo.clone(),
                title => error.game.as_deref().map(title_of),
                number => error.number,
                invalid_challenge => error.is_invalid_challenge,
                sheet_text => self.sheet_text(error.sheet.as_deref())?,
            },
            Reply::Digest { userid, turns, news, sheets } => {
                let texts = sheets.iter().map(|sheet| self.sheet(sheet)).collect::<Result<Vec<_>, _>>()?;
                context! { userid, turns, news, count => texts.len(), list => digest_list(sheets), texts }
            }
            Reply::Puzzles { userid, day, sheets } => {
                let texts = sheets.iter().map(|sheet| self.sheet(sheet)).collect::<Result<Vec<_>, _>>()?;
                // To the Subject of a mail with one puzzle the move is added, as to that of the answer to `puzzle GAME`.
                let only = sheets.first().filter(|_| sheets.len() == 1).map(|sheet| sheet.game.as_str());
                context! { userid, day, only, texts }
            }
            Reply::Help { title, text } => context! { kind => reply.template(), title, text },
            Reply::Standings { title, game, tables, seeks, more_seeks, pools, more_pools } => {
                let standings = standings_context(title, game, tables, seeks, *more_seeks);
                let pools = (!pools.is_empty()).then(|| pools_table(pools));
                context! { pools, more_pools, ..standings }
            }
            Reply::Multiple { lines } => context! { lines => self.lines(lines)? },
            Reply::AlreadyPlayed { echo, sheet } => context! {
                echo,
                title => sheet.as_ref().map(|sheet| sheet.title.clone()),
                number => sheet.as_ref().and_then(|sheet| sheet.number),
                sheet_text => self.sheet_text(sheet.as_deref())?,
            },
            Reply::Said(content) => {
                let kind = content.template();
                let facts = lay_out(content.facts()).map_err(|source| RenderError { kind, source })?;
                context! { kind, ..facts }
            }
        };
        let domain = self.address.rsplit_once('@').map_or("localhost", |(_, domain)| domain);
        let shared = context! {
            server => self.server.clone(),
            address => self.address.clone(),
            domain,
            url => self.url.clone(),
            confirms => self.confirms,
            game => "osbox",
            stars => STARS,
        };
        Ok(context! { ..own, ..shared })
    }

    fn lines(&self, lines: &[LineResult]) -> Result<Vec<Value>, RenderError> {
        lines
            .iter()
            .map(|line| {
                let texts = vec![self.render(&line.reply)?.text];
                Ok(context! { line => line.line.clone(), ok => line.ok, texts })
            })
            .collect()
    }
}

/// An error's clause as a sentence.
fn sentence(clause: &str) -> String {
    let mut letters = clause.chars();
    let first = letters.next().map(|first| first.to_uppercase().to_string()).unwrap_or_default();
    let end = if clause.ends_with(['.', '?', '!']) { "" } else { "." };
    format!("{first}{}{end}", letters.as_str())
}

/// A game's name as a title where only the name is at hand.
fn title_of(name: &str) -> String {
    let mut letters = name.chars();
    letters.next().map(|first| first.to_uppercase().to_string()).unwrap_or_default() + letters.as_str()
}

/// Ends lines without blanks, ends the text with one newline, and leaves at most one empty line
/// where an absent part would leave several.
fn tidy(text: &str) -> String {
    let mut tidy = String::with_capacity(text.len());
    let mut empty = 1;
    for line in text.lines().map(str::trim_end) {
        empty = if line.is_empty() { empty + 1 } else { 0 };
        if empty < 2 {
            tidy.push_str(line);
            tidy.push('\n');
        }
    }
    while tidy.ends_with("\n\n") {
        tidy.pop();
    }
    tidy
}

/// One line for each board of a digest.
fn digest_list(sheets: &[Sheet]) -> String {
    let line = |sheet: &Sheet| {
        let number = sheet.number.map_or_else(String::new, |number| format!(" {number}"));
        format!("   {}{number}: {}", sheet.title, sheet.verdict)
    };
    sheets.iter().map(line).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clauses_become_sentences() {
        assert_eq!(sentence("it is ann's turn, not yours"), "It is ann's turn, not yours.");
        assert_eq!(sentence("Really?"), "Really?");
        assert_eq!(sentence("`carol` does not play"), "`carol` does not play.");
    }

    #[test]
    fn absent_parts_leave_one_empty_line() {
        assert_eq!(tidy("\n\na  \n\n\n\nb\n\n\n"), "a\n\nb\n");
    }
}
