//! Moves put together from the steps of a game: all of them, or one by chance.

use crate::game::Game;
use std::ops::ControlFlow;

/// Calls `visit` with every legal move that begins like this.
pub(crate) fn visit_from<G: Game>(
    game: &G,
    begun: Option<&G::Move>,
    visit: &mut dyn FnMut(G::Move) -> ControlFlow<()>,
) -> ControlFlow<()> {
    let mut flow = ControlFlow::Continue(());
    let follow = &mut |step| {
        let mv = G::join(begun, step);
        if game.is_complete(&mv) {
            flow = visit(mv.clone());
        }
        if flow.is_continue() {
            flow = visit_from(game, Some(&mv), visit);
        }
        flow
    };
    // A beginning of no move has no moves.
    let _ = game.each_step(begun, follow);
    flow
}

/// A move whose steps are each drawn from those that are possible; to stop at a complete move is one of them.
pub(crate) fn pick_steps<G: Game>(game: &G, below: &mut dyn FnMut(u32) -> u32) -> Option<G::Move> {
    let mut begun: Option<G::Move> = None;
    loop {
        let mut count = 0;
        let tally = &mut |_| {
            count += 1;
            ControlFlow::Continue(())
        };
        game.each_step(begun.as_ref(), tally).ok()?;
        let may_stop = begun.as_ref().is_some_and(|mv| game.is_complete(mv));
        if count == 0 {
            return begun.filter(|_| may_stop);
        }
        let choices = count + u32::from(may_stop);
        let mut rest = if choices > 1 { below(choices) } else { 0 };
        if rest >= count {
            return begun;
        }
        let mut chosen = None;
        let find = &mut |step| {
            if rest == 0 {
                chosen = Some(step);
                return ControlFlow::Break(());
            }
            rest -= 1;
            ControlFlow::Continue(())
        };
        game.each_step(begun.as_ref(), find).ok()?;
        begun = Some(G::join(begun.as_ref(), chosen?));
    }
}
