//! Putting mail into the outbox, inside the transaction that causes it.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::bounces::{stop_notice, take_notices};
use super::letter::{MailForm, content_of, form_for};
use super::pass::{Pass, reply_address};
use super::proposals::note_of_proposal;
use super::readers::readers;
use super::sheet::times;
use super::{Board, Prepared, Reply, Standing, Style, TimeFacts, TimeUp, webhooks};
use crate::app::App;
use crate::clock::random_bytes;
use crate::domain::{Address, BoardRef, Millis, ProposalKind, RemarkKey, SeatState, UserKey};
use crate::secret::to_hex;
use crate::store::{BoardMail, NewOutbox, OutboxContent, StoreError, Tx, UserRow};

/// What kind of board mail it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Heading {
    /// A challenge: the first board.
    New,
    /// After a move.
    Summary,
    /// Asked for.
    Show,
    /// As it would be.
    Preview,
    /// As it would be after a move that its player has to confirm.
    Submit,
    /// Somebody said something.
    Chat,
    /// It has ended, for those who wanted to hear of that.
    Notification,
    /// A move is waited for.
    Nag,
}

/// Something the reader of a board mail should know.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Note {
    /// Somebody declined and the game began again without him.
    Restarted {
        /// Who declined.
        declined: String,
    },
    /// The boards' players' result does not count.
    Unrated,
    /// Somebody took over the other side.
    Swapped {
        /// Who.
        by: String,
    },
    /// Both players looked for opponents.
    Paired,
    /// A move is waited for.
    Reminder {
        /// Whose.
        userid: String,
        /// Since when.
        since: String,
        /// When the time is up.
        end: String,
    },
    /// Somebody's time was up.
    Forfeited {
        /// Whose.
        userid: String,
        /// Which time.
        up: TimeUp,
    },
    /// Somebody's time was up in the first round, and the game began again without him.
    NeverMoved {
        /// Who.
        userid: String,
    },
    /// Somebody takes time off.
    Away {
        /// Who.
        userid: String,
        /// Until when.
        until: String,
    },
    /// Somebody proposed something that others must answer.
    Proposed {
        /// Who.
        by: String,
        /// What.
        kind: ProposalKind,
        /// Who has not answered yet.
        waiting: Vec<String>,
        /// How their answers begin: `osbox move 101 ann PASSWORD`.
        answer: String,
    },
    /// A draw was proposed, and nobody answered in time.
    SilentDraw,
    /// Somebody refused what was proposed.
    Rejected {
        /// Who.
        by: String,
        /// What.
        kind: ProposalKind,
    },
    /// All agreed to what was proposed.
    Agreed {
        /// What.
        kind: ProposalKind,
    },
    /// Another address of the reader gets no mail any more.
    Stopped {
        /// Which.
        address: String,
    },
    /// An administrator stepped in.
    Ruled {
        /// How.
        ruling: Ruling,
        /// What he says about it; may be empty.
        why: String,
    },
    /// The move is not played before it is confirmed.
    Submitted {
        /// The game's name.
        game: String,
        /// The board's number.
        number: i64,
        /// Whose move.
        userid: String,
    },
}

/// What an administrator did to a board.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ruling {
    /// Nobody moves, and no time counts.
    Paused,
    /// It goes on.
    Resumed,
    /// It has ended as he said.
    Adjudicated,
    /// The last move was taken back.
    TakenBack,
}

impl fmt::Display for Ruling {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Paused => "An administrator paused this board: nobody can move, and no time is counted.",
            Self::Resumed => "An administrator let this board go on; the pause counts for nobody.",
            Self::Adjudicated => "An administrator decided this game.",
            Self::TakenBack => "An administrator took back the last move.",
        })
    }
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Restarted { declined } => {
                write!(f, "{declined} declined; the game begins again without {declined}.")
            }
            Self::Unrated => f.write_str("This board is unrated."),
            Self::Swapped { by } => write!(f, "{by} swapped: the players have changed sides."),
            Self::Paired => f.write_str("Both players were looking for opponents; the first seat was drawn."),
            Self::Reminder { userid, since, end } => {
                writeln!(f, "{userid} has been waited for since {since}.")?;
                write!(f, "Without a move the time is up on {end}.")
            }
            Self::Forfeited { userid, up: TimeUp::Move } => {
                write!(f, "{userid} did not move in time and forfeits.")
            }
            Self::Forfeited { userid, up: TimeUp::Total } => {
                write!(f, "{userid} has used up the time for all moves and forfeits.")
            }
            Self::NeverMoved { userid } => {
                writeln!(f, "{userid} made no first move in time;")?;
                write!(f, "the game begins again without {userid}.")
            }
            Self::Away { userid, until } => write!(f, "{userid} is on vacation until {until}."),
            Self::Proposed { by, kind, waiting, answer } => {
                writeln!(f, "{by} proposed {kind}. Still to accept or reject: {}.", waiting.join(", "))?;
                writeln!(f, "The answer is a mail with one of these Subjects:")?;
                write!(f, "   {answer} accept\n   {answer} reject")
            }
            Self::SilentDraw => {
                f.write_str("The proposed draw was not answered in time and counts as accepted.")
            }
            Self::Rejected { by, kind: ProposalKind::Draw } => write!(f, "{by} rejected the draw."),
            Self::Rejected { by, kind: ProposalKind::Undo } => {
                write!(f, "{by} does not agree to take back the last move.")
            }
            Self::Agreed { kind: ProposalKind::Draw } => f.write_str("All players agreed on a draw."),
            Self::Agreed { kind: ProposalKind::Undo } => {
                f.write_str("All players agreed: the last move was taken back.")
            }
            Self::Stopped { address } => f.write_str(&stop_notice(address)),
            Self::Ruled { ruling, why } if why.is_empty() => write!(f, "{ruling}"),
            Self::Ruled { ruling, why } => write!(f, "{ruling}\nThe reason given: {why}"),
            Self::Submitted { game, number, userid } => {
                writeln!(f, "Nothing is played yet: this is the board as it would be. To play it,")?;
                writeln!(f, "send a mail with this Subject; another `submit` replaces it:")?;
                write!(f, "   {game} confirm {number} {userid} PASSWORD")
            }
        }
    }
}

/// What a board mail shows beside the board itself. Stored with the mail: it never changes.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct BoardFacts {
    /// What kind of mail it is.
    pub heading: Heading,
    /// What was said with it.
    pub remark: Option<RemarkKey>,
    /// What was said with older mails that this one was sent instead of, oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub earlier: Vec<RemarkKey>,
    /// Whether it is the first mail of this board for its reader, who is promised then what the dice will be.
    #[serde(default, skip_serializing_if = "is_not")]
    pub begins: bool,
    /// Who watched the board then.
    pub subscribers: Vec<String>,
    /// What the readers should know.
    pub notes: Vec<Note>,
    /// How many moves were made at once, queued ones included: all of them are listed.
    #[serde(default)]
    pub made: usize,
    /// The times as they were then, where they are told.
    #[serde(default)]
    pub times: Option<TimeFacts>,
    /// How the reader wants it set.
    #[serde(default, skip_serializing_if = "Style::is_default")]
    pub style: Style,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature serde calls")]
fn is_not(flag: &bool) -> bool {
    !flag
}

impl BoardFacts {
    /// Facts of a board that is only shown.
    pub fn plain(heading: Heading) -> Self {
        Self {
            heading,
            remark: None,
            earlier: Vec::new(),
            begins: false,
            subscribers: Vec::new(),
            notes: Vec::new(),
            made: 0,
            times: None,
            style: Style::default(),
        }
    }

    /// Whether they tell that nobody can move.
    pub(super) fn tell_of_pause(&self) -> bool {
        let ruling = self.notes.iter().rev().find_map(|note| match note {
            Note::Ruled { ruling, .. } => Some(*ruling),
            _ => None,
        });
        ruling == Some(Ruling::Paused)
    }

    /// Adds what is true of the board at this moment and may be otherwise when the mail is
    /// written: who is away, and the times.
    #[must_use]
    pub(super) fn with_moment(mut self, board: &Board, now: Millis) -> Self {
        self.notes.extend(away(board, &self.style, now));
        self.times = times(board, self.heading, &self.style, now);
        self
    }
}

/// Everything around the content of a mail.
#[derive(Clone, Debug)]
pub struct Envelope {
    /// To whom.
    pub recipient: String,
    /// Without angle brackets.
    pub message_id: String,
    /// The Date it carries.
    pub date: Millis,
    /// The message it answers.
    pub in_reply_to: Option<String>,
    /// Whether it answers a mail, or was caused by something else.
    pub is_answer: bool,
    /// The board whose thread it belongs to.
    pub board: Option<BoardRef>,
    /// The page on which its reader takes no more of its kind.
    pub unsubscribe: Option<String>,
    /// Which forms of it are wanted.
    pub form: MailForm,
    /// What its reader should know beside, whatever the mail is about.
    pub notices: Vec<String>,
    /// Where it is answered, when not at the server's plain address.
    pub reply_to: Option<String>,
}

/// The addresses the server writes to for this user.
pub(super) async fn registered_addresses(
    tx: &mut Tx,
    app: &App,
    user: UserKey,
) -> Result<Vec<String>, StoreError> {
    let confirmed_only = app.config.confirms_addresses();
    let rows = tx.addresses(user).await?;
    Ok(rows
        .into_iter()
        .filter(|row| row.verified_at.is_some() || !confirmed_only)
        .map(|row| row.address)
        .collect())
}

pub(super) fn new_message_id(app: &App) -> Result<String, StoreError> {
    let id: [u8; 16] = random_bytes(app.entropy.as_ref())?;
    Ok(app.own.message_id(&to_hex(&id)))
}

/// Queues a mail to one address; `in_reply_to` names the mail it answers.
///
/// # Errors
/// When the database fails or the mail cannot be written.
pub async fn post_to_address(
    tx: &mut Tx,
    app: &App,
    reply: &Reply,
    recipient: &Address,
    user: Option<UserKey>,
    in_reply_to: Option<&str>,
    now: Millis,
) -> Result<(), StoreError> {
    post_answerable(tx, app, reply, recipient, user, (in_reply_to, None), now).await
}

/// As [`post_to_address`], for a mail that is answered at an address of its own: `thread` holds the mail it answers
/// and that address.
pub(super) async fn post_answerable(
    tx: &mut Tx,
    app: &App,
    reply: &Reply,
    recipient: &Address,
    user: Option<UserKey>,
    thread: (Option<&str>, Option<String>),
    now: Millis,
) -> Result<(), StoreError> {
    let (in_reply_to, reply_to) = thread;
    // A board that answers no mail belongs to the thread of the board.
    let board = match reply {
        Reply::Board(sheet) if in_reply_to.is_none() => {
            sheet.number.map(|number| BoardRef { game: sheet.game.clone(), number })
        }
        _ => None,
    };
    let notices = match user {
        Some(user) => take_notices(tx, app, user, &recipient.to_string(), now).await?,
        None => Vec::new(),
    };
    let envelope = Envelope {
        recipient: recipient.to_string(),
        message_id: new_message_id(app)?,
        date: now,
        in_reply_to: in_reply_to.map(ToOwned::to_owned),
        is_answer: in_reply_to.is_some(),
        board,
        unsubscribe: None,
        form: form_for(tx, reply, recipient, user).await?,
        notices,
        reply_to,
    };
    let mail = NewOutbox {
        kind: app.composer.kind(reply),
        content: content_of(app, app.composer.draft(reply, &envelope).map_err(StoreError::Corrupt)?)?,
        recipient: envelope.recipient,
        user,
        message_id: envelope.message_id,
        date: now,
    };
    tx.insert_outbox(&mail).await
}

/// Answers the sender of a prepared command; who answered a board mail can answer this as well.
///
/// # Errors
/// As [`post_to_address`].
pub async fn post_answer(
    tx: &mut Tx,
    app: &App,
    prepared: &Prepared,
    reply: &Reply,
    in_reply_to: Option<&str>,
    now: Millis,
) -> Result<(), StoreError> {
    let Some(sender) = &prepared.origin.sender else { return Ok(()) };
    // Only who is shown the board as it is now can act on it.
    let reply_to = match prepared.pass().filter(|_| shows_board(reply)) {
        Some(pass) => answer_address(tx, app, pass, &sender.to_string(), now).await?,
        None => None,
    };
    post_answerable(tx, app, reply, sender, prepared.user(), (in_reply_to, reply_to), now).await
}

fn shows_board(reply: &Reply) -> bool {
    match reply {
        Reply::Board(_) => true,
        Reply::Error(error) => error.sheet.is_some(),
        _ => false,
    }
}

async fn answer_address(
    tx: &mut Tx,
    app: &App,
    pass: &Pass,
    recipient: &str,
    now: Millis,
) -> Result<Option<String>, StoreError> {
    match Board::load(tx, app, &pass.board.game, pass.board.number as u32).await? {
        Some(board) => reply_address(tx, app, &board, &pass.user, recipient, None, now).await,
        None => Ok(None),
    }
}

/// Queues a mail about a board, as it stands now, to all registered addresses of one who plays there; each can be
/// answered. `submitted` is the move that the mail shows and that is not made yet.
pub(super) async fn post_to_player(
    tx: &mut Tx,
    app: &App,
    reply: &Reply,
    board: &Board,
    user: &UserRow,
    submitted: Option<&str>,
    now: Millis,
) -> Result<(), StoreError> {
    for recipient in registered_addresses(tx, app, user.id).await? {
        if let Ok(address) = recipient.parse() {
            let reply_to = reply_address(tx, app, board, user, &recipient, submitted, now).await?;
            post_answerable(tx, app, reply, &address, Some(user.id), (None, reply_to), now).await?;
        }
    }
    Ok(())
}

/// Queues a mail to all registered addresses of a user.
pub(super) async fn post_to_user(
    tx: &mut Tx,
    app: &App,
    reply: &Reply,
    user: UserKey,
    now: Millis,
) -> Result<(), StoreError> {
    for address in registered_addresses(tx, app, user).await? {
        if let Ok(address) = address.parse() {
            post_to_address(tx, app, reply, &address, Some(user), None, now).await?;
        }
    }
    Ok(())
}

/// Queues the board, as it stands now, to each of its players and subscribers who wants it now.
pub(super) async fn post_board(
    tx: &mut Tx,
    app: &App,
    board: &Board,
    facts: BoardFacts,
    now: Millis,
) -> Result<BoardFacts, StoreError> {
    let watchers = tx.subscribers(board.row.id).await?;
    let players: Vec<UserKey> = board.seats.iter().map(|row| row.user_id).collect();
    let watchers: Vec<_> =
        watchers.into_iter().filter(|(key, _)| !players.contains(&UserKey(*key))).collect();
    let mut facts =
        BoardFacts { subscribers: watchers.iter().map(|(_, name)| name.clone()).collect(), ..facts };
    // A move makes a proposal void, so that only other mails have one to tell of.
    if facts.heading == Heading::Chat {
        facts.notes.extend(note_of_proposal(tx, board).await?);
    }
    let users = players.into_iter().chain(watchers.iter().map(|(key, _)| UserKey(*key))).collect();
    post_board_to(tx, app, board, &facts, users, now).await?;
    Ok(facts.with_moment(board, now))
}

/// Queues the board, as it stands now, to those of these users who want such mails.
pub(super) async fn post_board_to(
    tx: &mut Tx,
    app: &App,
    board: &Board,
    facts: &BoardFacts,
    users: Vec<UserKey>,
    now: Millis,
) -> Result<(), StoreError> {
    let readers = readers(tx, app, board, users).await?;
    let told: Vec<UserKey> =
        readers.iter().filter(|reader| reader.has_webhooks).map(|reader| reader.user).collect();
    if !told.is_empty() {
        webhooks::queue_for_board(tx, app, board, facts, &told, now).await?;
    }
    for reader in readers {
        if reader.addresses.is_empty() || !reader.takes_now(tx, board, facts, now).await? {
            continue;
        }
        let mut facts = BoardFacts { style: reader.style, ..facts.clone() }.with_moment(board, now);
        if reader.is_reachable {
            for address in reader.untold {
                tx.note_stop_told(reader.user, &address, now).await?;
                facts.notes.push(Note::Stopped { address });
            }
        }
        let stored = serde_json::to_string(&facts).map_err(|error| StoreError::Corrupt(error.to_string()))?;
        for recipient in reader.addresses {
            let mail = NewOutbox {
                kind: "board",
                recipient,
                user: Some(reader.user),
                content: OutboxContent::Board(BoardMail {
                    board: board.row.id,
                    ply: board.row.ply,
                    facts: stored.clone(),
                }),
                message_id: new_message_id(app)?,
                date: now,
            };
            tx.insert_outbox(&mail).await?;
        }
    }
    Ok(())
}

/// The players who are on vacation, each once.
fn away(board: &Board, style: &Style, now: Millis) -> Vec<Note> {
    let mut notes = Vec::new();
    if matches!(board.standing(), Standing::Over(_)) {
        return notes;
    }
    for row in board.seats.iter().filter(|row| row.state == SeatState::Playing) {
        if let Some(until) = row.away_until.map(Millis).filter(|until| *until > now) {
            let note = Note::Away { userid: row.userid.clone(), until: style.show_time(until) };
            if !notes.contains(&note) {
                notes.push(note);
            }
        }
    }
    notes
}
