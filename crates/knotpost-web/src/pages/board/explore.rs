//! A line of moves from any position of a board, on both sides, without touching the board. The address holds the
//! moves, so that the line can be shared.

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use knotpost_rules::{Ability, Seed};
use minijinja::{Value, context};

use super::Seen;
use super::queueing::{Plan, queue_facts};
use crate::Web;
use crate::error::Failure;
use crate::extract::{PagePath, PageQuery, board_name};
use crate::pages::join;
use crate::pages::practice::{Line, Look, MOST_MOVES, Origin, unlisted};
use crate::session::{LoggedIn, no_store};
use knotpost_core::queries::view_playable_board;
use knotpost_model::{BoardRef, BoardState};

pub(in crate::pages) async fn show(
    State(web): State<Web>,
    visitor: Option<LoggedIn>,
    PagePath((game, number)): PagePath<(String, String)>,
    PageQuery(look): PageQuery<Look>,
) -> Result<Response, Failure> {
    let visitor = visitor.as_deref();
    let name = board_name(&game, &number)?;
    let (view, around) = view_playable_board(&web.app, &name, look.ply, visitor).await?;
    let board_look = super::Look::default();
    let seen = Seen { view: &view, visitor, look: &board_look, around: &around };
    let facts = seen.explore(&look);
    Ok(unlisted(no_store(web.pages.page_for(visitor, StatusCode::OK, "explore.html", facts))))
}

/// Follows from public facts, so that it reveals nothing of the board's own chance.
fn seed(name: &BoardRef, ply: usize, deal: u8) -> Seed {
    let mut seed = *b"a line of moves to be explored..";
    let known = [name.number.to_be_bytes().as_slice(), &(ply as u64).to_be_bytes(), &[deal]].concat();
    for (place, byte) in seed.iter_mut().zip(known) {
        *place = byte;
    }
    Seed(seed)
}

impl Seen<'_> {
    fn explore(&self, look: &Look) -> Value {
        let (board, summary) = (&self.view.board, &self.view.summary);
        let meta = board.game.meta();
        let ply = board.entries.len();
        let mut position = board.position.clone_box();
        position.reseed(&seed(&board.name(), ply, look.deal));
        let here = format!("/boards/{}/{}", summary.game, summary.number);
        let path = format!("{here}/explore");
        let mut kept = vec![("ply", ply.to_string())];
        kept.extend((look.deal > 0).then(|| ("deal", look.deal.to_string())));
        let players: Vec<String> = summary.players().map(str::to_owned).collect();
        let sides = meta.seat_names(players.len());
        let rolls = meta.abilities.has(Ability::Dice) && !meta.abilities.has(Ability::Deal);
        let origin = Origin { path: path.clone(), kept, most: MOST_MOVES, players, sides };
        let mut line = Line::begin(origin, position);
        line.play_all(&look.moves);
        let title = format!("{} board {}, a line to explore", board.title(), summary.number);
        let is_present = ply as i64 == summary.last_ply;
        let is_now = is_present && summary.state == BoardState::Active && summary.paused.is_none();
        let me = self.visitor.map(|visitor| visitor.userid.as_str());
        let own = me.filter(|me| is_now && summary.players().filter(|player| player == me).count() == 1);
        let plan = own.map(|me| Plan::read(&line, me));
        let step = |ply: usize| format!("{path}?ply={ply}");
        let own = context! {
            title => board.title(),
            number => summary.number,
            back_to => if is_present { format!("{here}#board") } else { format!("{here}?ply={ply}#board") },
            another => rolls.then(|| format!("{path}?ply={ply}&deal={}", look.deal.wrapping_add(1))),
            before => ply.checked_sub(1).map(step),
            after => (!is_present).then(|| step(ply + 1)),
            plan => plan.map(|plan| plan.facts(is_own_turn(self, me), board.seats.len())),
            queue => queue_facts(&self.around.queue),
            last => summary.last_ply,
            board_page => here,
            ply, rolls, is_present,
        };
        join([own, line.facts(&title, look)])
    }
}

fn is_own_turn(seen: &Seen<'_>, me: Option<&str>) -> bool {
    seen.next_seat().is_some_and(|seat| Some(seen.view.board.userid_at(seat)) == me)
}

#[cfg(test)]
mod tests {
    use super::*;
    use knotpost_rules::{Position, Turn};

    fn next_roll(start: &dyn Position, explored: Option<Seed>) -> Option<String> {
        let mut position = start.clone_box();
        if let Some(seed) = explored {
            position.reseed(&seed);
        }
        assert_eq!(position.roll(), start.roll(), "what is rolled stays");
        let play = position.example_move().unwrap();
        position.play(Turn::Move(&play)).unwrap();
        position.roll()
    }

    #[test]
    fn the_dice_of_a_line_say_nothing_about_those_of_the_board() {
        let registry = knotpost_games::registry();
        let game = registry.find("osbo").unwrap();
        let options = game.parse_options(&[], 2).unwrap();
        let name = BoardRef { game: "osbo".to_owned(), number: 101 };
        let starts = [1, 2].map(|byte| game.setup(&options, 2, &Seed([byte; 32])));
        let [one, other] = &starts;
        assert_ne!(next_roll(&**one, None), next_roll(&**other, None), "the boards have dice of their own");
        let explored = starts.each_ref().map(|start| next_roll(&**start, Some(seed(&name, 0, 0))));
        assert_eq!(explored[0], explored[1], "whatever the seed of the board");
        assert_ne!(explored[0], next_roll(&**one, Some(seed(&name, 0, 1))), "there are others to try");
        assert_ne!(seed(&name, 0, 0).0, seed(&name, 1, 0).0);
    }
}
