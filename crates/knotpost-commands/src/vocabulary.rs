//! Words that depend on the games of a server, and reserved userids.
//!
//! Plain data: names of games and options, without their meaning.

use crate::value::{Action, Selector, TOURNAMENT_FORMS};
use crate::verbs::Verb;

/// One option of a game.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OptionWord {
    /// The name without dashes, in lower case.
    pub name: String,
    /// True for `-name=value`, false for `-name`.
    pub takes_value: bool,
    /// Its effect, in one line.
    pub help: String,
    /// The default as shown to players; may be empty.
    pub default: String,
}

/// The words of one game.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GameWords {
    /// The canonical name in lower case.
    pub name: String,
    /// Other words that stand for it, in lower case.
    pub aliases: Vec<String>,
    /// The name as shown.
    pub title: String,
    /// The options of a challenge.
    pub options: Vec<OptionWord>,
}

impl GameWords {
    /// The name and the aliases.
    pub(crate) fn words(&self) -> impl Iterator<Item = &str> {
        std::iter::once(&self.name).chain(&self.aliases).map(String::as_str)
    }
}

/// The games that commands may name.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Vocabulary {
    games: Vec<GameWords>,
    own_names: Vec<String>,
}

impl Vocabulary {
    /// A vocabulary of these games; names are folded to lower case.
    pub fn new(mut games: Vec<GameWords>) -> Self {
        for game in &mut games {
            game.name = game.name.to_lowercase();
            for option in &mut game.options {
                option.name = option.name.to_lowercase();
            }
        }
        Self { games, own_names: Vec::new() }
    }

    /// Adds names of the server itself, which nobody may sign up with.
    #[must_use]
    pub fn of_server(self, names: &[&str]) -> Self {
        Self { own_names: names.iter().map(|name| fold_name(name)).collect(), ..self }
    }

    /// True if a userid looks like an operator or program of the server.
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

    /// The game of exactly this name or alias, in any case.
    pub fn game(&self, name: &str) -> Option<&GameWords> {
        self.games.iter().find(|game| game.words().any(|word| word.eq_ignore_ascii_case(name)))
    }

    /// True for a full word of the language: a command, game, selector, action, option or setting word. Such
    /// a word may be shown to anybody.
    pub(crate) fn is_known(&self, word: &str) -> bool {
        let word = word.to_ascii_lowercase();
        is_reserved(&word, self)
            || ["board", "new", "none", "off", "on"].contains(&word.as_str())
            || TOURNAMENT_FORMS.contains(&word.as_str())
    }
}

/// Names that look like operators of a server, or its programs.
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

/// Folds look-alikes: without signs between the letters, `0` as `o`, `1` and `l` as `i`.
fn fold_name(name: &str) -> String {
    let fold = |sign: char| match sign.to_ascii_lowercase() {
        '0' => 'o',
        '1' | 'l' => 'i',
        sign => sign,
    };
    name.chars().filter(char::is_ascii_alphanumeric).map(fold).collect()
}

/// True if a word has a meaning in commands and is no possible userid.
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
