//! Reading of tournament report files.

use std::collections::{BTreeMap, HashMap};
use std::ops::RangeInclusive;

use crate::record::{Colour, Entry, KeptApart, Outcome, Player, Points, Record, Scoring};

/// The most players of a tournament: matchings need memory for the square of them.
const MOST_PLAYERS: usize = 1000;

/// A line that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {reason}")]
pub struct TrfError {
    /// The number of the line, from 1.
    pub line: usize,
    /// The reason, as one clause.
    pub reason: &'static str,
}

/// One round as the file has it: the opponent by number.
struct Cell {
    opponent: u32,
    colour: Option<Colour>,
    result: char,
}

struct Row {
    line: usize,
    player: Player,
    cells: Vec<Cell>,
}

/// Reads a file whose lines end in CR, LF or both. Lines of kinds that no pairing needs are passed over.
pub fn read_trf(text: &str) -> Result<Record, TrfError> {
    let mut record = Record::default();
    let mut pairing_bye = None;
    let mut rows: BTreeMap<u32, Row> = BTreeMap::new();
    let mut apart: Vec<(usize, Option<RangeInclusive<usize>>, Vec<u32>)> = Vec::new();
    let mut byes: Vec<(usize, char, usize, Vec<u32>)> = Vec::new();
    for (at, text) in lines(text).enumerate() {
        let line = at + 1;
        let fail = |reason| TrfError { line, reason };
        let text = text.trim_start_matches('\u{feff}');
        let (kind, rest) = split_chars(text, 3);
        match kind {
            "001" => {
                if rows.len() == MOST_PLAYERS {
                    return Err(fail("a file has at most 1000 players"));
                }
                let row = read_player(line, text).map_err(fail)?;
                if rows.insert(row.player.number, row).is_some() {
                    return Err(fail("this starting number was there before"));
                }
            }
            "012" => rest.trim().clone_into(&mut record.title),
            "142" | "XXR" => record.rounds = Some(read_number(rest).map_err(fail)? as usize),
            "152" => {
                record.first_colour =
                    Some(read_colour(rest.trim()).ok_or_else(|| fail("W or B is missing"))?);
            }
            "XXC" => {
                for word in rest.split_whitespace() {
                    match word {
                        "white1" => record.first_colour = Some(Colour::White),
                        "black1" => record.first_colour = Some(Colour::Black),
                        _ => {}
                    }
                }
            }
            "162" => read_point_system(rest, &mut record.scoring, &mut pairing_bye).map_err(fail)?,
            "192" if !["", "FIDE_DUTCH", "FIDE_DUTCH_2025", "FIDE_DUTCH_2026"].contains(&rest.trim()) => {
                return Err(fail("this system of pairing is not known"));
            }
            "240" => {
                let mut words = rest.split_whitespace();
                let kind = words.next().and_then(|word| word.chars().next()).unwrap_or(' ');
                let round = read_number(words.next().unwrap_or("")).map_err(fail)? as usize;
                byes.push((line, kind, round, read_numbers(words).map_err(fail)?));
            }
            "260" => {
                let (rounds, players) = split_chars(rest, 8);
                let rounds = read_rounds(rounds).map_err(fail)?;
                apart.push((line, rounds, read_numbers(players.split_whitespace()).map_err(fail)?));
            }
            "XXP" => apart.push((line, None, read_numbers(rest.split_whitespace()).map_err(fail)?)),
            "BBW" | "BBD" | "BBL" | "BBZ" | "BBF" | "BBU" => {
                let points = read_points(rest.trim()).ok_or_else(|| fail("points are missing"))?;
                let scoring = &mut record.scoring;
                *match kind {
                    "BBW" => &mut scoring.win,
                    "BBD" => &mut scoring.draw,
                    "BBL" => &mut scoring.loss,
                    "BBZ" => &mut scoring.absent,
                    "BBF" => &mut scoring.forfeit_loss,
                    _ => pairing_bye.insert(points),
                } = points;
            }
            _ => {}
        }
    }
    record.scoring.pairing_bye = pairing_bye.unwrap_or(record.scoring.win);
    assemble(record, rows, apart, byes)
}

fn lines(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = Some(text);
    std::iter::from_fn(move || {
        let text = rest?;
        let Some(end) = text.find(['\r', '\n']) else {
            rest = None;
            return Some(text);
        };
        let after = &text[end..];
        rest = Some(after.strip_prefix("\r\n").unwrap_or(&after[1..]));
        Some(&text[..end])
    })
}

/// Splits a text after a number of characters, or where it ends.
fn split_chars(text: &str, count: usize) -> (&str, &str) {
    let at = text.char_indices().nth(count).map_or(text.len(), |(at, _)| at);
    text.split_at(at)
}

fn read_number(text: &str) -> Result<u32, &'static str> {
    text.trim().parse().map_err(|_| "a number is missing")
}

/// Reads the first and the last round, counted from 1; without any, all rounds are meant.
fn read_rounds(text: &str) -> Result<Option<RangeInclusive<usize>>, &'static str> {
    let mut words = text.split_whitespace();
    let Some(first) = words.next() else { return Ok(None) };
    let (first, last) = (read_number(first)?, read_number(words.next().unwrap_or(""))?);
    let from_nought = |round: u32| (round as usize).checked_sub(1).ok_or("the first round is 1");
    Ok(Some(from_nought(first)?..=from_nought(last)?))
}

fn read_numbers<'a>(words: impl Iterator<Item = &'a str>) -> Result<Vec<u32>, &'static str> {
    words.map(read_number).collect()
}

fn read_colour(text: &str) -> Option<Colour> {
    match text {
        "w" | "W" => Some(Colour::White),
        "b" | "B" => Some(Colour::Black),
        _ => None,
    }
}

fn read_points(text: &str) -> Option<Points> {
    let (whole, part) = text.split_once(['.', ',']).unwrap_or((text, "0"));
    let whole: u32 = whole.trim().parse().ok()?;
    let tenths: u32 = part.trim().parse().ok()?;
    (part.len() == 1).then_some(())?;
    (whole < 100).then(|| Points::from_tenths(whole * 10 + tenths))
}

/// Reads pairs of a letter and points: W, D, L for games, A for absences, P for the bye of the odd player.
fn read_point_system(
    text: &str,
    scoring: &mut Scoring,
    pairing_bye: &mut Option<Points>,
) -> Result<(), &'static str> {
    let mut words = text.split_whitespace();
    while let Some(code) = words.next() {
        let points = words.next().and_then(read_points).ok_or("points are missing")?;
        match code {
            "W" => scoring.win = points,
            "D" => scoring.draw = points,
            "L" => scoring.loss = points,
            "A" => (scoring.absent, scoring.forfeit_loss) = (points, points),
            "P" => *pairing_bye = Some(points),
            _ => return Err("the letters of a point system are W, D, L, A and P"),
        }
    }
    Ok(())
}

fn read_player(line: usize, text: &str) -> Result<Row, &'static str> {
    let characters: Vec<char> = text.chars().collect();
    let field = |from: usize, to: usize| -> String {
        characters.iter().skip(from).take(to - from).collect::<String>().trim().to_owned()
    };
    let number =
        read_number(&field(4, 8)).ok().filter(|&number| number > 0).ok_or("a starting number is missing")?;
    let rating = field(48, 52).parse().unwrap_or(0);
    let mut cells = Vec::new();
    for at in (91..characters.len()).step_by(10) {
        let (opponent, colour, result) = (field(at, at + 4), field(at + 5, at + 6), field(at + 7, at + 8));
        let nothing = opponent.is_empty() && result.is_empty();
        cells.push(Cell {
            opponent: if opponent.is_empty() { 0 } else { read_number(&opponent)? },
            colour: read_colour(&colour),
            result: if nothing { 'Z' } else { result.chars().next().ok_or("a result is missing")? },
        });
    }
    Ok(Row { line, player: Player { number, name: field(14, 47), rating, entries: Vec::new() }, cells })
}

fn assemble(
    mut record: Record,
    rows: BTreeMap<u32, Row>,
    apart: Vec<(usize, Option<RangeInclusive<usize>>, Vec<u32>)>,
    byes: Vec<(usize, char, usize, Vec<u32>)>,
) -> Result<Record, TrfError> {
    let places: HashMap<u32, usize> = rows.keys().enumerate().map(|(at, &number)| (number, at)).collect();
    let find = |line: usize, number: u32| {
        places.get(&number).copied().ok_or(TrfError { line, reason: "there is no player with this number" })
    };
    let mut lines = Vec::new();
    for row in rows.into_values() {
        let line = row.line;
        lines.push(line);
        let mut player = row.player;
        for cell in row.cells {
            let opponent = if cell.opponent == 0 { None } else { Some(find(line, cell.opponent)?) };
            let entry =
                read_entry(opponent, cell.colour, cell.result).map_err(|reason| TrfError { line, reason })?;
            player.entries.push(entry);
        }
        record.players.push(player);
    }
    for (line, kind, round, numbers) in byes {
        let entry = match kind {
            'F' => Entry::FullBye,
            'H' => Entry::HalfBye,
            'Z' => Entry::Absent,
            _ => return Err(TrfError { line, reason: "a bye is F, H or Z" }),
        };
        for number in numbers {
            let entries = &mut record.players[find(line, number)?].entries;
            if round == entries.len() + 1 {
                entries.push(entry);
            }
        }
    }
    for (line, rounds, numbers) in apart {
        let players = numbers.into_iter().map(|number| find(line, number)).collect::<Result<_, _>>()?;
        record.kept_apart.push(KeptApart { players, rounds });
    }
    check_pairs(&record, &lines)?;
    Ok(record)
}

fn read_entry(opponent: Option<usize>, colour: Option<Colour>, result: char) -> Result<Entry, &'static str> {
    let Some(opponent) = opponent else {
        return match result {
            'U' | '+' => Ok(Entry::PairingBye),
            'F' => Ok(Entry::FullBye),
            'H' => Ok(Entry::HalfBye),
            'Z' | '-' | ' ' => Ok(Entry::Absent),
            _ => Err("a round without an opponent is U, F, H or Z"),
        };
    };
    let played = |outcome| colour.map(|colour| Entry::Game { opponent, colour, outcome });
    let unplayed = |outcome| colour.map(|colour| Entry::Forfeit { opponent, colour, outcome });
    match result {
        '1' | 'W' | 'w' => played(Outcome::Win),
        '=' | 'D' | 'd' => played(Outcome::Draw),
        '0' | 'L' | 'l' => played(Outcome::Loss),
        '+' => unplayed(Outcome::Win),
        '-' => unplayed(Outcome::Loss),
        _ => return Err("a result is 1, =, 0, + or -"),
    }
    .ok_or("the colour of a pairing is w or b")
}

/// Both players of a pairing must name each other, with different colours, and both as played or both as not played.
fn check_pairs(record: &Record, lines: &[usize]) -> Result<(), TrfError> {
    for ((index, player), &line) in record.players.iter().enumerate().zip(lines) {
        for (round, &entry) in player.entries.iter().enumerate() {
            let Some(opponent) = entry.opponent() else { continue };
            let other = record.players[opponent].entry(round);
            let agree = opponent != index
                && other.opponent() == Some(index)
                && other.met().is_some() == entry.met().is_some()
                && other.colour() != entry.colour();
            if !agree {
                return Err(TrfError {
                    line,
                    reason: "the opponent's line says something else of this pairing",
                });
            }
        }
    }
    Ok(())
}
