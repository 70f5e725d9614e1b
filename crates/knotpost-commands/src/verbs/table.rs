//! The table of verbs: words, forms, meanings, examples. Data only.

use crate::verb::{AnswerTo, Scope, Verb, VerbSpec, WhoAt};
use AnswerTo::{Registered, Sender};
use WhoAt::{AfterBoard, Either, First, Nowhere};

/// One row of the table, its words before its texts.
struct Row {
    scope: Scope,
    words: &'static [&'static str],
    synonyms: &'static [&'static str],
    who: WhoAt,
    answer: AnswerTo,
    meaning: &'static str,
    syntax: &'static [&'static str],
    template: &'static str,
}

const fn server(words: &'static [&'static str], who: WhoAt, answer: AnswerTo) -> Row {
    Row { scope: Scope::Server, words, synonyms: &[], who, answer, meaning: "", syntax: &[], template: "" }
}

const fn game(words: &'static [&'static str], who: WhoAt, answer: AnswerTo) -> Row {
    Row { scope: Scope::Game, ..server(words, who, answer) }
}

impl Row {
    const fn or(self, synonyms: &'static [&'static str]) -> Self {
        Self { synonyms, ..self }
    }

    const fn means(
        self,
        meaning: &'static str,
        syntax: &'static [&'static str],
        template: &'static str,
    ) -> Self {
        Self { meaning, syntax, template, ..self }
    }

    const fn of(self, verb: Verb) -> VerbSpec {
        VerbSpec {
            verb,
            scope: self.scope,
            words: self.words,
            synonyms: self.synonyms,
            syntax: self.syntax,
            meaning: self.meaning,
            who: self.who,
            answer: self.answer,
            template: self.template,
        }
    }
}

macro_rules! table {
    ($($verb:ident = $row:expr;)*) => {
        /// The row of a verb.
        pub(crate) fn spec_of(verb: Verb) -> &'static VerbSpec {
            match verb {
                $(Verb::$verb => { const SPEC: VerbSpec = $row.of(Verb::$verb); &SPEC })*
            }
        }
    };
}

table! {
    Help = server(&["help"], Nowhere, Sender).means(
        "send help pages: an overview, or one page for each subject (a topic, a game or a command)",
        &["help [subject ...]"], "help tutorial");
    Signup = server(&["signup"], Nowhere, Registered).means(
        "become a user; without an address it is the one you write from",
        &["signup userid password [address ...]"], "signup fsmith password");
    Add = server(&["add"], First, Registered).means(
        "have your mail sent to further addresses too",
        &["add userid password [address ...]"], "add {userid} password {userid}@example.org");
    ChangePassword = server(&["change", "password"], First, Registered).means(
        "choose another password",
        &["change password userid current new"], "change password {userid} password newpassword");
    ChangeAddress = server(&["change", "address"], First, Registered).means(
        "have your mail sent to these addresses instead of the present ones",
        &["change address userid password [address ...]"],
        "change address {userid} password {userid}@example.org");
    Signoff = server(&["signoff"], First, Registered).means(
        "have no more mail sent to some of your addresses",
        &["signoff userid password [address ...]"], "signoff {userid} password {userid}@example.org");
    Delete = server(&["delete"], First, Registered).means(
        "leave the server: resign every board and forget addresses and password",
        &["delete userid password"], "delete {userid} password");
    List = server(&["list"], Nowhere, Sender).means(
        "list the games of the server, or the boards of some games",
        &["list [game ...]"], "list {game}");
    Message = server(&["message"], First, Registered).means(
        "pass the text of the mail on to other users without showing anybody's address",
        &["message userid password touserid ..."], "message {userid} password {opponent}");
    Broadcast = server(&["broadcast"], First, Registered).means(
        "pass the text of the mail on to every user who takes broadcasts",
        &["broadcast userid password"], "broadcast {userid} password");
    Multiple = server(&["multiple"], Nowhere, Sender).means(
        "carry out the commands in the text of the mail, one a line",
        &["multiple"], "multiple");
    AllShow = server(&["all", "show"], Nowhere, Sender).means(
        "show the boards of users in all games",
        &["all show userid ... [all|active|inactive|next|tournament|standard]"],
        "all show {userid} next");
    AllGames = server(&["all", "games"], Nowhere, Sender).means(
        "list the boards of users in all games",
        &["all games userid ... [all|active|inactive|next]"], "all games {userid} active");
    PasswordReset = server(&["password"], Nowhere, Registered).means(
        "forgotten your password? have a way to choose another one sent to your addresses",
        &["password userid"], "password {userid}");
    Vacation = server(&["vacation"], First, Registered).means(
        "take time off, in days or until a date; nobody reminds you meanwhile. Nothing more: show it",
        &["vacation userid password [days|YYYY-MM-DD|off]"], "vacation {userid} password 14");
    Set = server(&["set"], First, Registered).means(
        "change your preferences, or show them",
        &["set userid password [name=value ...]"], "set {userid} password mail=text");
    TestDisplay = server(&["test", "display"], Nowhere, Sender).means(
        "send a sample board in every format, to find out which your mail program shows best",
        &["test display [userid]"], "test display {userid}");
    Resend = server(&["resend"], First, Registered).means(
        "send the boards that wait for you again",
        &["resend userid password [game [board]]"], "resend {userid} password {game} {board}");
    GameHelp = game(&["help"], Nowhere, Sender).means(
        "send the page of the game: rules, options, how moves are written",
        &["<game> help"], "{game} help");
    Challenge = game(&["challenge"], Nowhere, Registered).means(
        "start a board with these players, in the order of their turns",
        &["<game> challenge userid ... [options]"], "{game} challenge {userid} {opponent}");
    Move = game(&["move"], AfterBoard, Registered).or(&["board", "mvoe"]).means(
        "make a move; with #n only if it will be move number n",
        &["<game> move board userid password move[#n]",
          "<game> move board userid password pass|swap|propose|undo|accept|reject|resign"],
        "{game} move {board} {userid} password {move}");
    Queue = game(&["queue"], AfterBoard, Registered).or(&["qmove", "moveq", "qboard", "boardq"]).means(
        "keep moves and play one whenever it is your turn; if: makes the next one depend on a reply",
        &["<game> queue board userid password move[#n] [[if:reply] move ...]"],
        "{game} queue {board} {userid} password {move}");
    Swap = game(&["swap"], AfterBoard, Registered).means(
        "change sides, where the game has it",
        &["<game> swap board userid password"], "{game} swap {board} {userid} password");
    Resign = game(&["resign"], AfterBoard, Registered).means(
        "give up, or decline a board that has just begun",
        &["<game> resign board userid password"], "{game} resign {board} {userid} password");
    Chat = game(&["chat"], AfterBoard, Registered).means(
        "pass the text of the mail on to the players and subscribers of a board",
        &["<game> chat board userid password"], "{game} chat {board} {userid} password");
    Submit = game(&["submit"], AfterBoard, Registered).means(
        "have the board after a move sent to you alone; confirm plays the move",
        &["<game> submit board userid password move[#n]"],
        "{game} submit {board} {userid} password {move}");
    Confirm = game(&["confirm"], AfterBoard, Registered).means(
        "play the move that was submitted",
        &["<game> confirm board userid password"], "{game} confirm {board} {userid} password");
    Preview = game(&["preview"], Nowhere, Sender).means(
        "show what a board would look like after some moves; nothing is played",
        &["<game> preview board[#n] move ...", "<game> preview new players [move ...] [options]"],
        "{game} preview {board} {move}");
    Accept = game(&["accept"], First, Registered).means(
        "take challenges of this game again",
        &["<game> accept userid password"], "{game} accept {userid} password");
    Reject = game(&["reject"], First, Registered).means(
        "refuse all challenges of this game",
        &["<game> reject userid password"], "{game} reject {userid} password");
    Limit = game(&["limit"], First, Registered).means(
        "play at most n boards of this game at a time; without a number: show it",
        &["<game> limit userid password [n|none]"], "{game} limit {userid} password 5");
    Seek = game(&["seek"], First, Registered).means(
        "say that you want n more boards; 0 takes it back; without a number: show it",
        &["<game> seek userid password [n|0] [options]"], "{game} seek {userid} password 2");
    Subscribe = game(&["subscribe"], Either, Registered).or(&["sub"]).means(
        "watch boards: get their mail without playing",
        &["<game> subscribe board userid password", "<game> subscribe userid password board ...|all"],
        "{game} subscribe {board} {userid} password");
    Unsubscribe = game(&["unsubscribe"], Either, Registered).or(&["unsub"]).means(
        "watch boards no longer",
        &["<game> unsubscribe board userid password", "<game> unsubscribe userid password board ...|all"],
        "{game} unsubscribe {board} {userid} password");
    Notify = game(&["notify"], First, Registered).means(
        "get a mail when boards end; named boards, or switch it for all",
        &["<game> notify userid password [board ...]"], "{game} notify {userid} password {board}");
    GameSet = game(&["set"], First, Registered).means(
        "change your preferences for this game alone, or show them",
        &["<game> set userid password [name=value ...]"], "{game} set {userid} password moves=mine");
    Show = game(&["show"], Nowhere, Sender).means(
        "show boards with all their moves: some by number, or those of users",
        &["<game> show board[#n] ...",
          "<game> show userid ... [all|active|inactive|next|tournament|standard]"],
        "{game} show {board}");
    ShowAs = game(&["showas"], First, Sender).means(
        "show boards the way you see them, with your queued moves",
        &["<game> showas userid password [board[#n] ...|all|active|inactive|next|tournament|standard]"],
        "{game} showas {userid} password {board}");
    Games = game(&["games"], Nowhere, Sender).means(
        "list boards in a table, of everybody or of some users",
        &["<game> games [userid ...] [all|active|inactive|next]"], "{game} games {userid} active");
    Standings = game(&["standings"], Nowhere, Sender).or(&["ratings"]).means(
        "list the ratings of the players",
        &["<game> standings"], "{game} standings");
    History = game(&["history"], Nowhere, Sender).means(
        "list finished boards, of everybody or of some users",
        &["<game> history [userid ...]"], "{game} history {userid}");
    Export = game(&["export"], Nowhere, Sender).means(
        "send the record of a board as text",
        &["<game> export board[#n]"], "{game} export {board}");
}
