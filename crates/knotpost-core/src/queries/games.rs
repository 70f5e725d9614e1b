//! Games as pages and programs are told of them.

use knotpost_rules::{Meta, OptionKind, OptionSpec};
use schemars::JsonSchema;
use serde::Serialize;

/// A game.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct GameView {
    /// Its name in commands and addresses.
    pub game: &'static str,
    /// Its name for people.
    pub title: &'static str,
    /// Other words that commands take for it.
    pub aliases: &'static [&'static str],
    /// Its kind: `knots`, `connection`, `line`, `territory`, `capture`, `race`, `blockade`, `sowing`, `dice` or `chess`.
    pub kind: &'static str,
    /// The amount of rules to learn, from 1 to 3.
    pub weight: u8,
    /// Moves of a usual game.
    pub length: u16,
    /// Description in half a sentence.
    pub summary: &'static str,
    /// Its inventor.
    pub credit: &'static str,
    /// The version of the rules that new boards are played under.
    pub rules_version: u32,
    /// Range of the number of players.
    pub players: PlayerRange,
    /// The options of a challenge.
    pub options: Vec<GameOption>,
}

/// Range of the number of players.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct PlayerRange {
    least: usize,
    most: usize,
}

/// An option of a challenge.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct GameOption {
    /// Its name.
    name: &'static str,
    /// Form in which it is given.
    kind: GameOptionKind,
    /// The words that stand for it.
    words: Vec<&'static str>,
    /// Usage, such as `-size=N`.
    usage: String,
    /// Value that holds without it.
    default: String,
    /// Its effect.
    help: &'static str,
}

/// Form in which an option is given.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum GameOptionKind {
    /// By its name alone.
    Flag,
    /// By one of two names.
    Either,
    /// With a number.
    Number,
    /// With one of several words.
    Choice,
    /// With a text.
    Text,
}

impl From<&'static Meta> for GameView {
    fn from(meta: &'static Meta) -> Self {
        Self {
            game: meta.name,
            title: meta.title,
            aliases: meta.aliases,
            kind: meta.kind.word(),
            weight: meta.weight,
            length: meta.length,
            summary: meta.summary,
            credit: meta.credit,
            rules_version: meta.rules_version,
            players: PlayerRange { least: *meta.players.start(), most: *meta.players.end() },
            options: meta.options.iter().map(GameOption::from).collect(),
        }
    }
}

impl From<&'static OptionSpec> for GameOption {
    fn from(spec: &'static OptionSpec) -> Self {
        let kind = match spec.kind {
            OptionKind::Flag => GameOptionKind::Flag,
            OptionKind::Either(..) => GameOptionKind::Either,
            OptionKind::Number { .. } => GameOptionKind::Number,
            OptionKind::Choice(_) => GameOptionKind::Choice,
            OptionKind::Text { .. } => GameOptionKind::Text,
        };
        Self {
            name: spec.name,
            kind,
            words: spec.words(),
            usage: spec.usage(),
            default: spec.default_text(),
            help: spec.help,
        }
    }
}
