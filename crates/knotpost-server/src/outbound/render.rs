//! Replies as Subject and text, by the templates in `templates/mail/<kind>/`.

use minijinja::value::Serde;
use minijinja::{Value, context};

use super::sheet::{sheet_context, wrapped};
use super::standings::standings_context;
use super::table::{Column, table};
use super::templates::{OwnTemplate, Templates};
use crate::config::Config;
use crate::service::{
    BoardLine, BoardTable, GameCount, HistoryLine, LineResult, PreferenceLine, Reply, Sheet,
};

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
        let kind = kind(reply);
        let subject = self.fill(kind, "subject.txt", facts)?;
        let text = self.fill(kind, "body.txt", facts)?;
        Ok(Rendered { subject: subject.split_whitespace().collect::<Vec<_>>().join(" "), text: tidy(&text) })
    }

    pub(super) fn fill(&self, kind: &'static str, part: &str, facts: &Value) -> Result<String, RenderError> {
        let filled = self.templates.fill(&format!("{kind}/{part}"), facts);
        filled.map_err(|source| RenderError { kind, source })
    }

    fn sheet(&self, sheet: &Sheet) -> Result<String, RenderError> {
        Ok(tidy(&self.fill("board", "body.txt", &sheet_context(sheet))?))
    }

    /// The page of a board.
    pub(super) fn board_link(&self, game: &str, number: u32) -> String {
        format!("{}/boards/{game}/{number}", self.url)
    }

    fn sheet_text(&self, sheet: Option<&Sheet>) -> Result<Option<String>, RenderError> {
        sheet.map(|sheet| self.sheet(sheet)).transpose()
    }

    /// What the reply's template may name.
    pub(super) fn facts(&self, reply: &Reply) -> Result<Value, RenderError> {
        let own = match reply {
            Reply::Board(sheet) => sheet_context(sheet),
            Reply::Boards { subject, sheets } => {
                let texts = sheets.iter().map(|sheet| self.sheet(sheet)).collect::<Result<Vec<_>, _>>()?;
                context! { subject, sheets => texts.len(), texts }
            }
            Reply::Error(error) => context! {
                message => wrapped("", "", &sentence(&error.message)),
                hints => error.hints.iter().map(|hint| wrap_hint(hint)).collect::<Vec<_>>(),
                echo => error.echo.clone(),
                title => error.game.as_deref().map(title_of),
                number => error.number,
                invalid_challenge => error.is_invalid_challenge,
                sheet_text => self.sheet_text(error.sheet.as_deref())?,
            },
            Reply::Preferences { userid, title, lines, others, .. } => context! {
                userid,
                title,
                table => preferences_table(lines),
                others,
            },
            Reply::Message { reader, from, to, text } => context! {
                reader,
                from,
                text,
                opening => wrapped("", "", &format!("{from} writes to {}:", to.join(", "))),
            },
            Reply::MessageSent { to, .. } => context! {
                opening => wrapped("", "", &format!("Your message was passed on to {}.", to.join(", "))),
            },
            Reply::Digest { userid, turns, sheets } => {
                let texts = sheets.iter().map(|sheet| self.sheet(sheet)).collect::<Result<Vec<_>, _>>()?;
                context! { userid, turns, count => texts.len(), list => digest_list(sheets), texts }
            }
            Reply::Queue { title, number, moves, dropped } => context! {
                title, number, moves, dropped => dropped.as_ref().map(|why| wrapped("", "", &format!("{why}."))),
            },
            Reply::Closed { title, number, why } => context! {
                title, number, why => wrapped("", "", why),
            },
            Reply::Games { games } => context! { table => games_table(games) },
            Reply::BoardList { title, sides, boards, more } => {
                context! { title, table => boards_table(sides, boards), boards => boards.len(), more }
            }
            Reply::History { title, boards, more } => {
                context! { title, table => history_table(boards), boards => boards.len(), more }
            }
            Reply::AllBoards { tables, more } => context! { tables => tables_by_game(tables), more },
            Reply::Subscriptions { game, title, userid, all, boards }
            | Reply::Notifications { game, title, userid, all, boards } => context! {
                name => game, title, userid, all, boards => boards.len(), numbers => list_numbers(boards),
            },
            Reply::Standings { title, game, tables, seeks, more_seeks } => {
                standings_context(title, game, tables, seeks, *more_seeks)
            }
            Reply::Multiple { lines } => context! { lines => self.lines(lines)? },
            Reply::AlreadyPlayed { echo, sheet } => context! {
                echo,
                title => sheet.as_ref().map(|sheet| sheet.title.clone()),
                number => sheet.as_ref().and_then(|sheet| sheet.number),
                sheet_text => self.sheet_text(sheet.as_deref())?,
            },
            other => Value::from(Serde(other)),
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

/// The name of a reply's templates.
pub fn kind(reply: &Reply) -> &'static str {
    match reply {
        Reply::Board(_) => "board",
        Reply::Boards { .. } => "boards",
        Reply::Error(_) => "error",
        Reply::Welcome { .. } => "welcome",
        Reply::ConfirmAddress { .. } => "confirm_address",
        Reply::ConfirmHint { .. } => "confirm_hint",
        Reply::ConfirmationsAsked { .. } => "confirmations_asked",
        Reply::MailSent { .. } => "mail_sent",
        Reply::PasswordChanged { .. } => "password_changed",
        Reply::WrongPasswords { .. } => "wrong_passwords",
        Reply::ChatsSpent { .. } => "chats_spent",
        Reply::WebhookStopped { .. } => "webhook_stopped",
        Reply::AddressesChanged { .. } => "addresses_changed",
        Reply::Preferences { .. } => "preferences",
        Reply::Digest { .. } => "digest",
        Reply::ResetAsked { .. } => "reset_asked",
        Reply::PasswordReset { .. } => "password_reset",
        Reply::MagicLink { .. } => "magic_link",
        Reply::Goodbye { .. } => "goodbye",
        Reply::Message { .. } => "message",
        Reply::Postmaster { .. } => "postmaster",
        Reply::Stranger => "stranger",
        Reply::MessageSent { .. } => "message_sent",
        Reply::Broadcast { .. } => "broadcast",
        Reply::BroadcastTaken { .. } => "broadcast_taken",
        Reply::TestDisplay { .. } => "test_display",
        Reply::Help { .. } => "help",
        Reply::Games { .. } => "games",
        Reply::BoardList { .. } => "board_list",
        Reply::History { .. } => "history",
        Reply::Record { .. } => "record",
        Reply::AllBoards { .. } => "all_boards",
        Reply::Subscriptions { .. } => "subscriptions",
        Reply::Notifications { .. } => "notifications",
        Reply::Standings { .. } => "standings",
        Reply::ChallengeStatus { .. } => "challenge_status",
        Reply::LimitStatus { .. } => "limit_status",
        Reply::SeekStatus { .. } => "seek_status",
        Reply::Removed { .. } => "removed",
        Reply::NeverBegun { .. } => "never_begun",
        Reply::Closed { .. } => "closed",
        Reply::Vacation { .. } => "vacation",
        Reply::ResignNoted { .. } => "resign_noted",
        Reply::Queue { .. } => "queue",
        Reply::Resent { .. } => "resent",
        Reply::ForeignAnswer { .. } => "foreign_answer",
        Reply::UnprovenAnswer { .. } => "unproven_answer",
        Reply::Multiple { .. } => "multiple",
        Reply::AlreadyPlayed { .. } => "already_played",
        Reply::BudgetSpent => "budget_spent",
    }
}

/// An error's clause as a sentence.
fn sentence(clause: &str) -> String {
    let mut letters = clause.chars();
    let first = letters.next().map(|first| first.to_uppercase().to_string()).unwrap_or_default();
    let end = if clause.ends_with(['.', '?', '!']) { "" } else { "." };
    format!("{first}{}{end}", letters.as_str())
}

/// What would work, its second and further lines indented below the first.
fn wrap_hint(hint: &str) -> String {
    wrapped("", "   ", hint)
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

fn games_table(games: &[GameCount]) -> String {
    let columns = [
        Column::left("Game", 8),
        Column::right("Active", 6),
        Column::right("Finished", 8),
        Column::left("What it is", 10),
    ];
    let rows: Vec<Vec<String>> = games
        .iter()
        .map(|game| {
            vec![game.title.clone(), game.active.to_string(), game.over.to_string(), game.summary.clone()]
        })
        .collect();
    table(&columns, &rows)
}

fn preferences_table(lines: &[PreferenceLine]) -> String {
    let columns = [Column::left("Name", 10), Column::left("Value", 10), Column::left("From", 9)];
    let rows: Vec<Vec<String>> =
        lines.iter().map(|line| vec![line.name.to_owned(), line.value.clone(), line.from.clone()]).collect();
    table(&columns, &rows)
}

/// One line for each board of a digest.
fn digest_list(sheets: &[Sheet]) -> String {
    let line = |sheet: &Sheet| {
        let number = sheet.number.map_or_else(String::new, |number| format!(" {number}"));
        format!("   {}{number}: {}", sheet.title, sheet.verdict)
    };
    sheets.iter().map(line).collect::<Vec<_>>().join("\n")
}

fn boards_table(sides: &[String], boards: &[BoardLine]) -> String {
    let mut columns = vec![Column::right("Board", 5), Column::right("Move", 4)];
    columns.extend(sides.iter().map(|side| Column::left(side, 10)));
    columns.push(Column::left("Board Status", 19));
    let rows: Vec<Vec<String>> = boards
        .iter()
        .map(|board| {
            let mut row = vec![board.number.to_string(), board.ply.to_string()];
            row.extend((0..sides.len()).map(|seat| board.players.get(seat).cloned().unwrap_or_default()));
            row.push(board.status.clone());
            row
        })
        .collect();
    table(&columns, &rows)
}

/// A title and a table for each game.
fn tables_by_game(tables: &[BoardTable]) -> Vec<Value> {
    let one = |table: &BoardTable| {
        context! { title => table.title.clone(), table => boards_table(&table.sides, &table.boards) }
    };
    tables.iter().map(one).collect()
}

/// Numbers of boards, as many on a line as fit.
fn list_numbers(boards: &[i64]) -> String {
    let words: Vec<String> = boards.iter().map(ToString::to_string).collect();
    wrapped("   ", "   ", &words.join(" "))
}

fn history_table(boards: &[HistoryLine]) -> String {
    let columns = [
        Column::left("Ended", 20),
        Column::right("Board", 5),
        Column::left("Winner", 10),
        Column::left("Score", 7),
        Column::left("Players", 10),
    ];
    let rows: Vec<Vec<String>> = boards
        .iter()
        .map(|board| {
            vec![
                board.ended.clone(),
                board.number.to_string(),
                board.winner.clone(),
                board.score.clone(),
                board.players.join(" "),
            ]
        })
        .collect();
    table(&columns, &rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clauses_become_sentences() {
        assert_eq!(sentence("it is ann's turn, not yours"), "It is ann's turn, not yours.");
        assert_eq!(sentence("Really?"), "Really?");
    }

    #[test]
    fn absent_parts_leave_one_empty_line() {
        assert_eq!(tidy("\n\na  \n\n\n\nb\n\n\n"), "a\n\nb\n");
    }
}
