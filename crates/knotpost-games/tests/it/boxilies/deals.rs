//! What is dealt, from seeds whose streams were computed by another program (OpenSSL).

use super::slow::all_stones;
use crate::play::given;
use knotpost_rules::Seed;
use std::collections::BTreeSet;

/// The stream of the seed of 32 zero bytes.
const ZERO: [u32; 10] = [
    0xade0_b876,
    0x903d_f1a0,
    0xe56a_5d40,
    0x28bd_8653,
    0xb819_d2bd,
    0x1aed_8da0,
    0xccef_36a8,
    0xc70d_778b,
    0x7c59_41da,
    0x8d48_5751,
];
/// The stream of the seed 00 01 02 ... 1f.
const COUNTING: [u32; 10] = [
    0x7d2b_fd39,
    0x6a19_c5d9,
    0x7703_bd8d,
    0x494a_dcb8,
    0x6fd8_358a,
    0xcc6a_debc,
    0x4c7d_ccb2,
    0x9224_ead8,
    0xe7cc_232b,
    0xab23_60a2,
];

/// The hands of a fresh game, and the whole position.
fn deal(options: &str, seed: &Seed) -> (String, String) {
    let registry = knotpost_games::registry();
    let boxilies = registry.find("boxilies").unwrap();
    let options = boxilies.parse_options(&given(options), 2).unwrap();
    let position = boxilies.setup(&options, 2, seed).position();
    (position.split(' ').nth(1).unwrap().to_owned(), position)
}

fn seeds() -> [(Seed, [u32; 10]); 2] {
    [(Seed::default(), ZERO), (Seed(std::array::from_fn(|index| index as u8)), COUNTING)]
}

/// One stone of each total; none of the words is so large that it has to be dropped.
fn one_of_each_total(words: &[u32]) -> String {
    let names: Vec<String> = all_stones().into_keys().collect();
    let stone = |(total, word): (&str, &u32)| {
        let candidates: Vec<&String> = names.iter().filter(|name| name.starts_with(total)).collect();
        candidates[*word as usize % candidates.len()].clone()
    };
    ["1", "2", "3", "4", "5"].into_iter().zip(words).map(stone).collect::<Vec<_>>().join(",")
}

#[test]
fn by_default_both_get_the_same_stone_of_each_total() {
    for (seed, words) in seeds() {
        let hand = one_of_each_total(&words[..5]);
        assert_eq!(deal("", &seed).0, format!("{hand}|{hand}"));
        assert_eq!(deal("-deal=same", &seed).0, format!("{hand}|{hand}"));
    }
}

#[test]
fn own_hands_are_drawn_one_after_the_other() {
    for (seed, words) in seeds() {
        let hands = format!("{}|{}", one_of_each_total(&words[..5]), one_of_each_total(&words[5..]));
        assert_eq!(deal("-deal=own", &seed).0, hands);
    }
}

#[test]
fn open_hands_are_drawn_from_all_stones_with_replacement() {
    let names: Vec<String> = all_stones().into_keys().collect();
    for (seed, words) in seeds() {
        let drawn: Vec<&str> = words.iter().map(|word| names[*word as usize % 33].as_str()).collect();
        assert_eq!(deal("-deal=open", &seed).0, format!("{}|{}", drawn[..5].join(","), drawn[5..].join(",")));
    }
}

#[test]
fn deals_of_the_zero_seed_never_change() {
    let table = ["", "-deal=own", "-deal=open", "-hand=5n,1a,3B,1a,4j"];
    let deals: Vec<String> =
        table.iter().map(|options| format!("{options}: {}", deal(options, &Seed::default()).1)).collect();
    insta::assert_snapshot!("deals", deals.join("\n"));
}

#[test]
fn every_stone_is_dealt_sooner_or_later() {
    let mut seen = BTreeSet::new();
    let mut doubles = 0;
    for byte in 0..=255 {
        let hands = deal("-deal=open", &Seed([byte; 32])).0;
        let first: Vec<&str> = hands.split('|').next().unwrap().split(',').collect();
        doubles += usize::from(first.iter().collect::<BTreeSet<_>>().len() < 5);
        seen.extend(first.into_iter().map(str::to_owned));
    }
    assert_eq!(seen.len(), 33);
    assert!(doubles > 0, "stones are drawn with replacement");
}
