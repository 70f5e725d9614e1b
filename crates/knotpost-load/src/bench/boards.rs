//! Boards to play on, each with a game of its own, and the check that the moves were made and told.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use anyhow::ensure;
use knotpost_rules::Registry;
use serde_json::Value;

use super::drive::Way;
use crate::clients::{Next, together};
use crate::dice::Dice;
use crate::games::{WITHOUT_LUCK, draw_game};
use crate::http::Http;
use crate::people::{self, address, basic, command, make_key, password};
use crate::report::Report;
use crate::server::Endpoints;
use crate::sink::{Arrival, MARK};
use crate::smtp::{Client, Dialect, encode};

/// Moves made on a board at most.
pub(super) const MOVES: usize = 20;
/// Pairs of users.
const PAIRS: usize = 8;
/// The range of marks reserved for one board.
const MARKS: u64 = 100;
/// The address that commands are mailed to.
pub(super) const SERVER: &str = "pbmserv@localhost";

/// A user, with the header lines by which they are known to the API.
#[derive(Debug)]
pub(super) struct Player {
    pub(super) userid: String,
    pub(super) key: String,
    pub(super) basic: String,
}

/// A board of two users, and the moves to be made on it.
#[derive(Clone, Debug)]
pub(super) struct Game {
    pub(super) name: &'static str,
    pub(super) number: u64,
    serial: u64,
    pub(super) moves: Vec<String>,
    players: [Arc<Player>; 2],
}

/// The boards of a round.
pub(super) type Games = Arc<Vec<Game>>;

impl Game {
    /// The player of a move.
    pub(super) fn player(&self, made: usize) -> &Player {
        let [ann, bob] = &self.players;
        if made.is_multiple_of(2) { ann } else { bob }
    }

    /// The number by which a move is recognised.
    pub(super) fn mark(&self, made: usize) -> u64 {
        self.serial * MARKS + made as u64 + 1
    }

    fn last_mark(&self) -> u64 {
        self.serial * MARKS + self.moves.len() as u64
    }
}

/// The users of a server, and all boards so far.
pub(super) struct Boards {
    endpoints: Endpoints,
    registry: Registry,
    dice: Dice,
    players: Vec<Arc<Player>>,
    serials: u64,
    greetings: u64,
    /// The last mark of each board that was checked, and its players' addresses.
    told: Vec<(u64, [String; 2])>,
    checked: usize,
}

impl Boards {
    /// Signs up the users of a new server.
    pub(super) async fn new(endpoints: Endpoints, seed: u64) -> anyhow::Result<Self> {
        let userids: Vec<String> =
            (0..PAIRS).flat_map(|pair| [format!("ann{pair}"), format!("bob{pair}")]).collect();
        people::sign_up(endpoints.http, &userids).await?;
        let mut http = Http::connect(endpoints.http).await?;
        let mut players = Vec::new();
        for userid in userids {
            let key = make_key(&mut http, &userid, &["read", "play"], "").await?;
            let (key, basic) = (format!("Authorization: Bearer {key}\r\n"), basic(&userid));
            players.push(Arc::new(Player { userid, key, basic }));
        }
        let (registry, dice) = (knotpost_games::registry(), Dice::new(seed));
        Ok(Self {
            endpoints,
            registry,
            dice,
            players,
            serials: 0,
            greetings: 0,
            told: Vec::new(),
            checked: 0,
        })
    }

    /// New boards; the number of moves of each is drawn.
    pub(super) async fn begin(&mut self, count: usize, moves: Range<usize>) -> anyhow::Result<Games> {
        let mut wanted = Vec::new();
        for (pair, name) in self.players.chunks_exact(2).cycle().zip(WITHOUT_LUCK.iter().cycle()).take(count)
        {
            let [ann, bob] = pair else { continue };
            let length = moves.start + self.dice.below(moves.len() as u64) as usize;
            let moves = draw_game(&self.registry, name, length, &mut self.dice)?;
            let players = [Arc::clone(ann), Arc::clone(bob)];
            wanted.push(Game { name, number: 0, serial: self.serials, moves, players });
            self.serials += 1;
        }
        let (wanted, http) = (Arc::new(wanted), self.endpoints.http);
        let client = |next: Next| {
            let wanted = Arc::clone(&wanted);
            async move {
                let (mut begun, mut http) = (Vec::new(), Http::connect(http).await?);
                while let Some(game) = next.of(&wanted) {
                    let [ann, bob] = &game.players;
                    let line = format!("{} challenge {} {}", game.name, ann.userid, bob.userid);
                    let number = people::challenge(&mut http, &line).await?;
                    begun.push(Game { number, ..game.clone() });
                }
                Ok(begun)
            }
        };
        Ok(Arc::new(together(8, client).await?.into_iter().flatten().collect()))
    }

    /// Has the server check the passwords that a way needs, for where they will come from.
    pub(super) async fn show_passwords(&mut self, way: &Way) -> anyhow::Result<()> {
        let mut http = Http::connect(self.endpoints.http).await?;
        for player in &self.players {
            let line = format!("vacation {} {}", player.userid, password(&player.userid));
            match way {
                Way::Key => {}
                Way::Password => command(&mut http, &line).await.map(drop)?,
                Way::Smtp { .. } => {
                    self.greetings += 1;
                    let (from, number) = (address(&player.userid), self.greetings);
                    let mail = format!(
                        "From: {from}\nTo: {SERVER}\nSubject: {line}\nMessage-ID: <greeting-{number}@example.net>\n\n"
                    );
                    let mut client = Client::connect(self.endpoints.smtp, Dialect::Smtp).await?;
                    let reply = client.send(&from, SERVER, &encode(&mail)).await?;
                    ensure!(reply.is_success(), "{line}: {}", reply.text);
                    client.quit().await?;
                }
            }
        }
        Ok(())
    }

    /// Sets a preference of all users.
    pub(super) async fn set(&self, wish: &str) -> anyhow::Result<()> {
        let mut http = Http::connect(self.endpoints.http).await?;
        for Player { userid, .. } in self.players.iter().map(AsRef::as_ref) {
            command(&mut http, &format!("set {userid} {} {wish}", password(userid))).await?;
        }
        Ok(())
    }

    /// Checks that the move list of each board has every move, once and in order.
    pub(super) async fn check(&mut self, games: &[Game]) -> anyhow::Result<()> {
        let mut http = Http::connect(self.endpoints.http).await?;
        for game in games {
            let board = http.get(&format!("/api/v1/boards/{}/{}", game.name, game.number)).await?.json()?;
            let moves = board.get("moves").and_then(Value::as_array);
            let made: Vec<&str> = moves
                .into_iter()
                .flatten()
                .filter_map(|entry| entry.get("text").and_then(Value::as_str))
                .collect();
            ensure!(made == game.moves, "{} {}: {made:?}", game.name, game.number);
            self.checked += made.len();
            let [ann, bob] = &game.players;
            self.told.push((game.last_mark(), [address(&ann.userid), address(&bob.userid)]));
        }
        Ok(())
    }

    /// Checks that no player got two mails about a move, and that each got one about the last move of every board.
    pub(super) fn check_told(&self, arrivals: &[Arrival], report: &mut Report) {
        let mut told: BTreeMap<(u64, &str), usize> = BTreeMap::new();
        for arrival in arrivals {
            if let Some(mark) = arrival.marks.last() {
                *told.entry((*mark, &arrival.recipient)).or_default() += 1;
            }
        }
        for ((mark, address), mails) in told.iter().filter(|(_, mails)| **mails > 1) {
            report.broken(format!("{address} got {mails} mails about {mark}"));
        }
        for (mark, addresses) in &self.told {
            for address in addresses {
                report.expect(told.contains_key(&(*mark, address.as_str())), || {
                    format!("{address} got no mail about {MARK}{mark}, the last move of a board")
                });
            }
        }
        report.row("moves made, each once", self.checked);
        report.row("boards whose last mail reached both players", self.told.len());
    }
}
