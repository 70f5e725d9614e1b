//! The words that depend on the games of a server, and which words nobody may have as a userid.
//!
//! The vocabulary is plain data: it knows how games and options are called, not what they mean.

use crate::value::{Action, Selector};
use crate::verbs::Verb;

/// One option of a game.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OptionWord {
    /// The name without dashes, in lower case.
    pub name: String,
    /// Whether it is written `-name=value` (true) or `-name` (false).
    pub takes_value: bool,
    /// One line that says what it does.
    pub help: String,
    /// The default as shown to players; empty when there is nothing to show.
    pub default: String,
}

/// The words of one game.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GameWords {
    /// The canonical name in lower case.
    pub name: String,
    /// The name as shown.
    pub title: String,
    /// The options of a challenge.
    pub options: Vec<OptionWord>,
}

/// The games that commands may name.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Vocabulary {
    games: Vec<GameWords>,
    own_names: Vec<String>,
}

impl Vocabulary {
    /// A vocabulary of these games; their names and option names are folded to lower case.
    pub fn new(mut games: Vec<GameWords>) -> Self {
        for game in &mut games {
            game.name = game.name.to_lowercase();
            for option in &mut game.options {
                option.name = option.name.to_lowercase();
            }
        }
        Self { games, own_names: Vec::new() }
    }

    /// The same on a server that goes by these names, which nobody may sign up with.
    #[must_use]
    pub fn of_server(self, names: &[&str]) -> Self {
        Self { own_names: names.iter().map(|name| fold_name(name)).collect(), ..self }
    }

    /// Whether a userid reads as the people or programs that run the server.
    pub(crate) fn reads_as_operator(&self, word: &str) -> bool {
        let name = fold_name(word);
        !name.is_empty()
            && (OPERATORS.iter().any(|operator| fold_name(operator) == name)
                || self.own_names.contains(&name))
    }

    /// All games, in the order given.
    pub fn games(&self) -> &[GameWords] {
        &self.games
    }

    /// The game of exactly this name, in any case.
    pub fn game(&self, name: &str) -> Option<&GameWords> {
        self.games.iter().find(|game| game.name.eq_ignore_ascii_case(name))
    }

    /// Whether the word is spelled out in full in the language: a command, game, selector, action, option
    /// or setting word. Such a word may be shown to anybody.
    pub(crate) fn is_known(&self, word: &str) -> bool {
        let word = word.to_ascii_lowercase();
        is_reserved(&word, self) || ["board", "new", "none", "off", "on"].contains(&word.as_str())
    }
}

/// Names that read as the people who run a server, or as its programs.
const OPERATORS: &[&str] = &[
    "abuse",
    "admin",
    "administration",
    "administrator",
    "admins",
    "daemon",
    "help desk",
    "hostmaster",
    "info",
    "knotpost",
    "mailer",
    "mailer-daemon",
    "mailmaster",
    "moderator",
    "mod",
    "nobody",
    "noreply",
    "no-reply",
    "do-not-reply",
    "official",
    "operator",
    "owner",
    "postmaster",
    "referee",
    "root",
    "security",
    "server",
    "service",
    "staff",
    "superuser",
    "support",
    "sysadmin",
    "sysop",
    "system",
    "team",
    "webmaster",
];

/// A name as a hurried reader sees it: without signs between the letters, `0` as `o`, `1` and `l` as `i`.
fn fold_name(name: &str) -> String {
    let fold = |sign: char| match sign.to_ascii_lowercase() {
        '0' => 'o',
        '1' | 'l' => 'i',
        sign => sign,
    };
    name.chars().filter(char::is_ascii_alphanumeric).map(fold).collect()
}

/// Whether a word means something in commands, so that nobody may have it as a userid.
pub fn is_reserved(word: &str, vocabulary: &Vocabulary) -> bool {
    let word = word.to_ascii_lowercase();
    let word = word.as_str();
    let verb_word = |verb: Verb| {
        let spec = verb.spec();
        spec.words.contains(&word) || spec.synonyms.contains(&word)
    };
    vocabulary.game(word).is_some()
        || Verb::all().iter().any(|verb| verb_word(*verb))
        || Selector::from_word(word).is_some()
        || Action::from_keyword(word).is_some()
        || word == "new"
}
