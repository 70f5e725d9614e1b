//! A game's help page as titled sections, printed as plain text or laid out by the web.

use crate::{
    game::Show,
    meta::Meta,
    options::GameOptions,
    position::{AnyGame, Kind},
    seed::Seed,
    turn::Turn,
    view::{View, Viewer},
};
use std::fmt;

/// The whole page, in reading order. Lines are at most 72 columns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HelpPage {
    /// The heading.
    pub title: String,
    /// The sections.
    pub sections: Vec<HelpSection>,
    /// The boards whose text stands in the sections, for readers who can be shown drawings.
    pub figures: Vec<View>,
}

/// One titled part of a help page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HelpSection {
    /// The heading.
    pub title: &'static str,
    /// Preformatted text without a trailing line end.
    pub text: String,
}

impl HelpPage {
    /// A page that opens with the challenge line and the option table of the game.
    pub fn open(meta: &Meta) -> Self {
        let challenge = HelpSection { title: "Challenge", text: describe_challenge(meta) };
        Self { title: meta.heading(), sections: vec![challenge], figures: Vec::new() }
    }

    /// Adds boards that the text of sections shows.
    #[must_use]
    pub fn figures(mut self, views: impl IntoIterator<Item = View>) -> Self {
        self.figures.extend(views);
        self
    }

    /// Adds a section.
    #[must_use]
    pub fn section(mut self, title: &'static str, text: impl Into<String>) -> Self {
        self.sections.push(HelpSection { title, text: text.into().trim_matches('\n').to_owned() });
        self
    }
}

/// Views of a board of two with default options, for figures: the start, from a position string or the usual one, and
/// then the board after each move. `None` when a move is not legal.
pub fn draw_moves<G: Show>(start: Option<&str>, moves: &[&str]) -> Option<Vec<View>> {
    let (game, seed) = (Kind::<G>::default(), Seed::default());
    let options = GameOptions::defaults(G::META.options);
    let mut position = match start {
        Some(text) => game.parse_position(&options, 2, &seed, text).ok()?,
        None => game.setup(&options, 2, &seed),
    };
    let mut views = vec![position.view(Viewer::Spectator)];
    for mv in moves {
        position.play(Turn::Move(mv)).ok()?;
        views.push(position.view(Viewer::Spectator));
    }
    Some(views)
}

/// The challenge line and what each option does.
fn describe_challenge(meta: &Meta) -> String {
    let players = (1..=*meta.players.end()).map(|number| {
        if number <= *meta.players.start() {
            format!(" userid{number}")
        } else {
            format!(" [userid{number}]")
        }
    });
    let given = if meta.options.is_empty() { "" } else { " [options]" };
    let mut lines = vec![format!("{} challenge{given}{}", meta.name, players.collect::<Vec<_>>().concat())];
    for spec in meta.options {
        lines.push(format!("\n  {:<24} (default {})", spec.usage(), spec.default_text()));
        lines.extend(wrap(spec.help, 64).iter().map(|line| format!("      {line}")));
    }
    lines.join("\n")
}

/// Breaks a sentence into lines of at most `width` columns.
fn wrap(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if line.is_empty() => line.push_str(word),
            Some(line) if line.len() + 1 + word.len() <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

impl fmt::Display for HelpPage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}\n{}", self.title, "=".repeat(self.title.len()))?;
        for section in &self.sections {
            writeln!(f, "\n{}\n{}\n\n{}", section.title, "-".repeat(section.title.len()), section.text)?;
        }
        Ok(())
    }
}
