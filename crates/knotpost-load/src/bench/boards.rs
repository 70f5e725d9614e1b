//! Boards to play on, each with a game of its own.

use std::ops::Range;
use std::sync::Arc;

use knotpost_rules::Registry;

use super::drive::Way;
use crate::clients::{Next, together};
use crate::games::{WITHOUT_LUCK, draw_game};
use crate::http::Http;
use crate::people::{address, basic, challenge, command, make_key, password};
use crate::play::ledger::{self, Try, What};
use crate::play::post::SERVER;
use crate::sink::MARK;
use crate::smtp::{command_mail, hand_over};
use crate::trial::Trial;

/// Moves made on a board at most.
pub(super) const MOVES: usize = 20;

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
    pub(super) pair: usize,
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
}

/// The users of a server.
pub(super) struct Boards {
    registry: Registry,
    pairs: Vec<[Arc<Player>; 2]>,
}

impl Boards {
    /// Makes a key for every user.
    pub(super) async fn new(trial: &Trial) -> anyhow::Result<Self> {
        let (mut http, mut pairs) = (Http::connect(trial.http()?).await?, Vec::new());
        for pair in &trial.pairs {
            let mut players = Vec::new();
            for userid in &pair.userids {
                let key = make_key(&mut http, userid, &["read", "play"], "").await?;
                let key = format!("Authorization: Bearer {key}\r\n");
                players.push(Arc::new(Player { userid: userid.clone(), key, basic: basic(userid) }));
            }
            pairs.extend(<[_; 2]>::try_from(players));
        }
        Ok(Self { registry: knotpost_games::registry(), pairs })
    }

    fn players(&self) -> impl Iterator<Item = &Arc<Player>> {
        self.pairs.iter().flatten()
    }

    /// New boards; the number of moves of each is drawn.
    pub(super) async fn begin(
        &self,
        trial: &mut Trial,
        count: usize,
        moves: Range<usize>,
    ) -> anyhow::Result<Games> {
        let mut wanted = Vec::new();
        let pairs = self.pairs.iter().enumerate().cycle();
        for ((pair, players), name) in pairs.zip(WITHOUT_LUCK.into_iter().cycle()).take(count) {
            let length = trial.dice.usize(moves.clone());
            let moves = draw_game(&self.registry, name, length, &mut trial.dice)?;
            wanted.push(Game { name, number: 0, pair, moves, players: players.clone() });
        }
        let (wanted, http) = (Arc::new(wanted), trial.http()?);
        let client = |next: Next| {
            let (wanted, post) = (Arc::clone(&wanted), Arc::clone(&trial.post));
            async move {
                let (mut begun, mut http) = (Vec::new(), Http::connect(http).await?);
                while let Some(game) = next.of(&wanted) {
                    let what = What::Challenge { game: game.name, pair: game.pair, board: 0 };
                    let [ann, bob] = &game.players;
                    let serial = post.ledger.enter(what, ledger::Way::Api, &address(&ann.userid));
                    let line = format!("{} challenge {} {}", game.name, ann.userid, bob.userid);
                    let number = challenge(&mut http, &line, &format!("{MARK}{serial}.")).await?;
                    post.ledger.found(serial, number);
                    post.ledger.tried(serial, Try::Taken);
                    begun.push(Game { number, ..game.clone() });
                }
                Ok(begun)
            }
        };
        Ok(Arc::new(together(8, client).await?.into_iter().flatten().collect()))
    }

    /// Has the server check the passwords that a way needs, for where they will come from.
    pub(super) async fn show_passwords(&self, trial: &mut Trial, way: &Way) -> anyhow::Result<()> {
        let mut http = Http::connect(trial.http()?).await?;
        for Player { userid, .. } in self.players().map(AsRef::as_ref) {
            let line = format!("vacation {userid} {}", password(userid));
            match way {
                Way::Key => {}
                Way::Password => command(&mut http, &line).await.map(drop)?,
                Way::Smtp { .. } => {
                    let (from, greeting) = (address(userid), format!("greeting-{}", trial.dice.u64(..)));
                    let mail = command_mail(&from, SERVER, &line, &greeting);
                    hand_over(trial.fleet.endpoints()?.smtp, &from, SERVER, &mail).await?;
                }
            }
        }
        Ok(())
    }

    /// Sets a preference of all users.
    pub(super) async fn set(&self, trial: &Trial, wish: &str) -> anyhow::Result<()> {
        let mut http = Http::connect(trial.http()?).await?;
        for Player { userid, .. } in self.players().map(AsRef::as_ref) {
            command(&mut http, &format!("set {userid} {} {wish}", password(userid))).await?;
        }
        Ok(())
    }
}
