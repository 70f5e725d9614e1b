//! Descriptions of verbs, used by parser, help, errors and masking.
//!
//! The verbs are in `verbs`, a file each.

use crate::error::ExampleContext;
use crate::verbs::Verb;

/// Description of a verb, for the help pages.
pub fn help(verb: Verb) -> &'static VerbSpec {
    verb.spec()
}

/// The addressee of a verb, in front of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Scope {
    /// The server; nothing in front.
    Server,
    /// A game, whose name precedes the verb.
    Game,
}

/// Position of userid and password among the arguments.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum WhoAt {
    /// No password needed.
    Nowhere,
    /// First.
    First,
    /// After the board or the game that comes first.
    AfterFirst,
    /// After a board that comes first, else first.
    Either,
}

/// Recipient of the answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum AnswerTo {
    /// The sender of the command.
    Sender,
    /// The registered addresses of the users concerned.
    Registered,
}

/// Query or change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Effect {
    /// Read-only.
    Query,
    /// May change something.
    Change,
}

/// Rules of masking, beside the position of userid and password.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Masking {
    /// One password at the position of [`VerbSpec::who`], or none.
    ByPlace,
    /// A second password follows the first.
    NewPassword,
    /// Addresses, which may be shown, follow userid and password.
    Addresses,
    /// A new userid and its password come first, then addresses.
    NewUser,
    /// Without a password, but `change password` lacking its first word reads like this: the words after the
    /// userid may be passwords.
    AfterUserid,
}

/// The description of one verb.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct VerbSpec {
    /// The verb described.
    pub verb: Verb,
    /// Its addressee.
    pub scope: Scope,
    /// Its word, or its two words (`change password`).
    pub words: &'static [&'static str],
    /// Synonyms.
    pub synonyms: &'static [&'static str],
    /// Its forms, one each; `<game>` stands for the game's name.
    pub syntax: &'static [&'static str],
    /// Effect, in one line.
    pub meaning: &'static str,
    /// Position of userid and password.
    pub who: WhoAt,
    /// Recipient of the answer.
    pub answer: AnswerTo,
    /// Query or change.
    pub effect: Effect,
    pub(crate) masking: Masking,
    /// An example with placeholders, see [`VerbSpec::example`].
    pub template: &'static str,
}

impl VerbSpec {
    /// True if the verb acts in the name of a user.
    pub fn needs_password(&self) -> bool {
        self.who != WhoAt::Nowhere
    }

    /// The words of the verb as one text.
    pub fn name(&self) -> String {
        self.words.join(" ")
    }

    /// An example filled with facts about the reader; placeholders for the rest.
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
