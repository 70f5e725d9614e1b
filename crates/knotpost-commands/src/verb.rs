//! The verbs: one table that the parser, the help and the error texts all read.
//!
//! The table knows the words and shapes of commands; how each one's arguments are read is in `verbs`.

use crate::error::ExampleContext;
use crate::verbs::table::spec_of;

/// A verb of the command language.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[expect(missing_docs, reason = "each verb is described in the table, see `VerbSpec::meaning`")]
pub enum Verb {
    Help,
    Signup,
    Add,
    ChangePassword,
    ChangeAddress,
    Signoff,
    Delete,
    List,
    Message,
    Broadcast,
    Multiple,
    AllShow,
    AllGames,
    PasswordReset,
    Vacation,
    Set,
    TestDisplay,
    Resend,
    GameHelp,
    Challenge,
    Move,
    Queue,
    Swap,
    Resign,
    Chat,
    Submit,
    Confirm,
    Preview,
    Accept,
    Reject,
    Limit,
    Seek,
    Subscribe,
    Unsubscribe,
    Notify,
    GameSet,
    Show,
    ShowAs,
    Games,
    Standings,
    History,
    Export,
}

const ALL: [Verb; 42] = [
    Verb::Help,
    Verb::Signup,
    Verb::Add,
    Verb::ChangePassword,
    Verb::ChangeAddress,
    Verb::Signoff,
    Verb::Delete,
    Verb::List,
    Verb::Message,
    Verb::Broadcast,
    Verb::Multiple,
    Verb::AllShow,
    Verb::AllGames,
    Verb::PasswordReset,
    Verb::Vacation,
    Verb::Set,
    Verb::TestDisplay,
    Verb::Resend,
    Verb::GameHelp,
    Verb::Challenge,
    Verb::Move,
    Verb::Queue,
    Verb::Swap,
    Verb::Resign,
    Verb::Chat,
    Verb::Submit,
    Verb::Confirm,
    Verb::Preview,
    Verb::Accept,
    Verb::Reject,
    Verb::Limit,
    Verb::Seek,
    Verb::Subscribe,
    Verb::Unsubscribe,
    Verb::Notify,
    Verb::GameSet,
    Verb::Show,
    Verb::ShowAs,
    Verb::Games,
    Verb::Standings,
    Verb::History,
    Verb::Export,
];

impl Verb {
    /// Every verb, server verbs first, in the order of the help.
    pub fn all() -> &'static [Self] {
        &ALL
    }

    /// What there is to know about the verb.
    pub fn spec(self) -> &'static VerbSpec {
        spec_of(self)
    }
}

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
    /// An example with places for the reader's own names, see [`VerbSpec::example`].
    pub template: &'static str,
}

impl VerbSpec {
    /// Whether the verb acts in somebody's name.
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
