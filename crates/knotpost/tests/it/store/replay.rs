//! The stored moves are the truth: replayed, they lead to the stored position.

use std::sync::{Arc, LazyLock};

use knotpost_core::app::{App, Parts};
use knotpost_core::commands::execute;
use knotpost_core::config::Config;
use knotpost_core::identity::{Origin, Proof};
use knotpost_core::queries::view_board;
use knotpost_core::replies::Answer;
use knotpost_core::requests::Request;
use knotpost_model::{BoardRef, BoardState, Host, Millis};
use knotpost_platform::clock::{ManualClock, SystemEntropy};
use knotpost_program::thinker::BotThinker;
use knotpost_rules::Registry;
use knotpost_transport::outbound::MailComposer;

use super::Ground;

pub(super) static GAMES: LazyLock<Registry> =
    LazyLock::new(|| knotpost_games::registry_of(&["osbox", "osbo", "obsidio", "boxilies"]));

const CHALLENGES: [&str; 4] = [
    "osbox challenge -size=2 ann bob",
    "osbox challenge -size=3 -any_side -thin_knots ann bob eve",
    "osbox challenge -size=3 -no_capture ann bob",
    "osbox challenge -size=3 -score=dice ann ann",
];

pub(super) async fn command(app: &Arc<App>, line: String) -> Answer {
    let origin = Origin::http(Host::of([192, 0, 2, 1].into()), Proof::Password);
    execute(app, Request::of_line(line, "a comment", origin, &app.vocabulary)).await.unwrap()
}

pub(super) fn app(ground: &Ground) -> Arc<App> {
    let mut config = Config::default();
    ground.folder.path().clone_into(&mut config.server.data);
    config.limits.enabled = false;
    let composer = Arc::new(MailComposer::new(&config));
    let parts = Parts {
        composer,
        config,
        store: ground.store.clone(),
        registry: &GAMES,
        clock: Arc::new(ManualClock::at(Millis(1_000_000))),
        entropy: Arc::new(SystemEntropy::default()),
        thinker: Arc::new(BotThinker(knotpost_games::find_bot)),
    };
    Arc::new(App::new(parts).unwrap())
}

pub(super) async fn stored_moves_lead_to_the_stored_position(ground: &Ground) {
    let app = app(ground);
    for userid in ["ann", "bob", "eve"] {
        let answer = command(&app, format!("signup {userid} secret-1 {userid}@example.org")).await;
        assert!(answer.failure.is_none(), "{answer:?}");
    }
    for (number, challenge) in (101..).zip(CHALLENGES) {
        let answer = command(&app, challenge.to_owned()).await;
        assert!(answer.failure.is_none(), "{answer:?}");
        Box::pin(play_out(&app, number)).await;
    }
}

/// Plays legal moves picked by a fixed rule until the board is over, at most forty.
async fn play_out(app: &Arc<App>, number: u32) {
    let name = BoardRef { game: "osbox".to_owned(), number };
    let mut pick = number as usize;
    for ply in 0..40 {
        let view = view_board(app, &name, None).await.unwrap();
        let stored = app.store.read().await.unwrap().find_board("osbox", number).await.unwrap().unwrap();
        assert_eq!((stored.ply, view.board.entries.len()), (ply, ply as usize));
        assert_eq!(stored.position, view.board.position.position(), "osbox {number} after {ply}");
        assert_eq!(stored.scores, view.board.position.scores().to_string());
        let to_move: Vec<_> = view.board.seats.iter().filter(|seat| seat.to_move).collect();
        if stored.state == BoardState::Over {
            assert!(to_move.is_empty() && stored.winners.is_some() && stored.ended_at.is_some());
            return;
        }
        assert_eq!(to_move.len(), 1);
        let legal = view.board.position.legal_moves();
        pick = (pick * 31 + 7) % legal.len();
        let line = format!("osbox move {number} {} secret-1 {}", to_move[0].userid, legal[pick]);
        let answer = command(app, line).await;
        assert!(answer.failure.is_none(), "{answer:?}");
    }
}
