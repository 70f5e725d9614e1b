//! Mails as machines and mail programs send them, read from files and sent to addresses of a running server.

use std::path::Path;

use knotpost_transport::inbound::Receipt;

use super::{ADDRESS, Letter, TestApp};

/// A server with a game of ann and bob, and the addresses at which ann could write to it.
pub(crate) struct Correspondence {
    pub(crate) app: TestApp,
    /// The Reply-To of a board mail to ann: Osbox 4x4, her first move.
    pub(crate) reply: String,
    /// The Reply-To of a chat mail from bob to ann.
    pub(crate) chat: String,
    /// The return path of a mail to ann.
    pub(crate) path: String,
}

/// The outcome of a mail.
#[derive(Debug)]
pub(crate) struct CaseOutcome {
    /// The reply to its sender's server.
    pub(crate) receipt: String,
    /// The mails that left because of it.
    pub(crate) letters: Vec<Letter>,
    /// The moves on the board.
    pub(crate) moves: Vec<String>,
    /// Everything said on the board since, comments of moves included.
    pub(crate) said: Vec<String>,
    /// The failure counted against the address of ann: `hard`, `soft` or `none`.
    pub(crate) counted: String,
}

impl CaseOutcome {
    /// Returns true if no mail left, nobody moved, and nothing was said.
    pub(crate) fn is_quiet(&self) -> bool {
        self.letters.is_empty() && self.moves.is_empty() && self.said.is_empty()
    }
}

/// The text of a mail below `tests/fixtures`.
pub(crate) fn mail_fixture(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(name);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

impl Correspondence {
    /// ann and bob play board 101, ann is to move, and bob has said something.
    pub(crate) async fn start(place: super::Place) -> Self {
        let app = TestApp::with_players(place, &["ann", "bob"]).await;
        app.mail("bob@bob.example", "osbox challenge -size=4 ann bob", "").await;
        let board: Vec<_> = app.sent().into_iter().filter(|sent| sent.to == "ann@ann.example").collect();
        let board = board.last().expect("a board mail to ann");
        let (path, letter) = (board.from.clone().expect("a return path"), Letter::read(board));
        app.mail("bob@bob.example", "osbox chat 101 bob bob-secret", "good luck").await;
        let chat =
            app.letters().into_iter().find(|letter| letter.to == "ann@ann.example").expect("a chat mail");
        let reply_to = |letter: &Letter| letter.reply_to.clone().expect("a reply address");
        Self { reply: reply_to(&letter), chat: reply_to(&chat), path, app }
    }

    /// Sends a mail whose first line is `Return-Path:` and whose `To:` is one of `<REPLY>`, `<CHAT>`, `<RETURN>` and
    /// `<SERVER>`, and says what came of it.
    pub(crate) async fn send_case(&self, raw: &str) -> CaseOutcome {
        let app = &self.app;
        let places = [
            ("<REPLY>", self.reply.as_str()),
            ("<CHAT>", self.chat.as_str()),
            ("<RETURN>", self.path.as_str()),
            ("<SERVER>", ADDRESS),
        ];
        let named = raw.lines().find_map(|line| line.strip_prefix("To: ")).expect("a recipient");
        let place = places.into_iter().find(|(mark, _)| *mark == named);
        let (mark, to) = place.unwrap_or_else(|| panic!("{named} is no place"));
        let (path, rest) = raw.split_once('\n').expect("lines");
        let path = path
            .strip_prefix("Return-Path: <")
            .and_then(|path| path.strip_suffix('>'))
            .expect("a return path");
        let rest = rest.replacen(mark, to, 1).replace('\n', "\r\n");
        let path = Some(path).filter(|path| !path.is_empty());
        let receipt = match app.receive_at(path, &[to], rest.as_bytes()).await {
            Receipt::Stored { text } => text,
            other => format!("{other:?}"),
        };
        app.work().await;
        let board = app.get("/api/v1/boards/osbox/101").await.json();
        let texts = |list: &str, field: &str| -> Vec<String> {
            let list = board[list].as_array().cloned().unwrap_or_default();
            list.iter().filter_map(|entry| entry[field].as_str()).map(str::to_owned).collect()
        };
        let tables = app.tables().await;
        let said = tables.rows("remarks").iter().filter(|row| !row.contains("good luck")).cloned().collect();
        let bounces = tables.rows("bounces");
        let counted = ["hard", "soft"].into_iter().find(|kind| bounces.iter().any(|row| row.contains(kind)));
        CaseOutcome {
            receipt,
            letters: app.letters(),
            moves: texts("moves", "text"),
            said,
            counted: counted.unwrap_or("none").to_owned(),
        }
    }
}
