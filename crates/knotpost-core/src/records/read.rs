//! Reading of records: hostile input until every move has been replayed.
//!
//! Knows nothing about the database; players are looked up later.

use knotpost_rules::{Ability, AnyGame, Record, Registry, Seat, Seed, Turn, record::RecordError};
use sha2::{Digest as _, Sha256};

use super::split::split;
use super::start::{echo, read_start};
use super::write::list_seats;
use crate::boards::board::{parse_options, read_decision, read_departure, seat_at};
use crate::boards::{Board, Standing, commitment};
use knotpost_model::{Millis, MoveKind, SeatState, clean_text, is_unwanted};
use knotpost_platform::secret::to_hex;

const MOST_BYTES: usize = 16 << 20;
const MOST_MOVES: usize = 10_000;
const MOST_TAGS: usize = 60;
/// Characters of an unknown tag.
const LONGEST_TAG: usize = 2000;
const LONGEST_COMMENT: usize = 8100;
const MOST_ERRORS: usize = 20;
const GREATEST_NUMBER: u32 = 1_000_000;
/// Tags written by `export`.
const KNOWN: [&str; 13] = [
    "Game",
    "Board",
    "Rules",
    "Options",
    "Players",
    "Seed",
    "Rolls",
    "Commitment",
    "Started",
    "Ended",
    "Result",
    "Termination",
    "Times",
];

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {what}")]
pub struct ReadError {
    /// From 1; position of the error, or start of its record.
    pub line: usize,
    pub what: String,
}

#[derive(Clone, Debug)]
pub(super) struct Said {
    pub(super) ply: i64,
    /// Final seat of the speaker.
    pub(super) seat: i64,
    pub(super) text: String,
    pub(super) at: Millis,
}

/// A finished game, replayed from its record.
#[derive(Clone, Debug)]
pub struct Played {
    pub line: usize,
    /// In seat order, spelt as in the record.
    pub players: Vec<String>,
    /// After its last move.
    pub(super) board: Board,
    pub(super) number: Option<u32>,
    pub(super) digest: String,
    pub(super) essence: String,
    pub(super) kept: Vec<(String, String)>,
    pub(super) seed: [u8; 32],
    pub(super) ended: Millis,
    pub(super) said: Vec<Said>,
    pub(super) winners: String,
    pub(super) reason: String,
}

/// Reads and replays records. Collects errors; any of them makes the file unusable.
pub fn read_games(
    registry: &'static Registry,
    text: &str,
    now: Millis,
) -> Result<Vec<Played>, Vec<ReadError>> {
    if text.len() > MOST_BYTES {
        let what = format!("the file has more than {} MiB; split it", MOST_BYTES >> 20);
        return Err(vec![ReadError { line: 1, what }]);
    }
    let mut formats = registry.iter().flat_map(AnyGame::formats);
    if let Some(read) = formats.find_map(|format| (format.read)(text)) {
        let replay = |record| replay(registry, 1, &record, now);
        let games = read.and_then(|records| records.into_iter().map(replay).collect());
        return games.map_err(|what| vec![ReadError { line: 1, what }]);
    }
    let (mut games, mut errors) = (Vec::new(), Vec::new());
    for (line, part) in split(text) {
        match read_game(registry, line, part, now) {
            Ok(game) => games.push(game),
            Err(error) => errors.push(error),
        }
        if errors.len() >= MOST_ERRORS {
            break;
        }
    }
    if games.is_empty() && errors.is_empty() {
        errors.push(ReadError { line: 1, what: "there is no game record in this file".to_owned() });
    }
    if errors.is_empty() { Ok(games) } else { Err(errors) }
}

fn read_game(registry: &'static Registry, line: usize, text: &str, now: Millis) -> Result<Played, ReadError> {
    let record: Record = text.parse().map_err(|error| match error {
        RecordError::Tag { line: within } => {
            ReadError { line: line + within - 1, what: "this is not a tag like [Game \"osbox\"]".to_owned() }
        }
        other => ReadError { line, what: format!("in the record that begins here: {other}") },
    })?;
    replay(registry, line, &record, now)
        .map_err(|what| ReadError { line, what: format!("in the record that begins here: {what}") })
}

fn check_size(record: &Record) -> Result<(), String> {
    if record.moves.len() > MOST_MOVES {
        return Err(format!("it has more than {MOST_MOVES} moves"));
    }
    if record.tags.len() > MOST_TAGS {
        return Err(format!("it has more than {MOST_TAGS} tags"));
    }
    for (index, (name, value)) in record.tags.iter().enumerate() {
        let is_known = KNOWN.contains(&name.as_str());
        if is_known && record.tags.iter().take(index).any(|(other, _)| other == name) {
            return Err(format!("[{name}] stands there twice"));
        }
        if !is_known && value.chars().count() > LONGEST_TAG {
            return Err(format!("[{name}] has more than {LONGEST_TAG} characters"));
        }
        if value.contains(|sign| is_unwanted(sign) && sign != '\r') {
            return Err(format!("[{name}] holds a control character"));
        }
        check_text(value).map_err(|()| format!("[{name}] holds a control character"))?;
    }
    for entry in &record.moves {
        let comment = entry.comment.as_deref().unwrap_or_default();
        if comment.chars().count() > LONGEST_COMMENT {
            return Err(format!(
                "the comment on move {} has more than {LONGEST_COMMENT} characters",
                entry.number
            ));
        }
        check_text(comment)
            .map_err(|()| format!("the comment on move {} holds a control character", entry.number))?;
    }
    Ok(())
}

fn check_text(text: &str) -> Result<(), ()> {
    let fine = |c: char| !c.is_control() || matches!(c, '\n' | '\r' | '\t');
    if text.chars().all(fine) { Ok(()) } else { Err(()) }
}

fn replay(registry: &'static Registry, line: usize, record: &Record, now: Millis) -> Result<Played, String> {
    check_size(record)?;
    let start = read_start(registry, record, now)?;
    let options = parse_options(start.game, record.tag("Options").unwrap_or(""), start.players.len())?;
    let mut board =
        Board::imagine(start.game, options, start.players.len(), &Seed(start.seed), start.started);
    let mut said = Vec::new();
    for (index, entry) in record.moves.iter().enumerate() {
        let at = start.times.get(index).copied().unwrap_or(start.ended);
        if entry.number as usize != index + 1 {
            return Err(format!("move {} stands where move {} should be", entry.number, index + 1));
        }
        make_move(&mut board, &entry.text, entry.auto, at)
            .map_err(|error| format!("move {}, `{}`: {error}", entry.number, echo(&entry.text)))?;
        if let Some(text) = entry.comment.clone().filter(|text| !text.is_empty()) {
            let text = clean_text(&text);
            said.push(Said { ply: index as i64 + 1, seat: 0, text, at });
        }
    }
    if record.tag("Termination") == Some("agreement")
        && let Standing::ToMove(next) = board.standing()
    {
        agree(&mut board, next, start.ended)?;
    }
    for speech in &mut said {
        speech.seat = board.present_seat(usize::try_from(speech.ply - 1).unwrap_or(0));
    }
    let Standing::Over(outcome) = board.standing() else {
        return Err("the game is not over; only finished games can be imported".to_owned());
    };
    let winners = list_seats(&outcome.winners());
    check_claims(record, &board, &winners)?;
    let mut essence = record.clone();
    essence.tags.retain(|(name, _)| !matches!(name.as_str(), "Board" | "Commitment"));
    let number = match record.tag("Board") {
        None => None,
        Some(text) => Some(text.parse().map_err(|_| format!("`{}` is no board number", echo(text)))?),
    };
    Ok(Played {
        line,
        players: start.players,
        board,
        number: number.filter(|number| (101..=GREATEST_NUMBER).contains(number)),
        digest: to_hex(&Sha256::digest(essence.to_string().as_bytes())),
        essence: essence_of(record),
        kept: record.tags.iter().filter(|(name, _)| !KNOWN.contains(&name.as_str())).cloned().collect(),
        seed: start.seed,
        ended: start.ended,
        said,
        winners,
        reason: outcome.reason.to_owned(),
    })
}

/// Identity of a game: its record without board number, comments and foreign tags.
pub(super) fn essence_of(record: &Record) -> String {
    let mut essence = record.clone();
    essence.tags.retain(|(name, _)| {
        matches!(name.as_str(), "Game" | "Options" | "Players" | "Seed" | "Started" | "Ended" | "Result")
    });
    essence.tags.sort();
    for entry in &mut essence.moves {
        entry.comment = None;
    }
    essence.to_string().to_lowercase()
}

fn make_move(board: &mut Board, text: &str, auto: bool, at: Millis) -> Result<(), String> {
    let Standing::ToMove(next) = board.standing() else { return Err("the game is over".to_owned()) };
    if text.eq_ignore_ascii_case(MoveKind::Draw.as_str()) {
        return agree(board, next, at);
    }
    if let Some((kind, winners)) = read_decision(text) {
        let plays = |seat: &Seat| board.seats.iter().any(|row| seat_at(row.seat) == *seat);
        if !winners.iter().all(plays) {
            return Err("somebody was to win who does not play".to_owned());
        }
        board.decide(kind, &winners, next, at);
        return Ok(());
    }
    match read_departure(text) {
        Some((_, Some(seat))) if !board.still_plays(seat) => {
            return Err("somebody resigns who does not play".to_owned());
        }
        Some((kind, seat)) => board.retire(seat.unwrap_or(next), kind, auto, at),
        None => board.play(Turn::from_word(text), auto, at).map_err(|error| error.to_string())?,
    }
    Ok(())
}

fn agree(board: &mut Board, next: Seat, at: Millis) -> Result<(), String> {
    if !board.game.meta().abilities.has(Ability::Draw) {
        return Err(format!("{} has no draws by agreement", board.title()));
    }
    board.agree_on_draw(next, at);
    Ok(())
}

/// The record's claims must match its moves.
fn check_claims(record: &Record, board: &Board, winners: &str) -> Result<(), String> {
    let result = record.tag("Result").unwrap_or(winners);
    if result != winners {
        return Err(format!("[Result] is `{}`, but the moves lead to `{winners}`", echo(result)));
    }
    let position = board.position_text();
    if let Some(told) = record.tag("Position").filter(|told| *told != position) {
        return Err(format!("[Position] is `{}`, but the moves lead to `{position}`", echo(told)));
    }
    if let (Some(told), Some(number), Some(seed)) =
        (record.tag("Commitment"), record.tag("Board"), record.tag("Seed"))
        && !commitment(board.game.meta().name, number, &seed.to_lowercase()).eq_ignore_ascii_case(told)
    {
        return Err("[Seed] is not the one that [Commitment] promised".to_owned());
    }
    Ok(())
}

pub(super) fn states(board: &Board) -> Vec<SeatState> {
    let state_of = |seat: i64| {
        let gave_up = board.entries.iter().find(|entry| {
            seat_at(entry.row.seat) == seat_at(seat)
                && matches!(entry.row.kind, MoveKind::Resign | MoveKind::Forfeit)
        });
        match gave_up.map(|entry| entry.row.kind) {
            Some(MoveKind::Forfeit) => SeatState::Forfeited,
            Some(_) => SeatState::Resigned,
            None => SeatState::Playing,
        }
    };
    board.seats.iter().map(|row| state_of(row.seat)).collect()
}
