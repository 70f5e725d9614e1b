//! The description of a verb, which the parser, the help, the error texts and the masking all read.
//!
//! The verbs themselves are in `verbs`, a file each.

use crate::error::ExampleContext;
use crate::verbs::Verb;

/// The description of a verb, for the help pages.
pub fn help(verb: Verb) -> &'static VerbSpec {
    verb.spec()
}

/// What stands in front of a verb.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Scope {
    /// Nothing: the verb speaks to the server.
    Server,
    /// The name of a game.
    Game,
}

/// Where a verb expects userid and password among its arguments.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum WhoAt {
    /// It needs no password.
    Nowhere,
    /// They come first.
    First,
    /// They follow the board.
    AfterBoard,
    /// They follow a board if one comes first, else they come first.
    Either,
}

/// Who gets the answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum AnswerTo {
    /// The sender of the command.
    Sender,
    /// The registered addresses of those concerned.
    Registered,
}

/// Whether a verb asks or changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Effect {
    /// It reads and answers; nothing is different afterwards.
    Query,
    /// It may change something.
    Change,
}

/// What masking must know of a line, beside the place of userid and password.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Masking {
    /// Nothing: one password stands where [`VerbSpec::who`] says, none where it says nowhere.
    ByPlace,
    /// A second password follows the first.
    NewPassword,
    /// Addresses, which may be shown, follow userid and password.
    Addresses,
    /// A new userid and its password come first, then addresses.
    NewUser,
    /// No password belongs here, but `change password` without its first word reads like this: what follows the userid
    /// may be one.
    AfterUserid,
}

/// The description of one verb.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct VerbSpec {
    /// The verb described.
    pub verb: Verb,
    /// What stands in front of it.
    pub scope: Scope,
    /// Its word, or its two words (`change password`).
    pub words: &'static [&'static str],
    /// Other words for the same.
    pub synonyms: &'static [&'static str],
    /// Its forms, one each; `<game>` stands for the game's name.
    pub syntax: &'static [&'static str],
    /// What it does, in one line.
    pub meaning: &'static str,
    /// Where it wants userid and password.
    pub who: WhoAt,
    /// Who gets the answer.
    pub answer: AnswerTo,
    /// Whether it asks or changes.
    pub effect: Effect,
    /// What else of its line is to be shown or hidden.
    pub(crate) masking: Masking,
    /// An example with places for the reader's own names, see [`VerbSpec::example`].
    pub template: &'static str,
}

impl VerbSpec {
    /// Whether the verb acts in the name of a user.
    pub fn needs_password(&self) -> bool {
        self.who != WhoAt::Nowhere
    }

    /// The words of the verb as one text.
    pub fn name(&self) -> String {
        self.words.join(" ")
    }

    /// An example filled with what is known about the reader; the rest gets stand-ins.
    pub fn example(&self, context: &ExampleContext) -> String {
        let or = |known: &Option<String>, other: &str| known.clone().unwrap_or_else(|| other.to_owned());
        self.template
            .replace("{game}", &or(&context.game, "osbox"))
            .replace("{board}", &context.board.unwrap_or(101).to_string())
            .replace("{userid}", &or(&context.userid, "ann"))
            .replace("{opponent}", &or(&context.opponent, "bob"))
            .replace("{move}", &or(&context.legal_move, "f12"))
    }
}
