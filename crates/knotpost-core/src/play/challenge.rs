//! Creation of boards.

use crate::config::Config;
use knotpost_commands::{Days, ServerOptions};
use knotpost_rules::{AnyGame, GameOptions, Seed};

use crate::app::App;
use crate::boards::time::{TimeLimits, has_own_limits, length, limits_at_first, schedule};
use crate::boards::{Board, Code, Refusal, ServiceError};
use crate::play::after_turn;
use crate::play::computer::{MOST_HARD, check_hard_boards};
use crate::ratings::board_ratings;
use crate::replies::{BoardFacts, Heading, Note};
use knotpost_model::{BoardKey, Millis, RemarkKind, UserKey};
use knotpost_platform::clock::random_bytes;
use knotpost_storage::{NewBoard, NewSeat, OriginRow, StoreError, UserRow, WriteTx};

#[derive(Clone, Copy, Debug)]
pub(crate) struct Terms {
    pub(crate) rated: bool,
    pub(crate) nag_ms: Option<i64>,
    pub(crate) forfeit_ms: Option<i64>,
    pub(crate) total_ms: Option<i64>,
}

impl Terms {
    pub(crate) fn of(server: &ServerOptions) -> Self {
        Self {
            rated: !server.unrated,
            nag_ms: limit_ms(server.nagtime),
            forfeit_ms: limit_ms(server.forfeittime),
            total_ms: limit_ms(server.totaltime),
        }
    }
}

#[derive(Clone, Debug)]
pub(crate) enum Cause {
    /// A challenge, by this user if known.
    Challenge(Option<String>),
    Pairing,
    /// A practice game that goes on, with its deal.
    Practice {
        seed: [u8; 32],
    },
    Rematch {
        of: BoardKey,
        number: i64,
        by: UserKey,
        userid: String,
        /// Seed of that board, if its deal is repeated.
        seed: Option<[u8; 32]>,
    },
    /// A pairing of a tournament.
    Tournament {
        pairing: i64,
        /// Seed of the first board of the pairing, if its deal is repeated.
        seed: Option<[u8; 32]>,
    },
}

impl Cause {
    fn note(&self) -> Option<Note> {
        match self {
            Self::Challenge(by) => Some(Note::Challenged { by: by.clone() }),
            Self::Pairing => Some(Note::Paired),
            Self::Rematch { number, userid, seed, .. } => {
                Some(Note::Rematch { by: userid.clone(), number: *number, same_deal: seed.is_some() })
            }
            // The player has just asked for it; and every mail about a board of a tournament names that.
            Self::Practice { .. } | Self::Tournament { .. } => None,
        }
    }

    fn origin(&self) -> Option<OriginRow> {
        match self {
            Self::Challenge(_) | Self::Practice { .. } | Self::Tournament { .. } => None,
            Self::Pairing => Some(OriginRow { sought: true, rematch_of: None }),
            Self::Rematch { of, .. } => Some(OriginRow { sought: false, rematch_of: Some(of.0) }),
        }
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Opening<'a> {
    pub(crate) terms: Terms,
    pub(crate) cause: Cause,
    pub(crate) comment: &'a str,
}

/// Makes a new board and reduces its players' seeks. Notifying is left to the caller.
pub(crate) async fn start(
    tx: &mut WriteTx,
    app: &App,
    game: &'static dyn AnyGame,
    options: &GameOptions,
    users: &[UserRow],
    opening: Opening<'_>,
    now: Millis,
) -> Result<(Board, BoardFacts), ServiceError> {
    let Opening { terms, cause, comment } = opening;
    if !matches!(cause, Cause::Tournament { .. }) {
        check_hard_boards(tx, users.iter(), MOST_HARD).await?;
    }
    let name = game.meta().name;
    let fresh: [u8; 32] = random_bytes(app.entropy.as_ref()).map_err(StoreError::from)?;
    let (seed, speaker) = match &cause {
        Cause::Rematch { seed, by, .. } => (seed.unwrap_or(fresh), Some(*by)),
        Cause::Practice { seed } => (*seed, None),
        Cause::Tournament { seed, .. } => (seed.unwrap_or(fresh), None),
        Cause::Challenge(_) | Cause::Pairing => (fresh, None),
    };
    let position = game.setup(options, users.len(), &Seed(seed));
    let distinct = users.iter().any(|user| Some(user.id) != users.first().map(|first| first.id));
    let with_bots = users.iter().any(UserRow::is_bot);
    let (options_text, rules_version) = (options.to_string(), game.meta().rules_version);
    let new = NewBoard {
        game: name.to_owned(),
        options: options_text,
        rules_version,
        seed,
        rated: distinct && terms.rated && !options.is_handicap() && (app.config.bots.rated || !with_bots),
        position: position.position(),
        scores: position.scores().to_string(),
        at: now,
        nag_ms: terms.nag_ms,
        forfeit_ms: terms.forfeit_ms,
        total_ms: terms.total_ms,
        pairing: match cause {
            Cause::Tournament { pairing, .. } => Some(pairing),
            _ => None,
        },
    };
    let number = tx.take_board_number(name).await?;
    let key = tx.insert_board(number, &new).await?;
    let first = position.next_seat().index();
    if let Some(origin) = cause.origin() {
        tx.insert_board_origin(key, origin).await?;
    }
    for (index, user) in users.iter().enumerate() {
        tx.insert_seat(key, NewSeat { seat: index as i64 + 1, user: user.id, to_move: index == first })
            .await?;
    }
    for user in users.iter().filter(|_| distinct) {
        if !matches!(cause, Cause::Tournament { .. }) {
            tx.count_down_seek(name, user.id).await?;
        }
        board_ratings::board_began(tx, name, user.id, now).await?;
    }
    let mut facts = BoardFacts::plain(Heading::New);
    facts.notes.extend(cause.note().filter(|_| distinct));
    if !comment.trim().is_empty() {
        facts.remark = Some(tx.insert_remark(key, 0, speaker, RemarkKind::Comment, comment, now).await?);
    }
    if !new.rated {
        facts.notes.push(Note::Unrated);
    }
    facts.notes.extend(note_of_programs(users));
    let Some(row) = tx.board(key).await? else {
        return Err(StoreError::Corrupt("a board vanished inside its own transaction".to_owned()).into());
    };
    let mut board = Board::from_row(tx, &app.games, row).await?;
    facts.notes.extend(note_of_limits(&board));
    if board.position.forced().is_some() {
        after_turn::begin(tx, &mut board, now).await?;
    } else {
        schedule(&mut board, now);
        tx.set_due(key, board.row.due_at.map(Millis), None).await?;
    }
    Ok((board, facts))
}

/// Names players that are programs of users. Computer players of this server are known by their names.
fn note_of_programs(users: &[UserRow]) -> Option<Note> {
    let mut userids: Vec<String> = Vec::new();
    for user in users.iter().filter(|user| user.is_bot() && !user.is_computer_player()) {
        if !userids.contains(&user.userid) {
            userids.push(user.userid.clone());
        }
    }
    (!userids.is_empty()).then_some(Note::Programs { userids })
}

/// Limits of the board, for its first mail, if not the defaults.
fn note_of_limits(board: &Board) -> Option<Note> {
    has_own_limits(&board.row).then(|| {
        let limits = board.timing.limits;
        Note::Limits {
            nag: length(limits.nag),
            forfeit: length(limits.forfeit),
            total: limits.total.map(length),
            is_floored: limits_at_first(board) != limits,
        }
    })
}

/// Refuses a reminder that would come after the loss.
pub(crate) fn check_limits(config: &Config, server: &ServerOptions) -> Result<(), Refusal> {
    let (nag, forfeit) = (limit_ms(server.nagtime), limit_ms(server.forfeittime));
    let limits = TimeLimits::new(nag, forfeit, None, &config.time);
    if nag.is_none() || limits.nag < limits.forfeit {
        return Ok(());
    }
    let message = format!(
        "a reminder after {} would come too late: without a move a player loses after {}",
        length(limits.nag),
        length(limits.forfeit)
    );
    Err(Refusal::new(Code::BadOption, message)
        .hint("Give a shorter --nagtime=DAYS or a longer --forfeittime=DAYS.")
        .hint("`help time` tells how these go together."))
}

fn limit_ms(days: Option<Days>) -> Option<i64> {
    days.and_then(|days| i64::try_from(days.as_millis()).ok())
}
