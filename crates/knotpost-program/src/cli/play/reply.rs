//! Output of `knotpost play`: boards for people, JSON lines for programs.

use super::{
    table::{Legal, Table},
    verify::Proof,
};
use knotpost_rules::{Figure, Layout, Outcome, Scores, Viewer};
use serde::{Serialize, Serializer, ser::SerializeMap as _};
use serde_json::json;
use std::io::{self, Write};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::cli) enum Style {
    Text,
    Json,
}

pub(in crate::cli) struct Writer {
    style: Style,
    layout: Layout,
    output: io::StdoutLock<'static>,
}

/// The start or a turn; the order of the fields is part of the interface.
#[derive(Serialize)]
struct Line<'a> {
    ply: usize,
    seat: Option<u8>,
    r#move: Option<&'a str>,
    text: Option<&'a str>,
    gain: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    scores: Option<Vec<serde_json::Number>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    paths: Option<Vec<Vec<u32>>>,
    position: String,
    to_move: Vec<u8>,
    over: bool,
    result: Option<ResultLine>,
}

#[derive(Serialize)]
pub(in crate::cli) struct ResultLine {
    winners: Vec<u8>,
    tie: bool,
    reason: &'static str,
    placings: Vec<u8>,
}

#[derive(Serialize)]
struct LegalLine<'a> {
    legal: &'a [String],
    words: &'a [&'static str],
    #[serde(flatten)]
    quota: Quota<'a>,
}

/// One field each, in the order the game names them.
struct Quota<'a>(&'a [(&'static str, u32)]);

impl Serialize for Quota<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (name, amount) in self.0 {
            map.serialize_entry(name, amount)?;
        }
        map.end()
    }
}

#[derive(Serialize)]
struct ProofLine<'a> {
    verified: bool,
    committed: bool,
    rolls: &'a [String],
    start: &'a str,
    message: String,
}

/// A figure as a number of JSON.
fn number(figure: Figure) -> Option<serde_json::Number> {
    match figure {
        Figure::Whole(whole) => Some(whole.into()),
        Figure::Half(half) => serde_json::Number::from_f64(half),
    }
}

impl<'a> Line<'a> {
    fn of(table: &'a Table) -> Self {
        let last = table.turns.last();
        let (scores, paths) = match table.position.scores() {
            Scores::Paths(paths) => (None, Some(paths)),
            scores => {
                (scores.figures().map(|figures| figures.into_iter().filter_map(number).collect()), None)
            }
        };
        let outcome = table.outcome();
        Self {
            ply: table.turns.len(),
            seat: last.map(|turn| turn.seat.number()),
            r#move: last.map(|turn| turn.canonical.as_str()),
            text: last.map(|turn| turn.text.as_str()),
            gain: last.map_or(0, |turn| turn.gain),
            scores,
            paths,
            position: table.position_text(),
            to_move: table.to_move().iter().map(knotpost_rules::Seat::number).collect(),
            over: outcome.is_some(),
            result: outcome.as_ref().map(ResultLine::from),
        }
    }
}

impl From<&Outcome> for ResultLine {
    fn from(outcome: &Outcome) -> Self {
        Self {
            winners: outcome.winners().iter().map(|seat| seat.number()).collect(),
            tie: outcome.is_tie(),
            reason: outcome.reason,
            placings: outcome.placings.to_vec(),
        }
    }
}

impl Writer {
    pub(in crate::cli) fn new(style: Style) -> Self {
        Self { style, layout: Layout::Standard, output: io::stdout().lock() }
    }

    pub(in crate::cli) const fn set_layout(&mut self, layout: Layout) {
        self.layout = layout;
    }

    /// For people only.
    pub(in crate::cli) fn plain(&mut self, text: &str) -> io::Result<()> {
        if self.style == Style::Text { self.output.write_all(text.as_bytes()) } else { Ok(()) }
    }

    /// Only in JSON.
    pub(in crate::cli) fn line(&mut self, table: &Table) -> io::Result<()> {
        self.json(&Line::of(table))
    }

    pub(in crate::cli) fn json(&mut self, value: &impl Serialize) -> io::Result<()> {
        if self.style == Style::Json {
            serde_json::to_writer(&mut self.output, value)?;
            writeln!(self.output)?;
            self.output.flush()?;
        }
        Ok(())
    }

    /// A line of JSON in either style.
    pub(super) fn object(&mut self, value: &impl Serialize) -> io::Result<()> {
        serde_json::to_writer(&mut self.output, value)?;
        writeln!(self.output)
    }

    pub(in crate::cli) fn board(&mut self, table: &Table) -> io::Result<()> {
        if self.style == Style::Json {
            return Ok(());
        }
        let options = if table.options.is_empty() { String::new() } else { format!(" {}", table.options) };
        writeln!(self.output, "{}{options}\n", table.meta.title)?;
        if !table.turns.is_empty() {
            let turns = table.turns.iter().zip(1..).map(|(turn, number)| format!("{number}. {}", turn.text));
            writeln!(self.output, "{}\n", self.layout.set(&fill(turns, "  ")))?;
        }
        let view = table.position.view(Viewer::Spectator);
        if let Some(news) = &view.news {
            writeln!(self.output, "{}\n", self.layout.set(&news.to_string()))?;
        }
        writeln!(self.output, "{}\n", view.lay_out(self.layout))?;
        writeln!(self.output, "{}", self.layout.set(&tell_standing(table)))?;
        writeln!(self.output, "Position: {}", table.position_text())
    }

    pub(in crate::cli) fn legal(&mut self, table: &Table) -> io::Result<()> {
        let Legal { moves, words, quota } = table.legal();
        if self.style == Style::Json {
            let quota = Quota(quota.as_deref().unwrap_or_default());
            return self.json(&LegalLine { legal: &moves, words: &words, quota });
        }
        match quota.filter(|_| !moves.is_empty()) {
            Some(quota) => {
                let quota: Vec<String> =
                    quota.iter().map(|(name, amount)| format!("{name} {amount}")).collect();
                let (count, quota) = (moves.len(), quota.join(", "));
                let quota = if quota.is_empty() { quota } else { format!(" ({quota})") };
                writeln!(self.output, "\n{count} ways to begin a turn{quota}:")?;
            }
            None => match moves.len() + words.len() {
                1 => writeln!(self.output, "\n1 legal turn:")?,
                count => writeln!(self.output, "\n{count} legal turns:")?,
            },
        }
        let all = words.into_iter().map(str::to_owned).chain(moves);
        writeln!(self.output, "{}", self.layout.set(&fill(all, " ")))
    }

    /// The ways a begun move can go on: the move with one step more, each; none where it cannot.
    pub(in crate::cli) fn next(&mut self, table: &Table, begun: &str) -> io::Result<()> {
        let next = match table.position.steps(begun) {
            Ok(Some(steps)) => steps.next,
            _ => table.position.choices(begun).next.into_iter().map(|choice| choice.begun).collect(),
        };
        if self.style == Style::Json {
            return self.json(&LegalLine { legal: &next, words: &[], quota: Quota(&[]) });
        }
        writeln!(self.output, "{}", self.layout.set(&fill(next.into_iter(), " ")))
    }

    pub(super) fn proof(&mut self, proof: &Proof) -> io::Result<()> {
        let Proof { committed, rolls, start, .. } = proof;
        let message = proof.to_string();
        if self.style == Style::Json {
            let (committed, verified) = (*committed, true);
            return self.json(&ProofLine { verified, committed, rolls, start, message });
        }
        writeln!(self.output, "{message}\n\nStart: {start}")?;
        if rolls.is_empty() { Ok(()) } else { writeln!(self.output, "{}", fill(rolls.iter().cloned(), " ")) }
    }

    pub(in crate::cli) fn hint(&mut self, table: &Table) -> io::Result<()> {
        let legend = table.position.view(Viewer::Spectator).legend_for(self.layout);
        let words = self.layout.set("More words: legal, undo, pass, swap, resign, quit.");
        self.plain(&format!("{legend}\n\n{words}\n"))
    }

    pub(in crate::cli) fn prompt(&mut self, table: &Table) -> io::Result<()> {
        let name = table.to_move().iter().next().map_or("over", |seat| table.name(seat));
        self.plain(&format!("\n{name}> "))?;
        self.output.flush()
    }

    /// For people on the error stream, for programs as a line of the output.
    pub(in crate::cli) fn error(&mut self, code: &str, message: &str) -> io::Result<()> {
        if self.style == Style::Json {
            return self.json(&json!({ "error": { "code": code, "message": message } }));
        }
        self.output.flush()?;
        writeln!(io::stderr(), "{message}")
    }
}

fn tell_standing(table: &Table) -> String {
    let Some(outcome) = table.outcome() else {
        let movers: Vec<&str> = table.to_move().iter().map(|seat| table.name(seat)).collect();
        let roll = table.position.roll().map_or_else(String::new, |roll| format!(" The roll is {roll}."));
        return format!("{} to move.{roll}", movers.join(", "));
    };
    let names: Vec<&str> = outcome.winners().into_iter().map(|seat| table.name(seat)).collect();
    let names = names.join(" and ");
    let scores = table.position.scores().texts().join(" to ");
    let scores = if scores.is_empty() { scores } else { format!(", {scores}") };
    if outcome.is_tie() {
        format!("The game is over: {names} tie{scores}.")
    } else {
        format!("The game is over: {names} won by {}{scores}.", outcome.reason)
    }
}

/// Wraps at 72 columns.
fn fill(words: impl Iterator<Item = String>, gap: &str) -> String {
    let mut lines = vec![String::new()];
    for word in words {
        match lines.last_mut() {
            Some(line) if line.is_empty() => line.push_str(&word),
            Some(line) if line.chars().count() + gap.len() + word.chars().count() <= 72 => {
                line.push_str(gap);
                line.push_str(&word);
            }
            _ => lines.push(word),
        }
    }
    lines.join("\n")
}
