//! Board mails by reference: rebuilt from stored moves and facts when they are sent.

use crate::app::App;
use crate::boards::board::seat_at;
use crate::boards::{Board, Standing};
use crate::mailing::reply_address::{MailRef, Purpose, fits};
use crate::mailing::unsubscribe::refusable;
use crate::ratings::board_ratings;
use crate::replies::sheet::Listing;
use crate::replies::{Answers, BoardFacts, Heading, Refusing, Sheet, Spoken};
use knotpost_model::{BoardState, Millis, RemarkKey, UserKey};
use knotpost_storage::{ReadTx, RemarkRow, StoreError, UserRow};

/// A board mail to one reader.
#[derive(Clone, Debug)]
pub(crate) struct BoardLetter {
    /// The board that it shows.
    pub(crate) sheet: Sheet,
    /// Address at which its reader answers it without a password.
    pub(crate) reply_to: Option<String>,
    /// Ways for them to end mails of its kind.
    pub(crate) unsubscribe: Option<Refusing>,
}

/// Rows of a board mail by reference, beside the position.
#[derive(Clone, Debug)]
pub(crate) struct Sources {
    /// Remarks that the mail's facts name.
    pub(crate) remarks: Vec<RemarkRow>,
    pub(crate) reader: Option<UserRow>,
    /// True if they have proven to read where it goes.
    pub(crate) is_proven: bool,
}

impl BoardFacts {
    /// Keys of the remarks that the mail tells of, oldest first.
    pub(crate) fn remarks(&self) -> Vec<RemarkKey> {
        let mut keys: Vec<RemarkKey> = self.earlier.iter().chain(&self.remark).copied().collect();
        keys.sort_unstable_by_key(|key| key.0);
        keys.dedup();
        keys
    }
}

/// Content of a board mail by reference: rebuilt from the stored moves, so that it says the same however late it is
/// sent. `None`: nobody needs to be told that any more.
///
/// # Errors
/// When the database fails.
pub(crate) async fn letter_by_reference(
    tx: &mut ReadTx,
    app: &App,
    facts: &BoardFacts,
    board: &Board,
    sources: Sources,
    (mail, date): (MailRef<'_>, Millis),
) -> Result<Option<BoardLetter>, StoreError> {
    let Sources { remarks, reader, is_proven } = sources;
    let reader = reader.as_ref();
    // No player is reminded of a move already made.
    let is_present = board.row.ply == board.entries.len() as i64;
    if facts.heading == Heading::Nag && !(is_present && board.row.state == BoardState::Active) {
        return Ok(None);
    }
    if facts.heading == Heading::Nag && !reader.is_some_and(|reader| is_waited_for(board, reader.id, date)) {
        return Ok(None);
    }
    let shown = (board.row.id, board.seats.as_slice());
    let unsubscribe = reader.and_then(|reader| refusable(shown, facts.heading, &remarks, reader.id));
    let spoken = remarks.into_iter().map(Spoken::from).collect();
    let is_proven = is_proven && fits(app);
    let plays = reader.is_some_and(|reader| board.seat_of(reader.id).is_some());
    let reply_to = (is_proven && plays).then(|| mail.address(app, Purpose::Reply));
    let answers = reader.filter(|_| reply_to.is_some()).map(|reader| Answers::of(board, facts, reader));
    let ratings = board_ratings::change_lines(tx, board).await?;
    let end = is_proven.then(|| mail.address(app, Purpose::End));
    let unsubscribe = unsubscribe.zip(reader).map(|(kind, reader)| kind.ways(app, reader, end));
    let userid = reader.map(|reader| reader.userid.as_str());
    let sheet = Sheet::of(board, facts, userid, Listing::Recent, date);
    let sheet = Sheet { spoken, ..sheet }.with_ratings(ratings).with_answers(answers);
    Ok(Some(BoardLetter { sheet, reply_to, unsubscribe }))
}

/// True if this player is still to move, and not away.
fn is_waited_for(board: &Board, user: UserKey, now: Millis) -> bool {
    let Standing::ToMove(seat) = board.standing() else { return false };
    board.seats.iter().any(|row| {
        row.user_id == user && seat_at(row.seat) == seat && row.away_until.is_none_or(|until| until <= now.0)
    })
}
