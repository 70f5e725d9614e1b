//! `knotpost think`: a computer player's decision in a position.

use super::{Stopwatch, flags::Words};
use crate::cli::play::{
    self,
    request::{Request, RequestError},
};
use knotpost_bots::{Answer, FindBot, Level, Player, VERSION};
use knotpost_rules::Registry;
use serde::Serialize;
use std::process::ExitCode;

const USAGE: &str = "\
Usage: knotpost think GAME [options] [MOVE ...]

Says what a computer player would do in a position. Options, moves and
positions are those of `knotpost play`.

  --players N        how many seats there are (default: the fewest)
  --position 'POS'   start from a position string
  --record FILE      replay a game record, then the moves given
  --seed HEX         64 hexadecimal digits (default 0...) that both chances come
                     from: what is dealt and rolled before the position, and
                     what the search tries; another seed may find another of
                     equally good moves
  --level N          how well to play, from 1 to 8 (default 8)
  --nodes N          instead of a level: search this number of nodes
  --time MS          instead of a level: search for this number of milliseconds
  --json             one JSON object
";

const BEST: &str = "8";

/// A decision; the order of the fields is part of the interface.
#[derive(Serialize)]
struct Thought<'a> {
    r#move: &'a str,
    level: Option<u8>,
    value: Vec<f64>,
    proven: bool,
    line: &'a [String],
    nodes: u64,
    depth: u32,
    ms: u64,
    cut: bool,
    version: &'static str,
}

pub(super) fn execute(words: &[String], registry: &Registry, find_bot: FindBot) -> ExitCode {
    play::answer(words, USAGE, |writer| {
        let watch = Stopwatch::start();
        let (player, answer) = think(words, (registry, find_bot), &watch)?;
        writer.json(&Thought::of(player, &answer, watch.read()))?;
        Ok(writer.plain(&tell(&answer))?)
    })
}

fn think(
    words: &[String],
    (registry, find_bot): (&Registry, FindBot),
    watch: &Stopwatch,
) -> Result<(Player, Answer), RequestError> {
    let mut words = Words::of(words, "think")?;
    let player = read_player(&mut words)?;
    let request = Request::parse(&words.0, registry)?;
    let table = request.replay()?;
    if table.outcome().is_some() {
        return Err(RequestError::Over);
    }
    let name = request.game.meta().name;
    let bot = find_bot(name).ok_or(RequestError::NoBot(name))?;
    let most = if let Player::Time(most) = player { most } else { u64::MAX };
    let answer = bot.think(table.position.as_ref(), player, &request.seed, &mut || watch.read() >= most);
    answer.map(|answer| (player, answer)).ok_or(RequestError::Stuck)
}

fn read_player(words: &mut Words) -> Result<Player, RequestError> {
    let level = words.take("--level")?;
    let nodes = words.take_number("--nodes", 1)?;
    let time = words.take_number("--time", 1)?;
    match (level, nodes, time) {
        (level, None, None) => {
            let level = level.as_deref().unwrap_or(BEST);
            level.parse().ok().and_then(Level::new).map(Player::Level).ok_or(RequestError::Level)
        }
        (None, Some(nodes), None) => Ok(Player::Nodes(nodes)),
        (None, None, Some(time)) => Ok(Player::Time(time)),
        _ => Err(RequestError::Exclusive("--level, --nodes and --time")),
    }
}

impl<'a> Thought<'a> {
    fn of(player: Player, answer: &'a Answer, ms: u64) -> Self {
        let level = if let Player::Level(level) = player { Some(level.number()) } else { None };
        Self {
            r#move: &answer.turn,
            level,
            value: answer.values.iter().map(|value| round(*value)).collect(),
            proven: answer.proven,
            line: &answer.line,
            nodes: answer.nodes,
            depth: answer.depth,
            ms,
            cut: answer.cut,
            version: VERSION,
        }
    }
}

fn round(value: f32) -> f64 {
    (f64::from(value) * 1000.0).round() / 1000.0
}

fn tell(answer: &Answer) -> String {
    let values: Vec<String> = answer.values.iter().map(|value| format!("{:.0} %", value * 100.0)).collect();
    let certain = if answer.proven { ", proven" } else { "" };
    let (turn, values, line) = (&answer.turn, values.join(", "), answer.line.join(" "));
    let Answer { nodes, depth, .. } = answer;
    format!("{turn}\n\nValue by seat: {values}{certain}\nExpected: {line}\n{nodes} nodes, depth {depth}\n")
}
