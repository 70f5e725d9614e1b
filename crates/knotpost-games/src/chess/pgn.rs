//! Records as PGN, Portable Game Notation by Steven Edwards, in its export form; read in its import form.

use super::{Chess, META};
use knotpost_rules::{
    Game, GameOptions, Record, Seed,
    record::{Format, RecordMove},
};
use std::fmt::Write as _;

pub(super) const PGN: Format = Format { word: "pgn", media: "application/x-chess-pgn", write, read };

/// The tag for an end that is no move: `resign`, `draw` and the like.
const ENDING: &str = "Ending";
/// Columns of a line.
const WIDTH: usize = 80;
/// Results with the tag of a record.
const RESULTS: [(&str, &str); 3] = [("1", "1-0"), ("2", "0-1"), ("1,2", "1/2-1/2")];

fn start() -> Chess {
    Chess::setup(&GameOptions::defaults(META.options), 2, &Seed::default())
}

fn write(record: &Record) -> String {
    let text = |name: &str| record.tag(name).unwrap_or_default();
    let mut players = text("Players").split_whitespace();
    let mut player = || players.next().unwrap_or("?").to_owned();
    let day = text("Started").get(..10).map_or_else(|| "????.??.??".to_owned(), |day| day.replace('-', "."));
    let result = RESULTS.iter().find(|(tag, _)| *tag == text("Result")).map_or("*", |(_, result)| *result);
    let board = record.tag("Board").map_or_else(|| "?".to_owned(), |board| format!("Board {board}"));
    let mut tags = vec![
        ("Event", board),
        ("Site", "?".to_owned()),
        ("Date", day),
        ("Round", "-".to_owned()),
        ("White", player()),
        ("Black", player()),
        ("Result", result.to_owned()),
    ];
    let (mut game, mut words, mut was_said) = (start(), Vec::new(), false);
    for (ply, entry) in record.moves.iter().enumerate() {
        let Ok(mv) = game.read(&entry.text) else {
            tags.push((ENDING, entry.text.clone()));
            continue;
        };
        if ply % 2 == 0 {
            words.push(format!("{}.", ply / 2 + 1));
        } else if was_said {
            words.push(format!("{}...", ply / 2 + 1));
        }
        words.push(game.list(&mv));
        was_said = entry.comment.is_some();
        if let Some(comment) = &entry.comment {
            words.extend(format!("{{{}}}", comment.replace('}', ")")).split_whitespace().map(str::to_owned));
        }
        if game.play(&mv).is_err() {
            break;
        }
    }
    words.push(result.to_owned());
    let escape = |value: &str| value.replace('\\', "\\\\").replace('"', "\\\"");
    let mut pgn = String::new();
    for (name, value) in tags {
        let _ = writeln!(pgn, "[{name} \"{}\"]", escape(&value));
    }
    let mut line = String::new();
    for word in words {
        if !line.is_empty() && line.len() + 1 + word.len() >= WIDTH {
            let _ = write!(pgn, "\n{line}");
            line.clear();
        }
        line.push_str(if line.is_empty() { "" } else { " " });
        line.push_str(&word);
    }
    pgn + "\n" + &line + "\n"
}

/// A game of a file: its tags, its moves as they stand there with what is said of each, the result behind them.
#[derive(Default)]
struct Found {
    tags: Vec<(String, String)>,
    moves: Vec<(String, Option<String>)>,
    result: Option<String>,
}

impl Found {
    fn tag(&self, name: &str) -> Option<&str> {
        self.tags.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
    }
}

fn read(text: &str) -> Option<Result<Vec<Record>, String>> {
    let text = text.trim_start_matches('\u{feff}').trim_start();
    let first = text.strip_prefix('[')?.split_whitespace().next()?;
    // A record of the server says which game it is of.
    let mut tags = text.lines().take_while(|line| line.starts_with('['));
    let is_pgn = ["Event", "Site", "Date", "Round", "White", "Black", "Result"].contains(&first)
        && !tags.any(|tag| tag.starts_with("[Game "));
    is_pgn.then(|| {
        let games = take_apart(text)?;
        let number = |(number, found): (usize, &Found)| {
            understand(found).map_err(|what| format!("in PGN game {}: {what}", number + 1))
        };
        games.iter().enumerate().map(number).collect()
    })
}

fn take_apart(text: &str) -> Result<Vec<Found>, String> {
    let mut games: Vec<Found> = Vec::new();
    let mut rest = text;
    loop {
        rest = rest.trim_start();
        let Some(sign) = rest.chars().next() else { return Ok(games) };
        let is_done = games.last().is_none_or(|game| game.result.is_some());
        if sign == '[' {
            if is_done || games.last().is_some_and(|game| !game.moves.is_empty()) {
                games.push(Found::default());
            }
            let (tag, after) = read_tag(rest).ok_or("a tag is not like [White \"ann\"]")?;
            games.last_mut().into_iter().for_each(|game| game.tags.push(tag.clone()));
            rest = after;
            continue;
        }
        let game = games.last_mut().ok_or("moves stand before the first tag")?;
        rest = match sign {
            '{' => {
                let (said, after) = rest.split_once('}').ok_or("a comment is not closed")?;
                if let Some((_, comment)) = game.moves.last_mut() {
                    let said = said.trim_start_matches('{').split_whitespace().collect::<Vec<_>>().join(" ");
                    *comment = Some(said).filter(|said| !said.is_empty());
                }
                after
            }
            ';' | '%' => rest.split_once('\n').map_or("", |(_, after)| after),
            '(' => skip_variation(rest).ok_or("a variation is not closed")?,
            _ => {
                let ends = |sign: char| sign.is_whitespace() || "{}()[];".contains(sign);
                let (word, after) = rest.split_at(rest.find(ends).unwrap_or(rest.len()).max(1));
                take_word(game, word);
                after
            }
        };
    }
}

fn take_word(game: &mut Found, word: &str) {
    let is_result = word == "*" || RESULTS.iter().any(|(_, result)| *result == word);
    // `12.`, `12...`, and `12.e4`.
    let bare = match word.split_once('.') {
        Some((number, rest)) if number.bytes().all(|sign| sign.is_ascii_digit()) => {
            rest.trim_start_matches('.')
        }
        _ => word,
    };
    if is_result {
        game.result = Some(word.to_owned());
    } else if !bare.is_empty() && !bare.starts_with('$') && !bare.bytes().all(|sign| sign.is_ascii_digit()) {
        game.moves.push((bare.to_owned(), None));
    }
}

fn read_tag(text: &str) -> Option<((String, String), &str)> {
    let (name, after) = text.strip_prefix('[')?.trim_start().split_once(char::is_whitespace)?;
    let mut value = String::new();
    let mut signs = after.trim_start().strip_prefix('"')?.chars();
    loop {
        match signs.next()? {
            '"' => break,
            '\\' => value.push(signs.next()?),
            sign => value.push(sign),
        }
    }
    Some(((name.to_owned(), value), signs.as_str().trim_start().strip_prefix(']')?))
}

/// The text behind a variation, which may hold others.
fn skip_variation(text: &str) -> Option<&str> {
    let (mut depth, mut is_said) = (0_u32, false);
    for (at, sign) in text.char_indices() {
        match sign {
            '{' => is_said = true,
            '}' => is_said = false,
            '(' if !is_said => depth += 1,
            ')' if !is_said => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return text.get(at + 1..);
        }
    }
    None
}

fn understand(found: &Found) -> Result<Record, String> {
    let variant = found.tag("Variant").is_some_and(|name| !name.eq_ignore_ascii_case("standard"));
    if variant || found.tag("FEN").is_some_and(|fen| fen != start().to_string()) {
        return Err("only games of chess from the usual start can be imported".to_owned());
    }
    let mut game = start();
    let mut record = Record::default();
    for (word, comment) in &found.moves {
        let number = record.moves.len() as u32 + 1;
        let broken = |why: String| format!("move {number}, {word}: {why}");
        let mv = game.read(word).map_err(|error| broken(error.to_string()))?;
        game.play(&mv).map_err(|error| broken(error.to_string()))?;
        record.moves.push(RecordMove { number, text: mv.to_string(), auto: false, comment: comment.clone() });
    }
    let result = found.result.as_deref().or(found.tag("Result")).unwrap_or("*");
    let Some((winners, _)) = RESULTS.iter().find(|(_, written)| *written == result) else {
        return Err("the result is not known; only finished games can be imported".to_owned());
    };
    if !game.is_over() {
        let loser = if *winners == "1" { 2 } else { 1 };
        let termination = found.tag("Termination").unwrap_or("normal").to_ascii_lowercase();
        let end = match (found.tag(ENDING), termination.as_str(), *winners) {
            (Some(word), ..) => word.to_owned(),
            (None, "normal", "1,2") => "draw".to_owned(),
            (None, "normal", _) => format!("resign:{loser}"),
            (None, "time forfeit", "1" | "2") => format!("forfeit:{loser}"),
            (None, _, winners) => format!("adjudicated:{winners}"),
        };
        let number = record.moves.len() as u32 + 1;
        record.moves.push(RecordMove { number, text: end, auto: false, comment: None });
    }
    let name = |tag: &str, usual: &str| {
        let keep = |sign: char| if sign.is_ascii_alphanumeric() || "_-".contains(sign) { sign } else { '_' };
        let player = found.tag(tag).filter(|player| !matches!(*player, "" | "?"));
        player.unwrap_or(usual).chars().map(keep).collect::<String>()
    };
    let mut tag = |name: &str, value: String| record.tags.push((name.to_owned(), value));
    tag("Game", META.name.to_owned());
    tag("Options", String::new());
    tag("Players", format!("{} {}", name("White", "white"), name("Black", "black")));
    let day = found.tag("Date").unwrap_or_default();
    if day.len() == 10 && day.bytes().all(|sign| sign == b'.' || sign.is_ascii_digit()) {
        tag("Started", format!("{}T00:00:00Z", day.replace('.', "-")));
    }
    tag("Result", (*winners).to_owned());
    Ok(record)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moves(record: &Record) -> Vec<&str> {
        record.moves.iter().map(|mv| mv.text.as_str()).collect()
    }

    #[test]
    fn a_record_comes_back_from_pgn_as_it_was() {
        let ends = [
            (&["f2-f3", "e7-e5", "g2-g4", "d8-h4"][..], "2"),
            (&["e2-e4", "resign"], "2"),
            (&["e2-e4", "e7-e5", "e1-e2", "draw"], "1,2"),
            (&["adjudicated:1"], "1"),
        ];
        for (moves, result) in ends {
            let tags = [("Game", "chess"), ("Options", ""), ("Players", "ann bob"), ("Result", result)];
            let moves = (1..).zip(moves).map(|(number, text)| RecordMove {
                number,
                text: (*text).to_owned(),
                auto: false,
                comment: (number == 1 && text.contains('-')).then(|| "what about this?".to_owned()),
            });
            let record = Record {
                tags: tags.map(|(name, value)| (name.to_owned(), value.to_owned())).to_vec(),
                moves: moves.collect(),
            };
            assert_eq!(read(&write(&record)), Some(Ok(vec![record.clone()])), "{}", write(&record));
        }
    }

    #[test]
    fn the_export_form_is_written() {
        let text = "[Game \"chess\"]\n[Board \"7\"]\n[Players \"ann bob\"]\n[Started \"2026-11-20T10:00:00Z\"]\n[Result \"2\"]\n\n1. f2-f3 {oh} 2. e7-e5 3. g2-g4 4. d8-h4\n";
        let expected = "[Event \"Board 7\"]\n[Site \"?\"]\n[Date \"2026.11.20\"]\n[Round \"-\"]\n[White \"ann\"]\n[Black \"bob\"]\n[Result \"0-1\"]\n\n1. f3 {oh} 1... e5 2. g4 Qh4# 0-1\n";
        assert_eq!(write(&text.parse().unwrap()), expected);
        assert!(read(text).is_none(), "a record of the server is none of PGN");
    }

    #[test]
    fn games_of_other_programs_are_read() {
        let text = "[Event \"x\"]\n[White \"A. \\\"B\\\"\"]\n[Date \"2020.05.06\"]\n[Result \"1-0\"]\n\n1.e4 $1 e5 (1... c5 {a ) here} 2. Nf3 (2. c3)) 2.Bc4 ; to the end\n Nc6 3.Qh5 {good} Nf6?? 4.Qxf7# 1-0\n\n[Event \"y\"]\n[Termination \"time forfeit\"]\n\n1. d4 0-1\n[Event \"z\"]\n1. c4 1/2-1/2";
        let records = read(text).unwrap().unwrap();
        let first = ["e2-e4", "e7-e5", "f1-c4", "b8-c6", "d1-h5", "g8-f6", "h5-f7"];
        assert_eq!(moves(&records[0]), first);
        assert_eq!(records[0].tag("Players"), Some("A___B_ black"));
        assert_eq!(records[0].tag("Started"), Some("2020-05-06T00:00:00Z"));
        assert_eq!(records[0].moves[4].comment.as_deref(), Some("good"));
        assert_eq!(moves(&records[1]), ["d2-d4", "forfeit:1"]);
        assert_eq!(moves(&records[2]), ["c2-c4", "draw"]);
    }

    #[test]
    fn what_cannot_be_imported_is_said() {
        let cases = [
            ("1. e4 e4 1-0", "in PGN game 1: move 2, e4: the pawn on a7 cannot go to e4"),
            ("1. e4 *", "in PGN game 1: the result is not known; only finished games can be imported"),
            ("1. e4 {oh", "a comment is not closed"),
            ("1. e4 (1. d4", "a variation is not closed"),
            (
                "[FEN \"8/8/8/8/8/8/8/8 w - - 0 1\"]\n1. e4 1-0",
                "in PGN game 1: only games of chess from the usual start can be imported",
            ),
        ];
        for (text, expected) in cases {
            assert_eq!(read(&format!("[Event \"?\"]\n{text}")), Some(Err(expected.to_owned())), "{text}");
        }
    }
}
