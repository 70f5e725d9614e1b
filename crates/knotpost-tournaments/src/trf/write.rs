//! Writing of tournament report files.

use std::fmt::Write;

use crate::record::{Colour, Entry, Outcome, Record, Scoring};
use crate::standings::{Form, TieBreak, standings};

/// Writes a record: player lines of TRF16, header lines of TRF16's extensions and of TRF26. Lines end in CR and LF.
pub fn write_trf(record: &Record) -> String {
    let mut lines = vec![format!("012 {}", record.title)];
    if let Some(rounds) = record.rounds {
        lines.push(format!("XXR {rounds}"));
        lines.push(format!("142 {rounds}"));
    }
    match record.first_colour {
        Some(Colour::White) => lines.extend(["XXC white1".to_owned(), "152 W".to_owned()]),
        Some(Colour::Black) => lines.extend(["XXC black1".to_owned(), "152 B".to_owned()]),
        None => {}
    }
    lines.push("192 FIDE_DUTCH".to_owned());
    lines.extend(point_lines(&record.scoring));
    for group in &record.kept_apart {
        let mut line = match &group.rounds {
            None => "XXP".to_owned(),
            Some(rounds) => format!("260 {:03} {:03}", rounds.start() + 1, rounds.end() + 1),
        };
        for &player in &group.players {
            let _ = write!(line, " {:>4}", record.players[player].number);
        }
        lines.push(line);
    }
    lines.extend(player_lines(record));
    lines.push(String::new());
    lines.join("\r\n")
}

/// Lines for points that are not the usual ones.
fn point_lines(scoring: &Scoring) -> Vec<String> {
    let usual = Scoring::default();
    [
        ("BBW", scoring.win, usual.win),
        ("BBD", scoring.draw, usual.draw),
        ("BBL", scoring.loss, usual.loss),
        ("BBZ", scoring.absent, usual.absent),
        ("BBF", scoring.forfeit_loss, usual.forfeit_loss),
        // Without a line of its own it is worth a win.
        ("BBU", scoring.pairing_bye, scoring.win),
    ]
    .into_iter()
    .filter(|(_, points, usual)| points != usual)
    .map(|(code, points, _)| format!("{code} {points:>4}"))
    .collect()
}

fn player_lines(record: &Record) -> Vec<String> {
    let rounds = record.paired_rounds();
    let all: Vec<usize> = (0..record.players.len()).collect();
    let table = standings(record, &all, rounds, Form::Swiss, &TieBreak::SWISS);
    let mut lines = vec![String::new(); all.len()];
    for (rank, row) in (1..).zip(&table) {
        let player = &record.players[row.player];
        let rating = if player.rating > 0 { player.rating.to_string() } else { String::new() };
        let line = &mut lines[row.player];
        // Columns 5 to 8 number, 15 to 47 name, 49 to 52 rating, 81 to 84 points, 86 to 89 rank, then ten a round.
        *line = format!(
            "001 {:>4}      {:<33.33} {:>4}{:27} {:>4} {:>4}",
            player.number, player.name, rating, "", row.points, rank
        );
        for round in 0..player.entries.len() {
            let _ = write!(line, "  {}", cell(record, player.entry(round)));
        }
    }
    lines
}

fn cell(record: &Record, entry: Entry) -> String {
    let pairing = |opponent: usize, colour, result: char| {
        let letter = if colour == Colour::White { 'w' } else { 'b' };
        format!("{:>4} {letter} {result}", record.players[opponent].number)
    };
    match entry {
        Entry::Game { opponent, colour, outcome } => pairing(
            opponent,
            colour,
            match outcome {
                Outcome::Win => '1',
                Outcome::Draw => '=',
                Outcome::Loss => '0',
            },
        ),
        Entry::Forfeit { opponent, colour, outcome } => {
            pairing(opponent, colour, if outcome == Outcome::Win { '+' } else { '-' })
        }
        Entry::PairingBye => "0000 - U".to_owned(),
        Entry::FullBye => "0000 - F".to_owned(),
        Entry::HalfBye => "0000 - H".to_owned(),
        Entry::Absent => "0000 - Z".to_owned(),
    }
}
