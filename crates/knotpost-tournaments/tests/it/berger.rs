use knotpost_tournaments::{berger_rounds, snake_groups};

/// The printed tables, for an odd number of players with the last one away.
const PRINTED: [(usize, &str); 6] = [
    (4, "1-4 2-3 / 4-3 1-2 / 2-4 3-1"),
    (6, "1-6 2-5 3-4 / 6-4 5-3 1-2 / 2-6 3-1 4-5 / 6-5 1-4 2-3 / 3-6 4-2 5-1"),
    (
        8,
        "1-8 2-7 3-6 4-5 / 8-5 6-4 7-3 1-2 / 2-8 3-1 4-7 5-6 / 8-6 7-5 1-4 2-3 / 3-8 4-2 5-1 6-7 / \
         8-7 1-6 2-5 3-4 / 4-8 5-3 6-2 7-1",
    ),
    (
        10,
        "1-10 2-9 3-8 4-7 5-6 / 10-6 7-5 8-4 9-3 1-2 / 2-10 3-1 4-9 5-8 6-7 / 10-7 8-6 9-5 1-4 2-3 / \
         3-10 4-2 5-1 6-9 7-8 / 10-8 9-7 1-6 2-5 3-4 / 4-10 5-3 6-2 7-1 8-9 / 10-9 1-8 2-7 3-6 4-5 / \
         5-10 6-4 7-3 8-2 9-1",
    ),
    (
        12,
        "1-12 2-11 3-10 4-9 5-8 6-7 / 12-7 8-6 9-5 10-4 11-3 1-2 / 2-12 3-1 4-11 5-10 6-9 7-8 / \
         12-8 9-7 10-6 11-5 1-4 2-3 / 3-12 4-2 5-1 6-11 7-10 8-9 / 12-9 10-8 11-7 1-6 2-5 3-4 / \
         4-12 5-3 6-2 7-1 8-11 9-10 / 12-10 11-9 1-8 2-7 3-6 4-5 / 5-12 6-4 7-3 8-2 9-1 10-11 / \
         12-11 1-10 2-9 3-8 4-7 5-6 / 6-12 7-5 8-4 9-3 10-2 11-1",
    ),
    (
        14,
        "1-14 2-13 3-12 4-11 5-10 6-9 7-8 / 14-8 9-7 10-6 11-5 12-4 13-3 1-2 / \
         2-14 3-1 4-13 5-12 6-11 7-10 8-9 / 14-9 10-8 11-7 12-6 13-5 1-4 2-3 / \
         3-14 4-2 5-1 6-13 7-12 8-11 9-10 / 14-10 11-9 12-8 13-7 1-6 2-5 3-4 / \
         4-14 5-3 6-2 7-1 8-13 9-12 10-11 / 14-11 12-10 13-9 1-8 2-7 3-6 4-5 / \
         5-14 6-4 7-3 8-2 9-1 10-13 11-12 / 14-12 13-11 1-10 2-9 3-8 4-7 5-6 / \
         6-14 7-5 8-4 9-3 10-2 11-1 12-13 / 14-13 1-12 2-11 3-10 4-9 5-8 6-7 / \
         7-14 8-6 9-5 10-4 11-3 12-2 13-1",
    ),
];

fn print(rounds: &[Vec<(usize, usize)>]) -> String {
    let rounds: Vec<String> = rounds
        .iter()
        .map(|pairs| {
            pairs
                .iter()
                .map(|(white, black)| format!("{}-{}", white + 1, black + 1))
                .collect::<Vec<_>>()
                .join(" ")
        })
        .collect();
    rounds.join(" / ")
}

#[test]
fn rounds_are_those_of_the_printed_tables() {
    for (players, table) in PRINTED {
        assert_eq!(print(&berger_rounds(players)), table);
        let nobody = players.to_string();
        let without_last = |round: &str| {
            let pairs: Vec<&str> =
                round.split(' ').filter(|pair| !pair.split('-').any(|place| place == nobody)).collect();
            pairs.join(" ")
        };
        let odd: Vec<String> = table.split(" / ").map(without_last).collect();
        assert_eq!(print(&berger_rounds(players - 1)), odd.join(" / "));
    }
}

/// Tables for more players are printed by a rule (C.05): the last place stays and changes colours, the others follow each
/// other from round to round at a distance of half the table.
#[test]
fn larger_tables_follow_the_rule_of_the_printed_ones() {
    for players in (4..=24).step_by(2) {
        let rounds = berger_rounds(players);
        let first: Vec<(usize, usize)> = (0..players / 2).map(|place| (place, players - 1 - place)).collect();
        assert_eq!(rounds[0], first);
        for (number, window) in rounds.windows(2).enumerate() {
            let shift = |place: usize| (place + players / 2) % (players - 1);
            let (now, next) = (&window[0], &window[1]);
            let front = now[0].0.min(now[0].1);
            let front_next = shift(front);
            let last = players - 1;
            let first_pair = if number.is_multiple_of(2) { (last, front_next) } else { (front_next, last) };
            assert_eq!(next[0], first_pair, "{players} players, round {}", number + 2);
            for (&(white, black), &(white_next, black_next)) in now[1..].iter().zip(&next[1..]) {
                assert_eq!((white_next, black_next), (shift(white), shift(black)));
            }
        }
    }
}

/// The tables as they were written by hand (Schurig's): numbers from 1 to the last but one run over and over through rows of
/// one number for each pair. The opponents of a row are the next row read backwards; only its first number meets the last
/// player, who has black against the lower half of the numbers.
fn written_by_hand(players: usize) -> Vec<Vec<(usize, usize)>> {
    let mut numbers = (1..players).cycle();
    let rows: Vec<Vec<usize>> = (0..players).map(|_| numbers.by_ref().take(players / 2).collect()).collect();
    let round = |pair: &[Vec<usize>]| {
        let opponents = pair[1].iter().rev();
        let mut pairs: Vec<(usize, usize)> =
            pair[0].iter().zip(opponents).map(|(one, other)| (one - 1, other - 1)).collect();
        let front = pair[0][0];
        let is_low = front <= players / 2;
        pairs[0] = if is_low { (front - 1, players - 1) } else { (players - 1, front - 1) };
        pairs
    };
    rows.windows(2).map(round).collect()
}

#[test]
fn tables_for_up_to_24_players_are_those_written_by_hand() {
    for (players, table) in PRINTED {
        assert_eq!(print(&written_by_hand(players)), table);
    }
    for players in (4..=24).step_by(2) {
        assert_eq!(berger_rounds(players), written_by_hand(players), "{players} players");
    }
}

#[test]
fn everybody_meets_everybody_once_with_colours_as_even_as_can_be() {
    for players in 2..=24 {
        let rounds = berger_rounds(players);
        let mut met = vec![vec![0; players]; players];
        let mut whites = vec![0_usize; players];
        for pairs in &rounds {
            let mut there = vec![false; players];
            for &(white, black) in pairs {
                met[white][black] += 1;
                met[black][white] += 1;
                whites[white] += 1;
                assert!(!there[white] && !there[black], "nobody sits at two boards");
                there[white] = true;
                there[black] = true;
            }
        }
        for (player, opponents) in met.iter().enumerate() {
            for (opponent, &games) in opponents.iter().enumerate() {
                assert_eq!(games, usize::from(player != opponent));
            }
            let blacks = players - 1 - whites[player];
            assert!(whites[player].abs_diff(blacks) <= 1);
        }
    }
    assert!(berger_rounds(0).is_empty() && berger_rounds(1).iter().all(Vec::is_empty));
}

#[test]
fn groups_are_filled_in_snake_order_and_are_as_few_as_fit() {
    assert_eq!(snake_groups(7, 3), [vec![0, 5, 6], vec![1, 4], vec![2, 3]]);
    assert_eq!(snake_groups(10, 10), [(0..10).collect::<Vec<_>>()]);
    assert!(snake_groups(0, 4).is_empty());
    for players in 1..80 {
        let groups = snake_groups(players, 8);
        assert_eq!(groups.len(), players.div_ceil(8));
        let sizes: Vec<usize> = groups.iter().map(Vec::len).collect();
        assert!(sizes.iter().max().unwrap() - sizes.iter().min().unwrap() <= 1);
    }
}
