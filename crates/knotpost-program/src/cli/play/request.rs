//! The arguments of `knotpost play`, before anything is played.

use super::picture::PictureFault;
use super::table::{Fault, Table};
use super::verify::Doubt;
use crate::cli::exit_codes::{EX_DATAERR, EX_IOERR, EX_NOINPUT, EX_USAGE};
use knotpost_rules::{
    AnyGame, GivenOption, Layout, OptionError, PositionError, Record, Registry, Seed, record::RecordError,
};
use std::{fs, io, path::PathBuf};

pub(in crate::cli) struct Request<'a> {
    pub game: &'a dyn AnyGame,
    pub options: Vec<GivenOption>,
    pub players: usize,
    pub position: Option<String>,
    pub seed: Seed,
    /// Moves and words, those of the record first.
    pub moves: Vec<String>,
    pub legal: bool,
    /// Random games to print instead, as lines of an oracle.
    pub dump: Option<u64>,
    pub help: bool,
    pub layout: Layout,
    pub script: Script,
    /// Record whose dice are to be verified; its start and moves are those of the request.
    pub verify: Option<Record>,
    pub pictures: Vec<PictureFile>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::cli) struct PictureFile {
    pub path: PathBuf,
    pub format: Format,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::cli) enum Format {
    Svg,
    Png,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::cli) enum Script {
    Given,
    Interactive,
}

#[derive(Debug, thiserror::Error)]
pub(in crate::cli) enum RequestError {
    #[error("no game is named; there are: {0}")]
    NoGame(String),
    #[error("there is no game `{name}`; there are: {games}")]
    UnknownGame { name: String, games: String },
    #[error("{0} needs a value")]
    NeedsValue(&'static str),
    #[error("--players takes a number from {least} to {most}, not `{text}`")]
    Players { text: String, least: usize, most: usize },
    #[error("--layout is one of: {}", Layout::ALL.map(|(_, word)| word).join(", "))]
    Layout,
    #[error(transparent)]
    Seed(#[from] knotpost_rules::ParseSeedError),
    #[error(transparent)]
    Options(#[from] OptionError),
    #[error(transparent)]
    Position(#[from] PositionError),
    #[error("the record cannot be read: {0}")]
    Unreadable(io::Error),
    #[error("this is no game record: {0}")]
    Record(#[from] RecordError),
    #[error("the record is of {0}, not of this game")]
    OtherGame(String),
    #[error("a record brings its own start: leave out {0}")]
    OwnStart(&'static str),
    #[error("--verify-dice is about the record alone: leave out {0}")]
    RecordAlone(&'static str),
    #[error("{flag} is a flag of `knotpost play`, not of `knotpost {command}`")]
    OtherCommand { flag: &'static str, command: &'static str },
    #[error("{0} exclude each other")]
    Exclusive(&'static str),
    #[error("{0} is needed: {1}")]
    Missing(&'static str, &'static str),
    #[error("{0} is a number from {1}")]
    Number(&'static str, u64),
    #[error("--level is a number from 1 to 8")]
    Level,
    #[error(transparent)]
    Seat(#[from] knotpost_bots::ParsePlayerError),
    #[error("--seats names {named} players, and --players says {players}")]
    SeatCount { named: usize, players: usize },
    #[error("no computer player plays {0}")]
    NoBot(&'static str),
    #[error("the file of --resume: {0}")]
    Saved(io::Error),
    #[error(
        "{0} has no games of this match: it differs in a player, an option, the start, the seed or the version"
    )]
    OtherMatch(String),
    #[error("line {0} of the file of --resume is no game of this match")]
    SavedLine(usize),
    #[error("the game is over: there is nothing to do")]
    Over,
    #[error("nothing can be done in this position")]
    Stuck,
    #[error(transparent)]
    Fault(#[from] Fault),
    #[error(transparent)]
    Doubt(#[from] Doubt),
    #[error(transparent)]
    Picture(#[from] PictureFault),
    #[error("{0} cannot be read: {1}")]
    OracleFile(String, io::Error),
    #[error("line {0}, {1}")]
    Different(usize, knotpost_rules::oracle::Mismatch),
    /// The input or the output ended; nobody is told.
    #[error(transparent)]
    Stream(#[from] io::Error),
}

impl RequestError {
    pub(in crate::cli) const fn code(&self) -> &'static str {
        match self {
            _ if self.is_of_usage() => "wrong_arguments",
            Self::Over => "game_over",
            Self::Fault(fault) | Self::Doubt(Doubt::Unplayable(fault)) => fault.code(),
            Self::Picture(_) => "not_written",
            Self::Different(..) => "different",
            Self::UnknownGame { .. } | Self::OtherGame(_) => "unknown_game",
            Self::Options(OptionError::Option { .. }) => "bad_option",
            Self::Options(_) | Self::SeatCount { .. } => "player_count",
            _ => "bad_value",
        }
    }

    const fn is_of_usage(&self) -> bool {
        matches!(
            self,
            Self::NoGame(_)
                | Self::NeedsValue(_)
                | Self::OwnStart(_)
                | Self::RecordAlone(_)
                | Self::OtherCommand { .. }
                | Self::Exclusive(_)
                | Self::Missing(..)
        )
    }

    pub(in crate::cli) const fn exit_code(&self) -> u8 {
        match self {
            _ if self.is_of_usage() => EX_USAGE,
            Self::Different(..) => 1,
            Self::Unreadable(_) | Self::Saved(_) | Self::OracleFile(..) => EX_NOINPUT,
            Self::Picture(_) | Self::Stream(_) => EX_IOERR,
            _ => EX_DATAERR,
        }
    }
}

#[derive(Default)]
struct Words {
    options: Vec<GivenOption>,
    plain: Vec<String>,
    position: Option<String>,
    players: Option<String>,
    record: Option<String>,
    verify: Option<String>,
    seed: Option<String>,
    svg: Option<String>,
    png: Option<String>,
    layout: Option<String>,
    dump: Option<String>,
    legal: bool,
    help: bool,
    interactive: bool,
}

impl Words {
    fn sort(words: &[String]) -> Result<Self, RequestError> {
        let mut sorted = Self::default();
        let mut rest = words.iter();
        while let Some(word) = rest.next() {
            let (name, value) =
                word.split_once('=').map_or((word.as_str(), None), |(name, value)| (name, Some(value)));
            let valued = match name {
                "--position" => Some(("--position", &mut sorted.position)),
                "--players" => Some(("--players", &mut sorted.players)),
                "--record" => Some(("--record", &mut sorted.record)),
                "--verify-dice" => Some(("--verify-dice", &mut sorted.verify)),
                "--svg" => Some(("--svg", &mut sorted.svg)),
                "--png" => Some(("--png", &mut sorted.png)),
                "--layout" => Some(("--layout", &mut sorted.layout)),
                "--dump" => Some(("--dump", &mut sorted.dump)),
                "--seed" => Some(("--seed", &mut sorted.seed)),
                _ => None,
            };
            if let Some((flag, slot)) = valued {
                let value = value.map(str::to_owned).or_else(|| rest.next().cloned());
                *slot = Some(value.ok_or(RequestError::NeedsValue(flag))?);
                continue;
            }
            match word.as_str() {
                "--json" => {}
                "--legal" => sorted.legal = true,
                "--interactive" => sorted.interactive = true,
                "--help-rules" => sorted.help = true,
                _ => match GivenOption::from_word(word) {
                    Some(option) => sorted.options.push(option),
                    None => sorted.plain.push(word.clone()),
                },
            }
        }
        Ok(sorted)
    }

    fn list_pictures(&self) -> Vec<PictureFile> {
        [(&self.svg, Format::Svg), (&self.png, Format::Png)]
            .into_iter()
            .filter_map(|(path, format)| Some(PictureFile { path: path.as_ref()?.into(), format }))
            .collect()
    }

    fn read_record(&self) -> Result<Option<Record>, RequestError> {
        if self.verify.is_some() && self.record.is_some() {
            return Err(RequestError::RecordAlone("--record"));
        }
        let Some(file) = self.verify.as_ref().or(self.record.as_ref()) else { return Ok(None) };
        let text = fs::read_to_string(file).map_err(RequestError::Unreadable)?;
        Ok(Some(text.parse()?))
    }
}

impl<'a> Request<'a> {
    /// A record that tells its game makes the game's name unnecessary.
    pub(in crate::cli) fn parse(words: &[String], registry: &'a Registry) -> Result<Self, RequestError> {
        let words = Words::sort(words)?;
        let pictures = words.list_pictures();
        let record = words.read_record()?;
        let games = || registry.iter().map(|game| game.meta().name).collect::<Vec<_>>().join(", ");
        let told = record.as_ref().and_then(|record| record.tag("Game"));
        let (name, moves) = match (words.plain.split_first(), told) {
            (Some((name, moves)), _) => (name.as_str(), moves),
            (None, Some(name)) => (name, &[][..]),
            (None, None) => return Err(RequestError::NoGame(games())),
        };
        let unknown = || RequestError::UnknownGame { name: name.to_owned(), games: games() };
        let game = registry.find(name).ok_or_else(unknown)?;
        let seats = &game.meta().players;
        let players = words.players.as_deref().map(|text| {
            let (text, least, most) = (text.to_owned(), *seats.start(), *seats.end());
            text.parse().map_err(|_| RequestError::Players { text, least, most })
        });
        let mut request = Self {
            game,
            moves: moves.to_vec(),
            players: players.transpose()?.unwrap_or(*game.meta().players.start()),
            seed: words.seed.as_deref().map_or(Ok(Seed::default()), str::parse)?,
            options: words.options,
            position: words.position,
            legal: words.legal,
            dump: words
                .dump
                .map(|text| text.parse())
                .transpose()
                .map_err(|_| RequestError::Number("--dump", 0))?,
            layout: words
                .layout
                .map_or(Ok(Layout::default()), |word| word.parse().map_err(|()| RequestError::Layout))?,
            help: words.help,
            script: if words.interactive { Script::Interactive } else { Script::Given },
            verify: None,
            pictures,
        };
        let Some(record) = record else { return Ok(request) };
        if words.players.is_some() {
            return Err(RequestError::OwnStart("--players"));
        }
        if words.verify.is_some() && !request.moves.is_empty() {
            return Err(RequestError::RecordAlone("moves"));
        }
        if words.verify.is_some() && !request.pictures.is_empty() {
            return Err(RequestError::RecordAlone("--svg and --png"));
        }
        request.follow(&record)?;
        request.verify = words.verify.map(|_| record);
        Ok(request)
    }

    /// Takes start and moves from a record; moves of the line come after them.
    fn follow(&mut self, record: &Record) -> Result<(), RequestError> {
        if !self.options.is_empty() {
            return Err(RequestError::OwnStart("game options"));
        }
        if self.position.is_some() {
            return Err(RequestError::OwnStart("--position"));
        }
        if let Some(other) =
            record.tag("Game").filter(|name| !name.eq_ignore_ascii_case(self.game.meta().name))
        {
            return Err(RequestError::OtherGame(other.to_owned()));
        }
        let options = record.tag("Options").unwrap_or("");
        self.options = options.split_whitespace().filter_map(GivenOption::from_word).collect();
        if let Some(players) = record.tag("Players") {
            self.players = players.split_whitespace().count();
        }
        if let Some(seed) = record.tag("Seed") {
            self.seed = seed.parse()?;
        }
        self.moves.splice(0..0, record.moves.iter().map(|mv| mv.text.clone()));
        Ok(())
    }

    pub(in crate::cli) fn replay(&self) -> Result<Table, RequestError> {
        let mut table = self.open()?;
        for word in &self.moves {
            table.play(word)?;
        }
        Ok(table)
    }

    pub(in crate::cli) fn open(&self) -> Result<Table, RequestError> {
        let options = self.game.parse_options(&self.options, self.players)?;
        let position = match &self.position {
            Some(text) => self.game.parse_position(&options, self.players, &self.seed, text)?,
            None => self.game.setup(&options, self.players, &self.seed),
        };
        Ok(Table::new(self.game.meta(), &options, self.players, position))
    }
}
