//! A club whose players enter, challenge, move, dawdle, resign, go on vacation, withdraw and leave as the dice say, on a
//! clock that runs fast, while administrators suspend some of them, and servers are cut off in the middle of their writes.
//!
//! A week by default, a quarter of a year in `./test --all`; on PostgreSQL, with two servers, a third of it with 60 players
//! at most. By hand `KNOTPOST_TEST_TOURNAMENT_DAYS` asks for more days,
//! `KNOTPOST_TEST_TOURNAMENT_PLAYERS` for more players, `KNOTPOST_TEST_SEED` for another course.

mod dice;
mod ladders;
mod leagues;
mod players;
mod post;
mod season;

use super::tell;

tell! {
    whatever_players_do_tournaments_go_on_to_their_tables,
}

mod stories {
    use super::season::{Course, Season};
    use crate::harness::Place;

    pub(super) async fn whatever_players_do_tournaments_go_on_to_their_tables(place: Place) {
        let course = Course::wanted(&place);
        let mut season = Season::open(place, &course).await;
        for step in 0..course.steps() {
            season.begin_tournaments().await;
            season.live(step).await;
        }
        season.finish(course.steps()).await;
    }
}
