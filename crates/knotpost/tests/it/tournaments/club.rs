//! A club that plays tournaments, and what is always true of them.

use std::collections::{BTreeMap, BTreeSet};

use knotpost_commands::{DirectorAction, GivenOption};
use knotpost_core::admin::UserEdit;
use knotpost_core::boards::{ServiceError, Standing};
use knotpost_core::config::Config;
use knotpost_core::queries::view_board;
use knotpost_core::tournaments::{
    Announcement, PairingSeat, PairingState, TournamentPairing, TournamentPlayer, TournamentView, announce,
    direct, enter, view, withdraw,
};
use knotpost_model::{
    BoardRef, PlayerState, TournamentForm, TournamentName, TournamentState, TournamentText,
};
use knotpost_storage::{UserRow, WriteTx};

use crate::harness::{Letter, Place, TestApp, edit_user};

pub(crate) const T1: TournamentName = TournamentName(1);

pub(crate) struct Club {
    pub(crate) app: TestApp,
}

async fn user(tx: &mut WriteTx, name: &str) -> Result<UserRow, ServiceError> {
    Ok(tx.find_user(name).await?.expect("a user"))
}

/// Message of a refusal, with its code.
pub(crate) fn refused<T: std::fmt::Debug>(outcome: Result<T, ServiceError>) -> String {
    match outcome.expect_err("it is refused") {
        ServiceError::Refused(refusal) => format!("{} {}", refusal.code.as_str(), refusal.message),
        ServiceError::Store(error) => panic!("{}", error.with_causes()),
    }
}

/// Options as they stand in a line: `-players=4 -closed`.
fn given(words: &str) -> Vec<GivenOption> {
    let option = |word: &str| {
        let word = word.trim_start_matches('-');
        let (name, value) = word.split_once('=').map_or((word, None), |(name, value)| (name, Some(value)));
        GivenOption { name: name.to_owned(), value: value.map(str::to_owned) }
    };
    words.split_whitespace().map(option).collect()
}

impl Club {
    /// Players who have signed up; `dir` is an administrator.
    pub(crate) async fn open(place: Place, players: &[&str]) -> Self {
        Self::open_with(place, players, |_| {}).await
    }

    pub(crate) async fn open_with(place: Place, players: &[&str], change: impl FnOnce(&mut Config)) -> Self {
        let app = TestApp::start_with(place, change).await;
        for name in ["dir"].iter().chain(players) {
            app.sign_up(name).await;
        }
        edit_user(&app.app, "dir", UserEdit::Role("admin")).await.unwrap();
        app.tick().await;
        Self { app }
    }

    pub(crate) async fn announce_by(
        &self,
        by: &str,
        form: &str,
        terms: &str,
    ) -> Result<TournamentView, ServiceError> {
        let (by, form, terms) = (by.to_owned(), form.to_owned(), given(terms));
        self.app
            .app
            .write(async move |tx, app| {
                let by = user(tx, &by).await?;
                let text = TournamentText::new("Winter cup", "For all.").expect("a text");
                let announcement = Announcement {
                    game: "osbox",
                    form: &form,
                    options: &given("-size=3"),
                    terms: &terms,
                    text: &text,
                };
                announce(tx, app, &by, announcement, app.clock.now()).await
            })
            .await
    }

    pub(crate) async fn announce(&self, terms: &str) -> TournamentName {
        self.announce_by("dir", "roundrobin", terms).await.expect("announced").line.name
    }

    pub(crate) async fn try_enter(
        &self,
        name: TournamentName,
        who: &str,
    ) -> Result<TournamentView, ServiceError> {
        let who = who.to_owned();
        self.app
            .app
            .write(async move |tx, app| {
                let who = user(tx, &who).await?;
                enter(tx, &app.config, &who, name, app.clock.now()).await
            })
            .await
    }

    pub(crate) async fn enter(&self, name: TournamentName, players: &[&str]) {
        for player in players {
            self.try_enter(name, player).await.expect("entered");
        }
    }

    pub(crate) async fn withdraw(
        &self,
        name: TournamentName,
        who: &str,
    ) -> Result<TournamentView, ServiceError> {
        let who = who.to_owned();
        self.app
            .app
            .write(async move |tx, app| {
                let who = user(tx, &who).await?;
                withdraw(tx, &who, name, app.clock.now()).await
            })
            .await
    }

    pub(crate) async fn direct(
        &self,
        by: &str,
        name: TournamentName,
        action: DirectorAction,
        text: &str,
    ) -> Result<TournamentView, ServiceError> {
        let (by, text) = (by.to_owned(), text.to_owned());
        self.app
            .app
            .write(async move |tx, app| {
                let by = user(tx, &by).await?;
                direct(tx, app, &by, name, &action, &text, app.clock.now()).await
            })
            .await
    }

    pub(crate) async fn view(&self, name: TournamentName) -> TournamentView {
        let mut tx = self.app.app.store.read().await.unwrap();
        view(&mut tx, name, None).await.expect("a tournament")
    }

    /// Starts a tournament of these players, and reads what they are mailed.
    pub(crate) async fn begin(&self, terms: &str, players: &[&str]) -> TournamentName {
        let name = self.announce(terms).await;
        self.enter(name, players).await;
        self.app.tick().await;
        self.check(name).await;
        self.app.letters();
        name
    }

    /// Plays a board to its end with the first moves there are.
    pub(crate) async fn play_out(&self, board: &BoardRef) {
        while self.play_one(board).await {}
    }

    /// Makes one move; false if the board is over then.
    pub(crate) async fn play_one(&self, name: &BoardRef) -> bool {
        let Some(userid) = self.mover(name).await else { return false };
        let board = view_board(&self.app.app, name, None).await.expect("a board").board;
        let play = board.position.example_move().expect("a move");
        let BoardRef { game, number } = name;
        let page = self.app.post(&format!("{game} move {number} {userid} {userid}-secret {play}"), "").await;
        assert_eq!(page.outcome(), "200 ok", "{play}: {}", page.text);
        self.mover(name).await.is_some()
    }

    /// The player to move; `None`: the board is over.
    pub(crate) async fn mover(&self, name: &BoardRef) -> Option<String> {
        let board = view_board(&self.app.app, name, None).await.expect("a board").board;
        let Standing::ToMove(seat) = board.standing() else { return None };
        Some(board.userid_at(i64::from(seat.number())).to_owned())
    }

    /// Resigns for a player on their turn; the other one moves before where it is theirs.
    pub(crate) async fn resign(&self, name: &BoardRef, who: &str) {
        if self.mover(name).await.as_deref() != Some(who) {
            self.play_one(name).await;
        }
        let BoardRef { game, number } = name;
        let page = self.app.post(&format!("{game} resign {number} {who} {who}-secret"), "").await;
        assert_eq!(page.outcome(), "200 ok", "{}", page.text);
    }

    /// The board of two players.
    pub(crate) async fn board_of(&self, name: TournamentName, one: &str, other: &str) -> BoardRef {
        let view = self.view(name).await;
        let meets = |userid: &str, seats: &[PairingSeat]| seats.iter().any(|seat| seat.userid == userid);
        let pairing = view
            .pairings
            .iter()
            .find(|pairing| meets(one, &pairing.seats) && meets(other, &pairing.seats))
            .expect("they meet");
        pairing.boards[0].clone()
    }

    pub(crate) async fn result_of(&self, name: &BoardRef) -> serde_json::Value {
        let BoardRef { game, number } = name;
        let board = self.app.get(&format!("/api/v1/boards/{game}/{number}")).await.json();
        serde_json::json!([
            board["state"],
            board["result"]["winners"],
            board["result"]["reason"],
            board["rated"]
        ])
    }

    /// Checks what is true of a tournament at any moment, and of all tables computed from its boards alone.
    pub(crate) async fn check(&self, name: TournamentName) {
        let view = self.view(name).await;
        let is_swiss = view.line.form == TournamentForm::Swiss;
        let mut points: BTreeMap<String, f64> = BTreeMap::new();
        for pairing in &view.pairings {
            let is_over = pairing.seats.iter().all(|seat| seat.points.is_some());
            assert_eq!(pairing.state == PairingState::Over, is_over, "{pairing:?}");
            if pairing.state == PairingState::Waiting {
                assert_eq!(pairing.boards, []);
            }
            let mut halves: BTreeMap<String, f64> = BTreeMap::new();
            for board in &pairing.boards {
                let shown = view_board(&self.app.app, board, None).await.expect("a board").board;
                let players: Vec<&str> = shown.seats.iter().map(|seat| seat.userid.as_str()).collect();
                for seat in &pairing.seats {
                    assert!(players.contains(&seat.userid.as_str()), "{board} {players:?}");
                }
                let Standing::Over(outcome) = shown.standing() else {
                    if view.line.state == TournamentState::Running {
                        assert!(!is_over, "{board} is played");
                    }
                    continue;
                };
                let winners = outcome.winners();
                for seat in &winners {
                    *halves.entry(shown.userid_at(i64::from(seat.number())).to_owned()).or_default() +=
                        1.0 / winners.len() as f64;
                }
            }
            if is_over && !pairing.boards.is_empty() {
                for seat in &pairing.seats {
                    let of_boards = halves.get(&seat.userid).copied().unwrap_or_default();
                    assert_eq!(seat.points, Some(of_boards), "{pairing:?}");
                }
            }
            // Of each player the last stage is shown; in those before it everybody who went on counts.
            let stage = |userid: &str| view.players.iter().find(|player| player.userid == userid);
            let counted = |userid: &str| {
                stage(userid).is_some_and(|player| {
                    player.round > Some(pairing.round)
                        || (player.counts && (is_swiss || player.round == Some(pairing.round)))
                })
            };
            if pairing.seats.iter().all(|seat| counted(&seat.userid)) {
                let is_last = |seat: &&PairingSeat| {
                    is_swiss || stage(&seat.userid).and_then(|player| player.round) == Some(pairing.round)
                };
                for seat in pairing.seats.iter().filter(is_last) {
                    *points.entry(seat.userid.clone()).or_default() += match pairing.boards[..] {
                        _ if is_swiss && is_over => swiss_points(pairing, seat),
                        _ if is_swiss => 0.0,
                        [] => seat.points.unwrap_or_default(),
                        // Of two boards one may be over.
                        _ => halves.get(&seat.userid).copied().unwrap_or_default(),
                    };
                }
            }
        }
        for player in view.players.iter().filter(|player| player.points.is_some()) {
            let own = points.get(&player.userid).copied().unwrap_or_default();
            assert_eq!(player.points, Some(own), "{player:?}");
        }
    }
}

/// Points of a pairing that is over: it is won with more points on its boards.
fn swiss_points(pairing: &TournamentPairing, seat: &PairingSeat) -> f64 {
    let own = seat.points.unwrap_or_default();
    match pairing.seats.iter().find(|other| other.userid != seat.userid).and_then(|other| other.points) {
        None => own,
        Some(other) if own > other => 1.0,
        Some(other) if own < other || own <= 0.0 => 0.0,
        Some(_) => 0.5,
    }
}

/// Nobody meets an opponent again, and everybody who is in has one place in each round.
pub(crate) fn check_swiss_pairings(view: &TournamentView) {
    let mut met = BTreeSet::new();
    let mut placed = BTreeSet::new();
    for pairing in &view.pairings {
        for seat in &pairing.seats {
            assert!(placed.insert((pairing.round, seat.userid.clone())), "{} twice in a round", seat.userid);
        }
        let mut names: Vec<&str> = pairing.seats.iter().map(|seat| seat.userid.as_str()).collect();
        names.sort_unstable();
        if let [one, other] = names[..] {
            assert!(
                pairing.seats.iter().any(|seat| seat.forfeit)
                    || met.insert((one.to_owned(), other.to_owned())),
                "{one} and {other} meet again"
            );
        }
        assert_eq!(pairing.bye, names.len() == 1);
    }
    for player in view.players.iter().filter(|player| player.state == PlayerState::In) {
        for round in 1..=view.line.round {
            assert!(placed.contains(&(round, player.userid.clone())), "{} in round {round}", player.userid);
        }
    }
}

/// Userid, place and points of the players, in order.
pub(crate) fn table(players: &[TournamentPlayer]) -> Vec<(String, Option<u32>, Option<f64>)> {
    players.iter().map(|player| (player.userid.clone(), player.place, player.points)).collect()
}

pub(crate) fn subjects(letters: &[Letter]) -> Vec<String> {
    let mut subjects: Vec<String> = letters
        .iter()
        .map(|letter| format!("{}: {}", letter.to.split('@').next().unwrap_or_default(), letter.subject))
        .collect();
    subjects.sort();
    subjects
}
