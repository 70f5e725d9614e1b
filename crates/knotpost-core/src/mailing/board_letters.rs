//! Board mails by reference: rebuilt from stored moves and facts when they are sent.

use crate::app::App;
use crate::boards::board::seat_at;
use crate::boards::{Board, Standing};
use crate::mailing::reply_grant::reply_address;
use crate::mailing::token::About;
use crate::mailing::unsubscribe::Kind;
use crate::ratings::board_ratings;
use crate::replies::sheet::Listing;
use crate::replies::{Answers, BoardFacts, Heading, Refusing, Sheet, Spoken};
use knotpost_model::{BoardState, Millis, RemarkKey, UserKey};
use knotpost_storage::{ReadTx, RemarkRow, StoreError, UserRow};

/// A board mail to one reader.
#[derive(Clone, Debug)]
pub(crate) struct BoardLetter {
    /// What it shows.
    pub(crate) sheet: Sheet,
    /// Where its reader answers it without a password.
    pub(crate) reply_to: Option<String>,
    /// How they take no more of its kind.
    pub(crate) unsubscribe: Option<Refusing>,
}

/// Rows of a board mail by reference, beside the position.
#[derive(Clone, Debug)]
pub(crate) struct Sources {
    /// What was said, of all that the mail's facts name.
    pub(crate) remarks: Vec<RemarkRow>,
    pub(crate) reader: Option<UserRow>,
    /// The row of the address it goes to, if that is one of theirs.
    pub(crate) address: Option<i64>,
}

impl BoardFacts {
    /// What was said in all that the mail tells of.
    pub(crate) fn remarks(&self) -> impl Iterator<Item = RemarkKey> {
        self.earlier.iter().chain(&self.remark).copied()
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
    (recipient, date): (&str, Millis),
) -> Result<Option<BoardLetter>, StoreError> {
    let Sources { remarks, reader, address } = sources;
    let reader = reader.as_ref();
    // No player is reminded of a move already made.
    let is_present = board.row.ply == board.entries.len() as i64;
    if facts.heading == Heading::Nag && !(is_present && board.row.state == BoardState::Active) {
        return Ok(None);
    }
    if facts.heading == Heading::Nag && !reader.is_some_and(|reader| is_waited_for(board, reader.id, date)) {
        return Ok(None);
    }
    let unsubscribe = reader.and_then(|reader| refusable(board, facts.heading, &remarks, reader.id));
    let spoken = remarks.into_iter().map(Spoken::from).collect();
    let reply_to = reader
        .zip(address)
        .and_then(|(reader, address)| {
            reply_address(app, board, reader, (address, recipient), (about(facts), None), date)
        })
        .and_then(|reply_to| reply_to.for_mail_to(recipient));
    let answers = reader.filter(|_| reply_to.is_some()).map(|reader| Answers::of(board, facts, reader));
    let ratings = board_ratings::change_lines(tx, board).await?;
    let unsubscribe =
        unsubscribe.zip(reader).map(|(kind, reader)| kind.ways(app, reader, recipient, address));
    let userid = reader.map(|reader| reader.userid.as_str());
    let sheet = Sheet::of(board, facts, userid, Listing::Recent, date);
    let sheet = Sheet { spoken, ..sheet }.with_ratings(ratings).with_answers(answers);
    Ok(Some(BoardLetter { sheet, reply_to, unsubscribe }))
}

/// What a reply to such a mail is about.
fn about(facts: &BoardFacts) -> About {
    if facts.heading == Heading::Chat { About::Talk } else { About::Play }
}

/// Whether this player is still to move, and not away.
fn is_waited_for(board: &Board, user: UserKey, now: Millis) -> bool {
    let Standing::ToMove(seat) = board.standing() else { return false };
    board.seats.iter().any(|row| {
        row.user_id == user && seat_at(row.seat) == seat && row.away_until.is_none_or(|until| until <= now.0)
    })
}

/// Which mails a reader can refuse by the link in this one: players get the boards they play in any case, and what is
/// said by those who play there.
fn refusable(board: &Board, heading: Heading, remarks: &[RemarkRow], reader: UserKey) -> Option<Kind> {
    let plays = board.seats.iter().any(|seat| seat.user_id == reader);
    let is_of_outsider =
        |remark: &RemarkRow| board.seats.iter().all(|seat| Some(&seat.userid) != remark.userid.as_ref());
    match heading {
        Heading::Chat if plays && !remarks.is_empty() && remarks.iter().all(is_of_outsider) => {
            Some(Kind::Messages)
        }
        Heading::Nag => Some(Kind::Nags),
        Heading::Notification => Some(Kind::Endings(board.row.id)),
        _ => (!plays).then_some(Kind::Watching(board.row.id)),
    }
}
