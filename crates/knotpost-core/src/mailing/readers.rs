//! Readers of a board mail: who gets it, whether at once, and in which style.

use crate::boards::{Board, Standing};
use crate::config::Config;
use crate::mailing::digest::put_into_digest;
use crate::replies::{BoardFacts, Heading, Style};
use knotpost_model::computer_player::level_of;
use knotpost_model::{Millis, UserKey};
use knotpost_storage::{ReadTx, ReaderFacts, StoreError, WriteTx};

/// Board mails that somebody wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Moves {
    All,
    /// Those on which it is their turn, and the last one.
    Mine,
    /// One mail a day about all boards.
    Digest,
}

/// Somebody who plays on a board or watches it.
#[derive(Clone, Debug)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "settings and facts that have nothing to do with one another"
)]
pub(crate) struct Reader {
    pub(crate) user: UserKey,
    pub(crate) addresses: Vec<String>,
    pub(crate) style: Style,
    /// Those of their addresses that get no mail any more, of which they have not been told.
    pub(crate) untold: Vec<String>,
    /// True if they can be told at another one.
    pub(crate) is_reachable: bool,
    pub(crate) has_webhooks: bool,
    moves: Moves,
    takes_nags: bool,
    /// True if they want mails about boards on which they meet computer players alone.
    takes_computer: bool,
    takes_messages: bool,
}

impl Reader {
    /// True if mail comes back from all their addresses.
    pub(crate) fn is_unreached(&self) -> bool {
        !self.addresses.is_empty() && !self.is_reachable
    }

    /// True if they are to be mailed now. For the mail of the day the board is noted.
    pub(crate) async fn takes_now(
        &self,
        tx: &mut WriteTx,
        board: &Board,
        facts: &BoardFacts,
        now: Millis,
    ) -> Result<bool, StoreError> {
        // Only what follows from moves can be too much: what somebody says or asks comes at once.
        if facts.heading == Heading::Nag {
            return Ok(self.takes_nags);
        }
        if !self.takes_computer && self.meets_computers_alone(board) {
            return Ok(false);
        }
        if facts.spared.by_outsider && !self.takes_messages {
            return Ok(false);
        }
        if facts.spared.bundled.contains(&self.user) {
            put_into_digest(tx, self.user, board.row.id, now).await?;
            return Ok(false);
        }
        match (self.moves, facts.heading) {
            (Moves::Digest, Heading::Summary | Heading::New) => {
                put_into_digest(tx, self.user, board.row.id, now).await?;
                Ok(false)
            }
            // A note tells of more than a move, such as an offer that waits for an answer.
            (Moves::Mine, Heading::Summary) => Ok(!facts.notes.is_empty() || self.is_concerned(board)),
            _ => Ok(true),
        }
    }

    fn meets_computers_alone(&self, board: &Board) -> bool {
        let mut others = board.seats.iter().filter(|seat| seat.user_id != self.user).peekable();
        let plays = board.seats.iter().any(|seat| seat.user_id == self.user);
        plays && others.peek().is_some() && others.all(|seat| level_of(&seat.userid).is_some())
    }

    fn is_concerned(&self, board: &Board) -> bool {
        matches!(board.standing(), Standing::Over(_))
            || board.seats.iter().any(|seat| seat.user_id == self.user && seat.to_move)
    }
}

/// Users who are to hear of a board.
#[derive(Debug)]
pub(crate) struct BoardReaders {
    /// The players and who watches, in this order.
    pub(crate) readers: Vec<Reader>,
    /// Users who watch without playing, by name.
    pub(crate) watchers: Vec<String>,
}

/// Looks up what players and who watches want of mails about a board.
pub(crate) async fn readers_and_watchers(
    tx: &mut ReadTx,
    config: &Config,
    board: &Board,
) -> Result<BoardReaders, StoreError> {
    let mut users: Vec<UserKey> = board.seats.iter().map(|seat| seat.user_id).collect();
    let mut facts = tx.board_reader_facts(board.row.id, &board.row.game).await?;
    facts.watchers.retain(|(key, _)| !users.contains(key));
    users.extend(facts.watchers.iter().map(|(key, _)| *key));
    let watchers = facts.watchers.iter().map(|(_, name)| name.clone()).collect();
    Ok(BoardReaders { readers: gather(config, users, facts), watchers })
}

/// Looks up what these users want of mails about a board.
pub(crate) async fn readers(
    tx: &mut ReadTx,
    config: &Config,
    board: &Board,
    users: Vec<UserKey>,
) -> Result<Vec<Reader>, StoreError> {
    let facts = tx.reader_facts(&users, &board.row.game).await?;
    Ok(gather(config, users, facts))
}

fn gather(config: &Config, users: Vec<UserKey>, facts: ReaderFacts) -> Vec<Reader> {
    let mut readers: Vec<Reader> = Vec::with_capacity(users.len());
    for user in users {
        if readers.iter().all(|reader| reader.user != user) {
            readers.push(Reader {
                user,
                addresses: Vec::new(),
                style: Style::default(),
                untold: Vec::new(),
                is_reachable: false,
                has_webhooks: facts.with_webhooks.contains(&user),
                moves: Moves::All,
                takes_nags: true,
                takes_computer: true,
                takes_messages: true,
            });
        }
    }
    let confirmed_only = config.confirms_addresses();
    for row in facts.addresses {
        if let Some(reader) = readers.iter_mut().find(|reader| reader.user == row.user_id)
            && (row.verified_at.is_some() || !confirmed_only)
        {
            if row.stopped_at.is_none() {
                reader.is_reachable = true;
            } else if row.stop_told_at.is_none() {
                reader.untold.push(row.address.to_lowercase());
            }
            reader.addresses.push(row.address);
        }
    }
    for wish in facts.wishes {
        if let Some(reader) = readers.iter_mut().find(|reader| reader.user == wish.user_id) {
            reader.style.take(&wish.name, &wish.value);
            match (wish.name.as_str(), wish.value.as_str()) {
                ("nags", wanted) => reader.takes_nags = wanted != "off",
                ("computer", wanted) => reader.takes_computer = wanted != "off",
                ("messages", wanted) => reader.takes_messages = wanted != "off",
                ("moves", "mine") => reader.moves = Moves::Mine,
                ("moves", "digest") => reader.moves = Moves::Digest,
                ("moves", _) => reader.moves = Moves::All,
                _ => {}
            }
        }
    }
    readers
}
