//! Proposals: draw, undo, substitution.
//!
//! A proposal holds until the next move. Agreements are entered here; consequences follow as after any turn.

use knotpost_commands::Action;
use knotpost_rules::Ability;

use crate::app::App;
use crate::boards::board::Standing;
use crate::boards::proposals::{check_repeated, maker, pending_proposal, still_to_answer};
use crate::boards::{Board, Code, Refusal, ServiceError};
use crate::play::after_turn::finish_turn;
use crate::play::boards::answer_with_board;
use crate::play::moves::{Turning, check_plays, keep_comment};
use crate::play::{queue, substitution};
use crate::replies::facts::note_of;
use crate::replies::{Answer, BoardFacts, Heading, Note};
use crate::requests::Ready;
use knotpost_model::{Millis, MoveKind, ProposalKind, UserKey};
use knotpost_storage::{ProposalRow, RefusedOffer, StoreError, UserRow, WriteTx};

/// `move … propose|undo|accept|reject`, by an authenticated user.
pub(crate) async fn act(
    tx: &mut WriteTx,
    app: &App,
    ready: &Ready,
    board: Board,
    user: &UserRow,
    turning: Turning<'_>,
    now: Millis,
) -> Result<Answer, ServiceError> {
    if let Err(refusal) = check_plays(&board, user).and_then(|()| check_number(&board, turning.number)) {
        return Err(refusal.about(board).into());
    }
    let pending = pending_proposal(tx, &board).await?;
    let (mut board, note) = match (turning.action, pending) {
        (Action::Propose, pending) => {
            let board = check_offer(board, ProposalKind::Draw, pending.as_ref())?;
            let (board, note) = propose(tx, board, user, ProposalKind::Draw, now).await?;
            Box::pin(ask_bots(tx, app, (board, note), now)).await?
        }
        (Action::Undo, pending) => {
            let board = check_offer(board, ProposalKind::Undo, pending.as_ref())?;
            if last_own_move(&board).is_none() {
                let refusal = Refusal::new(Code::Conflict, "there is no move that could be taken back")
                    .hint("Resignations are final, and so is what was played before them.");
                return Err(refusal.about(board).into());
            }
            let (board, note) = propose(tx, board, user, ProposalKind::Undo, now).await?;
            Box::pin(ask_bots(tx, app, (board, note), now)).await?
        }
        (Action::Substitute, pending) => {
            let board = check_offer(board, ProposalKind::Substitute, pending.as_ref())?;
            let board = Box::pin(substitution::check(tx, &app.config, board, user, now)).await?;
            let (board, note) = propose(tx, board, user, ProposalKind::Substitute, now).await?;
            Box::pin(ask_bots(tx, app, (board, note), now)).await?
        }
        (_, None) => {
            let refusal = Refusal::new(Code::NothingProposed, "nothing is proposed on this board")
                .hint("A proposal is void as soon as somebody moves.");
            return Err(refusal.about(board).into());
        }
        (Action::Accept, Some(proposal)) => agree(tx, app, board, user, proposal, now).await?,
        (_, Some(proposal)) => refuse(tx, board, user, &proposal, now).await?,
    };
    let mut facts = BoardFacts::plain(Heading::Summary);
    facts.notes.push(note);
    let ply = board.entries.len();
    keep_comment(tx, &board, (ply, user, &ready.body), &mut facts, now).await?;
    board.row.ply = ply as i64;
    answer_with_board(tx, app, &board, facts, now).await
}

/// Ends a proposal. If somebody else refused it, its maker cannot repeat it at once.
async fn refuse(
    tx: &mut WriteTx,
    mut board: Board,
    by: &UserRow,
    proposal: &ProposalRow,
    now: Millis,
) -> Result<(Board, Note), StoreError> {
    tx.delete_proposal(board.row.id).await?;
    if let Some(user_id) = maker(&board, proposal).filter(|maker| *maker != by.id) {
        let refused = RefusedOffer { user_id, kind: proposal.kind, ply: proposal.ply };
        tx.save_refused_offer(board.row.id, &refused).await?;
    }
    note_answer(tx, &mut board, now).await?;
    Ok((board, Note::Rejected { by: by.userid.clone(), kind: proposal.kind }))
}

/// Stores that the board is to be looked at: the clock may wait for an answer.
async fn note_answer(tx: &mut WriteTx, board: &mut Board, now: Millis) -> Result<(), StoreError> {
    board.row.due_at = board.row.due_at.map(|due| due.min(now.0));
    tx.update_board(&board.row).await
}

fn check_number(board: &Board, number: Option<u32>) -> Result<(), Refusal> {
    match number {
        Some(number) if i64::from(number) != board.next_number() => {
            let message = format!("the next move here is number {}, not {number}", board.next_number());
            Err(Refusal::new(Code::WrongMoveNumber, message))
        }
        _ => Ok(()),
    }
}

fn check_offer(
    board: Board,
    kind: ProposalKind,
    pending: Option<&ProposalRow>,
) -> Result<Board, ServiceError> {
    let needed = match kind {
        ProposalKind::Draw => Some((Ability::Draw, "draws by agreement")),
        ProposalKind::Undo => Some((Ability::Undo, "moves that are taken back")),
        ProposalKind::Substitute => None,
    };
    if let Some((_, what)) = needed.filter(|(ability, _)| !board.game.meta().abilities.has(*ability)) {
        let refusal = Refusal::new(Code::NotSupported, format!("{} has no {what}", board.title()));
        return Err(refusal.about(board).into());
    }
    if let Some(pending) = pending {
        let by = board.userid_at(pending.seat).to_owned();
        let refusal =
            Refusal::new(Code::AlreadyProposed, format!("`{by}` has already proposed {}", pending.kind))
                .hint("The others answer with `accept` or `reject`; a move makes the proposal void.");
        return Err(refusal.about(board).into());
    }
    Ok(board)
}

async fn propose(
    tx: &mut WriteTx,
    board: Board,
    user: &UserRow,
    kind: ProposalKind,
    now: Millis,
) -> Result<(Board, Note), ServiceError> {
    let refused = tx.refused_offers(board.row.id).await?;
    if let Err(refusal) = check_repeated(&board, &refused, (user.id, kind)) {
        return Err(refusal.about(board).into());
    }
    let seat = board.seat_of(user.id).map_or(1, |seat| seat.seat);
    let ply = board.entries.len() as i64;
    let row = ProposalRow { kind, seat, ply, accepted: String::new(), at: now };
    if still_to_answer(&board, &row).is_empty() && kind != ProposalKind::Substitute {
        let refusal = Refusal::new(Code::Conflict, "there is nobody else here who could agree");
        return Err(refusal.about(board).into());
    }
    tx.save_proposal(board.row.id, &row).await?;
    tx.forget_refused_offers(board.row.id, kind, user.id).await?;
    tx.update_board(&board.row).await?;
    let note = note_of(&board, &row);
    Ok((board, note))
}

/// Computer players answer at once: they accept an undo on unrated boards and a substitution, and refuse a
/// draw.
async fn ask_bots(
    tx: &mut WriteTx,
    app: &App,
    (mut board, mut note): (Board, Note),
    now: Millis,
) -> Result<(Board, Note), ServiceError> {
    while let Some(proposal) = pending_proposal(tx, &board).await? {
        let waiting = still_to_answer(&board, &proposal);
        if waiting.is_empty() {
            return Box::pin(carry_out(tx, app, board, &proposal, now)).await;
        }
        let Some(bot) = find_bot(tx, &waiting).await? else {
            return Ok((board, note));
        };
        let is_refused = match proposal.kind {
            ProposalKind::Draw => true,
            ProposalKind::Undo => board.row.rated,
            ProposalKind::Substitute => false,
        };
        if is_refused {
            return Ok(refuse(tx, board, &bot, &proposal, now).await?);
        }
        (board, note) = agree(tx, app, board, &bot, proposal, now).await?;
    }
    Ok((board, note))
}

async fn find_bot(tx: &mut WriteTx, names: &[String]) -> Result<Option<UserRow>, StoreError> {
    for name in names {
        let user = tx.find_user(name).await?;
        if let Some(bot) = user.filter(UserRow::is_computer_player) {
            return Ok(Some(bot));
        }
    }
    Ok(None)
}

fn is_turn_of(board: &Board, user: UserKey) -> bool {
    let Standing::ToMove(next) = board.standing() else { return true };
    board.seat_of(user).is_some_and(|seat| seat.seat == i64::from(next.number()))
}

async fn agree(
    tx: &mut WriteTx,
    app: &App,
    mut board: Board,
    user: &UserRow,
    mut proposal: ProposalRow,
    now: Millis,
) -> Result<(Board, Note), ServiceError> {
    let waiting = still_to_answer(&board, &proposal);
    if !waiting.contains(&user.userid) {
        let refusal = Refusal::new(Code::AlreadyProposed, "you have agreed to that already")
            .hint(format!("Still to answer: {}", waiting.join(", ")));
        return Err(refusal.about(board).into());
    }
    let own = board.seats.iter().find(|row| row.user_id == user.id).map_or(0, |row| row.seat);
    let agreed: Vec<String> =
        proposal.seats_that_agreed().chain([own]).map(|seat| seat.to_string()).collect();
    proposal.accepted = agreed.join(",");
    let waiting = still_to_answer(&board, &proposal);
    if !waiting.is_empty() {
        tx.save_proposal(board.row.id, &proposal).await?;
        note_answer(tx, &mut board, now).await?;
        let note = note_of(&board, &proposal);
        return Ok((board, note));
    }
    carry_out(tx, app, board, &proposal, now).await
}

async fn carry_out(
    tx: &mut WriteTx,
    app: &App,
    mut board: Board,
    proposal: &ProposalRow,
    now: Millis,
) -> Result<(Board, Note), ServiceError> {
    match proposal.kind {
        ProposalKind::Draw => agree_on_draw(tx, app, &mut board, now).await?,
        ProposalKind::Undo => board = undo(tx, app, board, proposal, now).await?,
        ProposalKind::Substitute => return Box::pin(substitution::seat(tx, app, board, proposal, now)).await,
    }
    Ok((board, Note::Agreed { kind: proposal.kind }))
}

/// Takes back the last move. With computer players, who reply before anybody could ask, it takes back to the
/// proposer's own last move.
async fn undo(
    tx: &mut WriteTx,
    app: &App,
    board: Board,
    proposal: &ProposalRow,
    now: Millis,
) -> Result<Board, ServiceError> {
    let proposer = board.seats.iter().find(|row| row.seat == proposal.seat).map(|row| row.user_id);
    let players: Vec<String> = board.seats.iter().map(|row| row.userid.clone()).collect();
    let has_bots = find_bot(tx, &players).await?.is_some();
    let mut board = take_back(tx, app, board, now).await?;
    while let Some(proposer) = proposer.filter(|_| has_bots)
        && !is_turn_of(&board, proposer)
        && last_own_move(&board).is_some()
    {
        board = take_back(tx, app, board, now).await?;
    }
    Ok(board)
}

/// Ends a board as an agreed draw. Queues no mail.
pub(crate) async fn agree_on_draw(
    tx: &mut WriteTx,
    app: &App,
    board: &mut Board,
    now: Millis,
) -> Result<(), ServiceError> {
    let stored = board.entries.len();
    if let Standing::ToMove(next) = board.standing() {
        board.agree_on_draw(next, now);
    }
    tx.delete_proposal(board.row.id).await?;
    finish_turn(tx, app, board, stored, now).await
}

/// Index of the last move made by a player, not by the server; none if a player has resigned since.
pub(crate) fn last_own_move(board: &Board) -> Option<usize> {
    let gone = |kind| {
        matches!(kind, MoveKind::Resign | MoveKind::Forfeit | MoveKind::Adjudicated | MoveKind::Deadline)
    };
    let index = board.entries.iter().rposition(|entry| !entry.row.auto || gone(entry.row.kind))?;
    board.entries.get(index).filter(|entry| !gone(entry.row.kind)).map(|_| index)
}

/// Takes back to before the last player's own move; automatic moves after it go too.
pub(crate) async fn take_back(
    tx: &mut WriteTx,
    app: &App,
    mut board: Board,
    now: Millis,
) -> Result<Board, ServiceError> {
    let Some(ply) = last_own_move(&board) else {
        return Err(StoreError::Corrupt("an undo without a move".to_owned()).into());
    };
    queue::drop_all(tx, app, &mut board, queue::TAKEN_BACK, now).await?;
    let swapped = board.entries.get(ply).is_some_and(|entry| entry.row.kind == MoveKind::Swap);
    if let ([one, other, ..], true) = (board.seats.as_slice(), swapped) {
        tx.exchange_users(board.row.id, one, other).await?;
    }
    board.dropped_mails.extend(tx.drop_board_mails(board.row.id, now).await?);
    tx.delete_moves_after(board.row.id, ply as i64).await?;
    tx.delete_proposal(board.row.id).await?;
    let mut board = board.at(&app.games, ply)?;
    finish_turn(tx, app, &mut board, ply, now).await?;
    board.restart_clock(tx, now).await?;
    Ok(board)
}
