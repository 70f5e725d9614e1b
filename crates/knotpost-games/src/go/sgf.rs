//! Go records as SGF, the Smart Game Format by Anders Kierulf, in its version 4.

use super::{KOMI, OPTIONS, Points, SCORE};
use knotpost_rules::{
    GameOptions, GivenOption, Record, Seat,
    kit::{Board, Place, Rules},
    record::{Format, RecordMove},
};
use std::{fmt::Write as _, iter::Peekable, str::Chars};

pub(super) const SGF: Format = Format {
    word: "sgf",
    media: "application/x-go-sgf",
    write: |record| write(record),
    read: |text| read(text),
};

/// The property of turns that SGF does not know.
const OTHER: &str = "KN";

fn setup(options: &str) -> Option<(GameOptions, Board)> {
    let given: Vec<_> = options.split_whitespace().filter_map(GivenOption::from_word).collect();
    let options = GameOptions::parse(&OPTIONS, &given).ok()?;
    let (_, board) = Points::setup(&options);
    Some((options, board))
}

/// Two letters: columns from the left, rows from the top.
fn write_point(board: &Board, point: Place) -> Option<String> {
    let (row, column) = board.grid.row_and_column(board.grid.find(point)?);
    let letter = |place: usize| char::from(b'a' + place as u8);
    Some([letter(column), letter(row)].iter().collect())
}

fn escape(text: &str) -> String {
    text.replace('\\', "\\\\").replace(']', "\\]")
}

/// The stones that lie on the board at the start.
fn handicap_stones(board: &Board) -> Vec<String> {
    let stones = board.grid.of(Seat::FIRST).iter();
    stones.filter_map(|cell| write_point(board, board.grid.name(cell))).collect()
}

fn write(record: &Record) -> String {
    let text = |name: &str| record.tag(name).unwrap_or_default();
    let Some((options, board)) = setup(text("Options")) else { return String::new() };
    let stones = handicap_stones(&board);
    let komi = KOMI.given(&options).unwrap_or(if stones.is_empty() { 13 } else { 1 });
    let mut sgf =
        format!("(;FF[4]GM[1]CA[UTF-8]AP[Knotpost]SZ[{}]KM[{}]", board.grid.rows(), f64::from(komi) / 2.0);
    if !stones.is_empty() {
        let _ = write!(sgf, "HA[{}]AB[{}]", stones.len(), stones.join("]["));
    }
    let _ = write!(sgf, "RU[{}]", if SCORE.of(&options) { "agreed" } else { "area" });
    for (name, player) in ["PB", "PW"].iter().zip(text("Players").split_whitespace()) {
        let _ = write!(sgf, "{name}[{}]", escape(player));
    }
    if let Some(day) = text("Started").get(..10) {
        let _ = write!(sgf, "DT[{day}]");
    }
    let how = match text("Termination") {
        "resignation" => "R",
        "forfeit" => "T",
        _ => "",
    };
    match text("Result") {
        "1" => _ = write!(sgf, "RE[B+{how}]"),
        "2" => _ = write!(sgf, "RE[W+{how}]"),
        "1,2" => sgf.push_str("RE[0]"),
        _ => {}
    }
    let mut seat = board.two.next;
    for entry in &record.moves {
        let colour = if seat == Seat::FIRST { "B" } else { "W" };
        let point = entry.text.parse().ok().and_then(|point| write_point(&board, point));
        let _ = match (point, entry.text.as_str()) {
            (Some(point), _) => write!(sgf, "\n;{colour}[{point}]"),
            (None, "pass") => write!(sgf, "\n;{colour}[]"),
            (None, other) => write!(sgf, "\n;{OTHER}[{}]", escape(other)),
        };
        if let Some(comment) = &entry.comment {
            let _ = write!(sgf, "C[{}]", escape(comment));
        }
        seat = knotpost_rules::kit::other(seat);
    }
    sgf.push_str(")\n");
    sgf
}

/// A node: properties with their values.
type Node = Vec<(String, Vec<String>)>;

fn read(text: &str) -> Option<Result<Vec<Record>, String>> {
    let text = text.trim_start_matches('\u{feff}').trim_start();
    if !text.strip_prefix('(')?.trim_start().starts_with(';') {
        return None;
    }
    let mut signs = text.chars().peekable();
    let mut records = Vec::new();
    while signs.any(|sign| sign == '(') {
        let Some(nodes) = read_tree(&mut signs) else {
            return Some(Err("the SGF ends too early".to_owned()));
        };
        let number = records.len() + 1;
        match understand(&nodes) {
            Ok(Some(record)) => records.push(record),
            Ok(None) => return None,
            Err(what) => return Some(Err(format!("in SGF game {number}: {what}"))),
        }
    }
    Some(Ok(records))
}

/// The main line of a tree whose bracket has been read, up to its end.
fn read_tree(signs: &mut Peekable<Chars<'_>>) -> Option<Vec<Node>> {
    let (mut nodes, mut depth, mut is_main) = (Vec::new(), 0_u32, true);
    loop {
        match signs.next()? {
            '(' => depth += 1,
            // Variations after the first one are no part of the main line.
            ')' if depth > 0 => (depth, is_main) = (depth - 1, false),
            ')' => return Some(nodes),
            ';' if is_main => nodes.push(Vec::new()),
            sign if sign.is_ascii_uppercase() => {
                let mut name = sign.to_string();
                while let Some(letter) = signs.next_if(char::is_ascii_uppercase) {
                    name.push(letter);
                }
                let values = read_values(signs)?;
                if let Some(node) = nodes.last_mut().filter(|_| is_main) {
                    node.push((name, values));
                }
            }
            _ => {}
        }
    }
}

fn read_values(signs: &mut Peekable<Chars<'_>>) -> Option<Vec<String>> {
    let mut values = Vec::new();
    loop {
        while signs.next_if(|sign| sign.is_whitespace()).is_some() {}
        if signs.next_if_eq(&'[').is_none() {
            return Some(values);
        }
        let mut value = String::new();
        loop {
            match signs.next()? {
                ']' => break,
                '\\' => value.push(signs.next()?),
                sign => value.push(sign),
            }
        }
        values.push(value);
    }
}

/// The record of a game; nothing if it is not go.
fn understand(nodes: &[Node]) -> Result<Option<Record>, String> {
    let find = |name: &str| {
        let root = nodes.first()?;
        root.iter()
            .find(|(known, _)| known == name)
            .and_then(|(_, values)| values.first())
            .map(String::as_str)
    };
    if find("GM").is_some_and(|kind| kind != "1") {
        return Ok(None);
    }
    let is_ours = find("AP").is_some_and(|program| program.starts_with("Knotpost"));
    let mut options = match find("SZ").unwrap_or("19") {
        "19" => String::new(),
        size => format!("-size={size}"),
    };
    if is_ours && find("RU") == Some("area") {
        options.push_str(" -score=area");
    }
    let stones = find("HA").filter(|stones| !matches!(*stones, "0" | "1"));
    if let Some(komi) = find("KM") {
        let komi: f64 = komi.parse().map_err(|_| format!("KM[{komi}] is no komi"))?;
        let komi = komi.to_string();
        if komi != if stones.is_some() { "0.5" } else { "6.5" } {
            let _ = write!(options, " -komi={komi}");
        }
    }
    if let Some(stones) = stones {
        let _ = write!(options, " -handicap={stones}");
    }
    let (_, board) = setup(&options).ok_or_else(|| format!("`{}` are no options of go", options.trim()))?;
    let listed = |name: &str| -> Vec<String> {
        let root = nodes.first().into_iter().flatten();
        root.filter(|(known, _)| known == name).flat_map(|(_, values)| values.clone()).collect()
    };
    let (mut laid, mut usual) = (listed("AB"), handicap_stones(&board));
    laid.sort_unstable();
    usual.sort_unstable();
    if laid != usual || !listed("AW").is_empty() {
        return Err("stones are set up elsewhere than on the points of the handicap".to_owned());
    }
    let moves = list_moves(nodes, &board)?;
    let name = |name: &str, usual: &str| {
        let keep = |sign: char| if sign.is_ascii_alphanumeric() || "_-".contains(sign) { sign } else { '_' };
        find(name).filter(|player| !player.is_empty()).unwrap_or(usual).chars().map(keep).collect::<String>()
    };
    let result = find("RE").unwrap_or_default();
    let winners = match result.split_once('+').map_or(result, |(colour, _)| colour) {
        "B" => "1",
        "W" => "2",
        "0" | "Draw" => "1,2",
        _ => return Err("RE does not say who has won; only finished games can be imported".to_owned()),
    };
    let mut record = Record { tags: Vec::new(), moves };
    let mut tag = |name: &str, value: String| record.tags.push((name.to_owned(), value));
    tag("Game", "go".to_owned());
    tag("Options", options.trim().to_owned());
    tag("Players", format!("{} {}", name("PB", "black"), name("PW", "white")));
    if let Some(day) = find("DT").and_then(|days| days.get(..10)).filter(|day| is_day(day)) {
        tag("Started", format!("{day}T00:00:00Z"));
    }
    tag("Result", winners.to_owned());
    if !is_ours {
        let end = match (result.split_once('+').map_or("", |(_, how)| how), winners) {
            ("R" | "Resign", winner) => format!("resign:{}", if winner == "1" { 2 } else { 1 }),
            ("T" | "Time", winner) => format!("forfeit:{}", if winner == "1" { 2 } else { 1 }),
            (_, winners) => format!("adjudicated:{winners}"),
        };
        let number = record.moves.len() as u32 + 1;
        record.moves.push(RecordMove { number, text: end, auto: false, comment: None });
    }
    Ok(Some(record))
}

fn is_day(day: &str) -> bool {
    day.bytes()
        .enumerate()
        .all(|(at, sign)| if matches!(at, 4 | 7) { sign == b'-' } else { sign.is_ascii_digit() })
}

/// The turns of the main line, which must alternate.
fn list_moves(nodes: &[Node], board: &Board) -> Result<Vec<RecordMove>, String> {
    let (mut moves, mut seat): (Vec<RecordMove>, _) = (Vec::new(), board.two.next);
    for (name, values) in nodes.iter().flatten() {
        let value = values.first().map(String::as_str).unwrap_or_default();
        let text = match name.as_str() {
            OTHER => value.to_owned(),
            "C" => {
                if let Some(last) = moves.last_mut().filter(|_| !value.is_empty()) {
                    last.comment = Some(value.to_owned());
                }
                continue;
            }
            "B" | "W" => {
                let expected = if seat == Seat::FIRST { "B" } else { "W" };
                if name != expected {
                    return Err(format!("move {} is not made by {expected}", moves.len() + 1));
                }
                read_point(board, value).ok_or_else(|| format!("{name}[{value}] is no point of the board"))?
            }
            _ => continue,
        };
        seat = knotpost_rules::kit::other(seat);
        moves.push(RecordMove { number: moves.len() as u32 + 1, text, auto: false, comment: None });
    }
    Ok(moves)
}

/// A point, or a pass: nothing, or `tt`, which is beyond the board.
fn read_point(board: &Board, value: &str) -> Option<String> {
    let size = board.grid.rows();
    match value.as_bytes() {
        [] | [b't', b't'] => Some("pass".to_owned()),
        [column @ b'a'..=b's', row @ b'a'..=b's'] => {
            let (column, row) = (usize::from(column - b'a'), usize::from(row - b'a'));
            (column < size && row < size)
                .then(|| board.grid.name(board.grid.cell_at(row, column)).to_string())
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn record(options: &str, moves: &[&str], result: &str) -> Record {
        let tags = [("Game", "go"), ("Options", options), ("Players", "ann bob"), ("Result", result)];
        let moves = (1..).zip(moves);
        Record {
            tags: tags.map(|(name, value)| (name.to_owned(), value.to_owned())).to_vec(),
            moves: moves
                .map(|(number, text)| RecordMove {
                    number,
                    text: (*text).to_owned(),
                    auto: false,
                    comment: (number == 1).then(|| "a ] and a \\".to_owned()),
                })
                .collect(),
        }
    }

    #[test]
    fn a_record_comes_back_from_sgf_as_it_was() {
        for (options, moves, result) in [
            ("", &["q16", "d4", "pass", "pass", "dead:-", "agree"][..], "1"),
            ("-size=9 -score=area", &["e5", "pass", "pass"], "1"),
            ("-size=13 -komi=-2.5 -handicap=5", &["k10", "resign"], "2"),
            ("-handicap=9", &["c3", "pass", "pass", "dead:c3", "resume", "t1", "adjudicated:2"], "2"),
        ] {
            let record = record(options, moves, result);
            assert_eq!(read(&write(&record)), Some(Ok(vec![record.clone()])), "{}", write(&record));
        }
    }

    #[test]
    fn points_are_those_of_the_standard() {
        let sgf = write(&record("", &["q16", "a1", "t19"], "*"));
        assert!(sgf.contains(";B[pd]") && sgf.contains(";W[as]") && sgf.contains(";B[sa]"), "{sgf}");
    }

    #[test]
    fn the_main_line_of_another_program_ends_by_its_result() {
        let sgf = "(;GM[1]SZ[9]KM[5.5]PB[A b]DT[2020-05-06]RE[W+3.5];B[ee](;W[cc];B[];W[tt])(;W[dd]C[no\\]]))(;RE[B+R];B[aa])";
        let records = read(sgf).unwrap().unwrap();
        let moves = |record: &Record| record.moves.iter().map(|mv| mv.text.clone()).collect::<Vec<_>>();
        assert_eq!(moves(&records[0]), ["e5", "c7", "pass", "pass", "adjudicated:2"]);
        assert_eq!(records[0].tag("Options"), Some("-size=9 -komi=5.5"));
        assert_eq!(records[0].tag("Players"), Some("A_b white"));
        assert_eq!(records[0].tag("Started"), Some("2020-05-06T00:00:00Z"));
        assert_eq!(moves(&records[1]), ["a19", "resign:2"]);
    }

    #[test]
    fn what_is_not_go_or_not_whole_is_refused() {
        assert_eq!(read("[Game \"go\"]\n1. d4\n"), None);
        assert_eq!(read("(;GM[2])"), None);
        let wrong = [
            "(;GM[1]RE[B+R];W[aa])",
            "(;RE[B+R];B[zz])",
            "(;SZ[7]RE[0])",
            "(;B[aa])",
            "(;RE[0]AB[aa])",
            "(;B[a",
        ];
        for sgf in wrong {
            assert!(matches!(read(sgf), Some(Err(_))), "{sgf}");
        }
    }
}
