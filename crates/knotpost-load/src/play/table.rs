//! Two players of one game: they challenge each other, mail move after move, and begin again when a board is over. In
//! between they send queries and make mistakes.

use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use knotpost_rules::Registry;
use serde_json::Value;
use tokio::time::sleep;

use super::budget::Budget;
use super::ledger::{Habit, Way, What};
use super::post::Post;
use super::{forwarded_for_look, number, text};
use crate::dice::{Dice, draw};
use crate::games::{Chosen, ILLEGAL, choose};
use crate::http::Http;
use crate::people::{address, password};
use crate::server::Patience;

/// The games that are played, and how they are challenged.
pub(crate) const GAMES: [(&str, &str); 4] =
    [("osbox", "-size=4"), ("obsidio", ""), ("osbo", ""), ("boxilies", "")];

/// The longest wait for what was accepted: the lease of a killed server, with a margin.
const LONGEST: Duration = Duration::from_mins(30);

/// Two players.
#[derive(Clone, Debug)]
pub(crate) struct Pair {
    pub(crate) number: usize,
    pub(crate) userids: [String; 2],
}

impl Pair {
    pub(crate) fn new(number: usize) -> Self {
        Self { number, userids: [format!("ann{number}"), format!("bob{number}")] }
    }
}

/// A game, how it is challenged, and who plays it.
pub(crate) type Seat = ((&'static str, &'static str), Pair);

/// The seats at the given number of boards, and their pairs: each pair plays every game once at a time, or has one board where users
/// are limited.
pub(crate) fn seat(boards: usize, apart: bool) -> (Vec<Pair>, Vec<Seat>) {
    let games = if apart { 1 } else { GAMES.len() };
    let pairs: Vec<Pair> = (0..boards.div_ceil(games)).map(Pair::new).collect();
    let seats = GAMES.into_iter().cycle().zip(pairs.iter().flat_map(|pair| vec![pair.clone(); games]));
    let seats = seats.take(boards).collect();
    (pairs, seats)
}

/// One board after the other of one game between two players.
pub(crate) struct Table {
    game: &'static str,
    options: &'static str,
    pair: Pair,
    post: Arc<Post>,
    habit: Habit,
    registry: Arc<Registry>,
    dice: Dice,
    http: Option<Http>,
    strangers: u32,
    looks: u64,
}

impl Table {
    pub(crate) fn new(
        ((game, options), pair): Seat,
        (post, habit): (Arc<Post>, Habit),
        registry: Arc<Registry>,
        dice: Dice,
    ) -> Self {
        Self { game, options, pair, post, habit, registry, dice, http: None, strangers: 0, looks: 0 }
    }

    /// Plays until the budget of moves, shared with the other tables, is used up.
    pub(crate) async fn play(mut self, budget: Arc<Budget>) -> anyhow::Result<()> {
        let mut board = self.begin(&budget).await?;
        while budget.draw() {
            if text(&board, "state") != "active" {
                board = self.begin(&budget).await?;
            }
            let chosen = choose(&self.registry, &board, &mut self.dice)?;
            match self.dice.u8(..20) {
                0 if budget.may_ask() => self.ask(&board).await?,
                1 | 2 if budget.may_err() => self.err(&board, &chosen).await?,
                _ => {}
            }
            board = self.make(&board, chosen).await?;
        }
        Ok(())
    }

    /// A new board, by a challenge.
    async fn begin(&mut self, budget: &Budget) -> anyhow::Result<Value> {
        let [ann, bob] = self.pair.userids.clone();
        let way = match draw(&mut self.dice, self.habit)? {
            Way::Api => Way::Api,
            mailed if budget.may_ask() => mailed,
            _ => Way::Api,
        };
        let what = What::Challenge { game: self.game, pair: self.pair.number, board: 0 };
        let serial = self.post.ledger.enter(what, way, &address(&ann));
        let subject = format!("{} challenge {ann} {bob} {}", self.game, self.options);
        self.post.mail(serial, way, &address(&ann), subject.trim()).await?;
        let path = format!("/api/v1/boards?game={}&user={ann}&state=active", self.game);
        let mut patience = Patience::growing(LONGEST);
        loop {
            let list = self.get(&path).await;
            if let Some(board) = list.get("boards").and_then(|boards| boards.get(0)) {
                let number = number(board, "number");
                self.post.ledger.found(serial, number);
                return Ok(self.board(number).await);
            }
            patience.wait("a challenge leads to no board").await?;
        }
    }

    /// Mails a move and waits until it is made.
    async fn make(&mut self, board: &Value, chosen: Chosen) -> anyhow::Result<Value> {
        let userid = mover(board)?;
        let (at, next) = (number(board, "number"), number(board, "ply") + 1);
        let way = draw(&mut self.dice, self.habit)?;
        let what = What::Move {
            game: self.game,
            pair: self.pair.number,
            board: at,
            number: next,
            userid: userid.clone(),
            text: chosen.text,
        };
        let serial = self.post.ledger.enter(what, way, &address(&userid));
        let subject =
            format!("{} move {at} {userid} {} {}#{next}", self.game, password(&userid), chosen.word);
        self.post.mail(serial, way, &address(&userid), &subject).await?;
        let mut patience = Patience::growing(LONGEST);
        loop {
            let now = self.board(at).await;
            if number(&now, "ply") >= next {
                return Ok(now);
            }
            patience.wait("a move is not made").await?;
        }
    }

    /// Queries the board, from an address of its own.
    async fn ask(&mut self, board: &Value) -> anyhow::Result<()> {
        let from = self.stranger("reader");
        let way = self.draw_mail()?;
        let serial = self.post.ledger.enter(What::Question, way, &from);
        self.post.mail(serial, way, &from, &format!("{} show {}", self.game, number(board, "number"))).await
    }

    /// Mails a move that cannot be made: of a wrong number, of the wrong player, or none at all.
    async fn err(&mut self, board: &Value, chosen: &Chosen) -> anyhow::Result<()> {
        let from = self.stranger("mistaken");
        let mover = mover(board)?;
        let other = self.pair.userids.iter().find(|userid| **userid != mover).cloned().unwrap_or_default();
        let (userid, word) = match self.dice.u8(..3) {
            0 => (&mover, format!("{}#999", chosen.word)),
            1 => (&other, chosen.word.clone()),
            _ => (&mover, ILLEGAL.to_owned()),
        };
        let way = self.draw_mail()?;
        let serial = self.post.ledger.enter(What::Refused, way, &from);
        let at = number(board, "number");
        let subject = format!("{} move {at} {userid} {} {word}", self.game, password(userid));
        self.post.mail(serial, way, &from, &subject).await
    }

    /// A new address: the answers to one address are limited.
    fn stranger(&mut self, name: &str) -> String {
        self.strangers += 1;
        format!("{name}-{}-{}-{}@example.com", self.game, self.pair.number, self.strangers)
    }

    /// A way in whose answer is a mail.
    fn draw_mail(&mut self) -> anyhow::Result<Way> {
        Ok(match draw(&mut self.dice, self.habit)? {
            Way::Api => Way::Smtp,
            way => way,
        })
    }

    async fn board(&mut self, number: u64) -> Value {
        self.get(&format!("/api/v1/boards/{}/{number}", self.game)).await
    }

    /// Waits for a server and returns its API response.
    async fn get(&mut self, path: &str) -> Value {
        loop {
            if let Some(json) = self.try_get(path).await {
                return json;
            }
            self.http = None;
            sleep(Duration::from_millis(20)).await;
        }
    }

    async fn try_get(&mut self, path: &str) -> Option<Value> {
        self.looks += 1;
        let who = forwarded_for_look(&format!("{} {}", self.game, self.pair.number), self.looks);
        let http = match &mut self.http {
            Some(http) => http,
            none => none.insert(Http::connect(self.post.endpoints().ok()?.http).await.ok()?),
        };
        let response = http.get_with(path, &who).await.ok()?;
        (response.status == 200).then(|| response.json().ok()).flatten()
    }
}

fn mover(board: &Value) -> anyhow::Result<String> {
    let first = board.get("to_move").and_then(|list| list.get(0)).and_then(Value::as_str);
    Ok(first.with_context(|| format!("nobody is to move: {board}"))?.to_owned())
}
