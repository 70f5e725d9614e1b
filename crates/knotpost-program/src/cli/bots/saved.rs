//! A file with the games of a match, so that a long one can be resumed: a line for the match, then one for each
//! finished game. A line cut short by a crash is dropped.

use std::{
    fs::{File, OpenOptions},
    io::{self, Read, Seek, SeekFrom, Write},
};

use knotpost_bots::{Contest, Game};
use serde::{Deserialize, Serialize};

use crate::cli::play::request::RequestError;

/// Identity of a match; the number of games may change.
#[derive(Serialize)]
pub(super) struct Terms<'a> {
    pub game: &'a str,
    pub options: String,
    pub position: Option<&'a str>,
    pub players: Vec<String>,
    pub random_plies: usize,
    pub seed: String,
    pub version: &'a str,
}

/// A game in the file; the rest follows from its number and its turns.
#[derive(Serialize, Deserialize)]
struct SavedGame {
    game: usize,
    moves: Vec<String>,
}

/// Locked for as long as it is open.
pub(super) struct SavedGames(File);

impl SavedGames {
    /// Creates a missing file; fails if another process has it, or it is of another match.
    pub(super) fn open(
        path: &str,
        terms: &Terms<'_>,
        contest: &Contest<'_>,
    ) -> Result<(Self, Vec<Game>), RequestError> {
        let file = OpenOptions::new().read(true).append(true).create(true).open(path);
        let mut file = file.map_err(RequestError::Saved)?;
        file.try_lock().map_err(|error| RequestError::Saved(error.into()))?;
        let mut text = String::new();
        file.read_to_string(&mut text).map_err(RequestError::Saved)?;
        let whole = text.rfind('\n').map_or(0, |end| end + 1);
        let mut lines = text.get(..whole).unwrap_or_default().lines();
        let first = serde_json::to_string(terms).map_err(|error| RequestError::Saved(error.into()))?;
        let mut saved = Self(file);
        match lines.next() {
            None => {
                // Not of a match: it must not be overwritten.
                if !text.is_empty() {
                    return Err(RequestError::OtherMatch(path.to_owned()));
                }
                saved.append(&first).map_err(RequestError::Saved)?;
                return Ok((saved, Vec::new()));
            }
            Some(line) if line != first => return Err(RequestError::OtherMatch(path.to_owned())),
            Some(_) => saved.cut(whole as u64).map_err(RequestError::Saved)?,
        }
        let mut games = Vec::new();
        for (number, line) in lines.enumerate() {
            let game = serde_json::from_str(line).ok().filter(|saved: &SavedGame| saved.game == number + 1);
            let game = game.and_then(|saved| contest.replay(number, &saved.moves));
            games.push(game.ok_or(RequestError::SavedLine(number + 2))?);
        }
        Ok((saved, games))
    }

    pub(super) fn add(&mut self, number: usize, game: &Game) -> io::Result<()> {
        let saved = SavedGame { game: number + 1, moves: game.turns.clone() };
        self.append(&serde_json::to_string(&saved)?)
    }

    /// One write, so that a crash leaves a line or the beginning of one.
    fn append(&mut self, line: &str) -> io::Result<()> {
        self.0.write_all(format!("{line}\n").as_bytes())
    }

    fn cut(&mut self, length: u64) -> io::Result<()> {
        self.0.set_len(length)?;
        self.0.seek(SeekFrom::End(0))?;
        Ok(())
    }
}
