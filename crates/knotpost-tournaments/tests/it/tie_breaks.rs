//! Tables and tie-breaks: small ones by hand, many against an independent implementation.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use knotpost_tournaments::{
    Chances, Colour, Entry, Form, Outcome, Player, Record, TieBreak, berger_rounds, random_tournament,
    standings,
};
use proptest::prelude::*;

/// The folder of the Python packages.
const PACKAGES: &str = "KNOTPOST_TEST_TIEBREAKS";

/// A record of rounds in words: `2w1` is a win with white against number 2, `2b-` a pairing lost without play.
pub(crate) fn record(rows: &[&str]) -> Record {
    let players = rows
        .iter()
        .zip(1..)
        .map(|(row, number)| Player {
            number,
            name: format!("p{number}"),
            rating: 0,
            entries: row.split_whitespace().map(entry).collect(),
        })
        .collect();
    Record { players, ..Record::default() }
}

fn entry(word: &str) -> Entry {
    match word {
        "U" => return Entry::PairingBye,
        "F" => return Entry::FullBye,
        "H" => return Entry::HalfBye,
        "Z" => return Entry::Absent,
        _ => {}
    }
    let (opponent, rest) = word.split_at(word.len() - 2);
    let opponent = opponent.parse::<usize>().unwrap() - 1;
    let colour = if rest.starts_with('w') { Colour::White } else { Colour::Black };
    match &rest[1..] {
        "1" => Entry::Game { opponent, colour, outcome: Outcome::Win },
        "=" => Entry::Game { opponent, colour, outcome: Outcome::Draw },
        "0" => Entry::Game { opponent, colour, outcome: Outcome::Loss },
        "+" => Entry::Forfeit { opponent, colour, outcome: Outcome::Win },
        _ => Entry::Forfeit { opponent, colour, outcome: Outcome::Loss },
    }
}

fn values(record: &Record, form: Form, list: &[TieBreak]) -> Vec<String> {
    let all: Vec<usize> = (0..record.players.len()).collect();
    let mut table = standings(record, &all, record.paired_rounds(), form, list);
    table.sort_by_key(|line| line.player);
    table
        .iter()
        .map(|line| {
            let values: Vec<String> = line.tie_breaks.iter().map(ToString::to_string).collect();
            format!("{} {}: {}", line.place, line.points, values.join(" "))
        })
        .collect()
}

#[test]
fn a_table_of_four_is_counted() {
    let record = record(&["4w1 2b= 3w1", "3w= 1w= 4b1", "2b= 4w1 1b0", "1b0 3b0 2w0"]);
    let list = [TieBreak::DirectEncounter, TieBreak::SonnebornBerger, TieBreak::Wins, TieBreak::Buchholz];
    assert_eq!(
        values(&record, Form::RoundRobin, &list),
        ["1 2.5: 0 2.5 2 3.5", "2 2.0: 0 2 1 4", "3 1.5: 0 1 1 4.5", "4 0.0: 0 0 0 6"]
    );
}

#[test]
fn the_direct_encounter_is_asked_again_among_those_still_tied() {
    // Three with two points each; the first beat the second, the second drew with the third, the third drew with the first.
    let record = record(&["2w1 3b= 4w=", "1b0 4w1 3w1", "4b1 1w= 2b0", "3w0 2b0 1b="]);
    let table = standings(&record, &[0, 1, 2, 3], 3, Form::RoundRobin, &[TieBreak::DirectEncounter]);
    let order: Vec<usize> = table.iter().map(|line| line.player).collect();
    assert_eq!(order, [0, 1, 2, 3]);
    assert_eq!(table[0].tie_breaks[0].to_string(), "1", "points from the game of the two who are tied");
    assert_eq!(table.iter().map(|line| line.place).collect::<Vec<_>>(), [1, 2, 3, 4]);
}

#[test]
fn players_whom_nothing_distinguishes_share_a_place() {
    let record = record(&["2w=", "1b=", "4w1", "3b0"]);
    let all = [0, 1, 2, 3];
    let places: Vec<usize> = standings(&record, &all, 1, Form::RoundRobin, &TieBreak::GROUPS)
        .iter()
        .map(|line| line.place)
        .collect();
    assert_eq!(places, [1, 2, 2, 4]);
}

#[test]
fn a_forfeit_is_a_game_in_a_round_robin_alone() {
    let record = record(&["2w+ 3w1", "1b- 3b1", "1b0 2w0"]);
    let sums = |form| values(&record, form, &[TieBreak::SonnebornBerger, TieBreak::Wins]);
    assert_eq!(sums(Form::RoundRobin), ["1 2.0: 1 2", "2 1.0: 0 1", "3 0.0: 0 0"]);
    // In the Swiss system: a dummy with no more points than the opponent who was meant has.
    assert_eq!(sums(Form::Swiss), ["1 2.0: 1 2", "2 1.0: 0 1", "3 0.0: 0 0"]);
    let buchholz = |form| values(&record, form, &[TieBreak::Buchholz]);
    assert_eq!(buchholz(Form::RoundRobin)[1], "2 1.0: 2");
    assert_eq!(buchholz(Form::Swiss)[1], "2 1.0: 1", "a dummy with the player's own point");
}

#[test]
fn dummies_are_capped() {
    // A bye is worth a dummy with the player's points, but no more than half a point a round.
    let record = record(&["U 2w1 3b1", "3w1 1b0 U", "2b0 U 1w0"]);
    assert_eq!(values(&record, Form::Swiss, &[TieBreak::Buchholz])[0], "1 3.0: 4.5", "1.5 + 2 + 1");
    // A forfeit: no more than the opponent who was meant.
    let record = self::record(&["2w+ 3w1", "1b- Z", "U 1b0"]);
    assert_eq!(
        values(&record, Form::Swiss, &[TieBreak::Buchholz])[0],
        "1 2.0: 1.5",
        "0.5 of an absence at the end + 1"
    );
}

#[test]
fn absences_at_the_end_count_as_draws_for_opponents_and_are_cut_first() {
    // The second plays once, is away once and comes back: that absence stays without points. The third does not come back.
    let record = record(&["2w1 3b1 4w1", "1b0 Z 3w+", "4w1 1w0 2b-", "3b0 H 1b0"]);
    let sums = values(&record, Form::Swiss, &[TieBreak::Buchholz, TieBreak::BuchholzCut1]);
    assert_eq!(sums[0], "1 3.0: 2.5 2", "1 + 1 + 0.5");
    // 3 of the first, a dummy of 1 for the absence, a dummy of 1 for the forfeit of the third; the absence goes first.
    assert_eq!(sums[1], "2 1.0: 5 4");
    let record = self::record(&["2w1 Z Z", "1b0 U U"]);
    assert_eq!(
        values(&record, Form::Swiss, &[TieBreak::Buchholz])[1],
        "1 2.0: 5",
        "1 + two draws, and twice 1.5"
    );
}

#[test]
fn codes_are_read_as_they_are_written() {
    for tie_break in TieBreak::GROUPS.into_iter().chain(TieBreak::SWISS) {
        assert_eq!(tie_break.to_string().to_lowercase().parse(), Ok(tie_break));
    }
    assert!("KS".parse::<TieBreak>().is_err());
}

proptest! {
    #[test]
    fn a_table_is_in_order_and_holds_everybody_once(players in 2_usize..30, rounds in 1_usize..7, seed: u64) {
        let record = random_tournament(players, rounds, seed, Chances { draws: 40, forfeits: 10, byes: 10 });
        let all: Vec<usize> = (0..players).collect();
        let table = standings(&record, &all, record.paired_rounds(), Form::Swiss, &TieBreak::SWISS);
        let mut seen: Vec<usize> = table.iter().map(|line| line.player).collect();
        seen.sort_unstable();
        prop_assert_eq!(seen, all);
        for pair in table.windows(2) {
            let key = |at: usize| (pair[at].points, pair[at].tie_breaks.clone());
            prop_assert!(key(0) >= key(1));
            prop_assert_eq!(pair[0].place == pair[1].place, key(0) == key(1));
        }
    }
}

// --- an independent judge ------------------------------------------------------

/// The folder of the Python packages, or `None` where there is none; in continuous integration there is.
fn packages() -> Option<PathBuf> {
    #[expect(clippy::disallowed_methods, reason = "the runner hands over the packages by environment")]
    let (folder, ci) = (std::env::var_os(PACKAGES), std::env::var("CI"));
    assert!(
        folder.is_some() || ci.as_deref() != Ok("true"),
        "{PACKAGES} names no folder; ./test --install makes one"
    );
    folder.map(PathBuf::from)
}

/// A round robin with results by chance; somebody stays away from the middle on.
fn random_round_robin(players: usize, seed: u64) -> Record {
    let mut state = seed;
    let mut below = |bound: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % bound
    };
    let mut record = record(&vec![""; players]);
    for (round, pairs) in berger_rounds(players).into_iter().enumerate() {
        for (white, black) in pairs {
            let away = |player: usize| player == seed as usize % players && round > players / 2;
            let forfeit = away(white) || away(black) || below(12) == 0;
            let (first, second) = match below(5) {
                _ if away(black) => (Outcome::Win, Outcome::Loss),
                _ if away(white) => (Outcome::Loss, Outcome::Win),
                0 | 1 => (Outcome::Win, Outcome::Loss),
                2 | 3 => (Outcome::Loss, Outcome::Win),
                _ if forfeit => (Outcome::Loss, Outcome::Loss),
                _ => (Outcome::Draw, Outcome::Draw),
            };
            for (player, opponent, colour, outcome) in
                [(white, black, Colour::White, first), (black, white, Colour::Black, second)]
            {
                record.players[player].entries.push(if forfeit {
                    Entry::Forfeit { opponent, colour, outcome }
                } else {
                    Entry::Game { opponent, colour, outcome }
                });
            }
        }
        for player in &mut record.players {
            if player.entries.len() <= round {
                player.entries.push(Entry::Absent);
            }
        }
    }
    record
}

fn describe(record: &Record, form: Form, lists: &[&[TieBreak]]) -> String {
    let rounds = record.paired_rounds();
    let all: Vec<usize> = (0..record.players.len()).collect();
    let players: Vec<String> = all
        .iter()
        .map(|&index| {
            let games: Vec<String> = (0..rounds)
                .map(|round| {
                    let entry = record.players[index].entry(round);
                    let kind = match entry {
                        Entry::Game { .. } => "played",
                        Entry::Forfeit { outcome: Outcome::Win, .. } => "forfeit_win",
                        Entry::Forfeit { .. } => "forfeit_loss",
                        Entry::PairingBye | Entry::FullBye => "pairing_bye",
                        Entry::HalfBye | Entry::Absent => "requested_bye",
                    };
                    let opponent = entry.opponent().map_or("-1".to_owned(), |opponent| opponent.to_string());
                    let colour = if entry.colour() == Some(Colour::Black) { "black" } else { "white" };
                    format!("[{opponent},{},\"{colour}\",\"{kind}\"]", record.scoring.points(entry).tenths())
                })
                .collect();
            let points = record.points_before(index, rounds).tenths();
            format!("{{\"points\":{points},\"games\":[{}]}}", games.join(","))
        })
        .collect();
    let lists: Vec<String> = lists
        .iter()
        .map(|list| {
            let table = standings(record, &all, rounds, form, list);
            let codes: Vec<String> = list.iter().map(|code| format!("\"{code}\"")).collect();
            let order: Vec<usize> = table.iter().map(|line| line.player).collect();
            let values: Vec<String> = all
                .iter()
                .map(|&player| {
                    let line = table.iter().find(|line| line.player == player).unwrap();
                    let shown = list
                        .iter()
                        .zip(&line.tie_breaks)
                        .filter(|(code, _)| **code != TieBreak::DirectEncounter);
                    format!("{:?}", shown.map(|(_, value)| value.hundredths()).collect::<Vec<_>>())
                })
                .collect();
            format!(
                "{{\"codes\":[{}],\"order\":{order:?},\"values\":[{}]}}",
                codes.join(","),
                values.join(",")
            )
        })
        .collect();
    let mode = if form == Form::Swiss { "swiss" } else { "round_robin" };
    format!(
        "{{\"mode\":\"{mode}\",\"rounds\":{rounds},\"players\":[{}],\"lists\":[{}]}}",
        players.join(","),
        lists.join(",")
    )
}

#[test]
fn tiebreak_core_counts_a_thousand_tables_as_we_do() {
    let Some(packages) = packages() else { return };
    let mut tables = Vec::new();
    for seed in 0..500 {
        let chances = Chances { draws: 35, forfeits: if seed % 2 == 0 { 8 } else { 0 }, byes: 8 };
        let record = random_tournament(6 + seed as usize % 20, 3 + seed as usize % 5, seed, chances);
        // A pairing that was forfeited is no meeting (article 6.1.1), so that article 6.3 decides; tiebreak-core takes it for a
        // meeting without points.
        let encounter = [TieBreak::DirectEncounter, TieBreak::Wins];
        let forfeited = |entry: &Entry| entry.opponent().is_some() && entry.met().is_none();
        let second = if record.players.iter().flat_map(|player| &player.entries).any(forfeited) {
            TieBreak::SWISS.as_slice()
        } else {
            &encounter
        };
        tables.push(describe(&record, Form::Swiss, &[&TieBreak::SWISS, second]));
        let record = random_round_robin(3 + seed as usize % 10, seed);
        tables.push(describe(&record, Form::RoundRobin, &[&TieBreak::GROUPS]));
    }
    let mut child = Command::new("python3")
        .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/tie_breaks.py"))
        .env("PYTHONPATH", packages)
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let input = tables.join("\n");
    let writer = std::thread::spawn(move || stdin.write_all(input.as_bytes()).unwrap());
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap();
    assert!(output.status.success(), "tiebreak-core stumbled");
    let answers = String::from_utf8(output.stdout).unwrap();
    assert_eq!(answers.lines().count(), tables.len());
    let differ: Vec<String> = answers
        .lines()
        .zip(&tables)
        .filter(|(answer, _)| *answer != "[]")
        .map(|(answer, table)| format!("{answer}\n  {table}"))
        .collect();
    assert!(differ.is_empty(), "{} tables differ:\n{}", differ.len(), differ.join("\n"));
}
