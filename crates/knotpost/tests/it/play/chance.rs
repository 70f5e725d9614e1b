//! Seeds, rolls and deals on the command line, and the proof that they are what was promised.

use super::{Ran, play, play_typing};
use std::fs;

const GAME: &str = include_str!("../../../../knotpost-games/tests/data/osbo_1.txt");
const DEALT: &str = include_str!("../../../../knotpost-games/tests/data/boxilies_1.txt");

const ZEROS: &str = "0000000000000000000000000000000000000000000000000000000000000000";
const ONE: &str = "0000000000000000000000000000000000000000000000000000000000000001";

/// `printf 'knotpost-dice-1 osbo 107 %s' ZEROS | sha256sum`
const COMMITMENT: &str = "243884786cae23dda099d2e04212f0b7738198e827779d340767a658295c8d4e";

/// A record with its promise and its seed.
fn reveal() -> String {
    format!("[Board \"107\"]\n[Seed \"{ZEROS}\"]\n[Commitment \"{COMMITMENT}\"]\n{GAME}")
}

/// Verifies a record from a file.
fn verify(record: &str, more: &[&str]) -> Ran {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("game.txt");
    fs::write(&file, record).expect("written");
    play_typing(&[&["--verify-dice", file.to_str().expect("UTF-8")], more].concat(), "")
}

#[test]
fn the_seed_decides_the_rolls_and_the_deal() {
    let start = |line: &str| play(&format!("{line} --json")).output;
    assert!(start("osbo").contains(r#""position":"e5:o;e5:o tt 1""#));
    assert!(start(&format!("osbo --seed {ONE}")).contains(r#""position":"e5:o;e5:o sx 1""#));
    assert!(start("boxilies").contains("1a,2a,3c,4b,5d|1a,2a,3c,4b,5d 1"));
    assert_ne!(start("boxilies"), start(&format!("boxilies --seed={ONE}")));
}

#[test]
fn a_given_roll_comes_before_those_of_the_seed() {
    let words = ["osbo", "-size=3", "--position", "c3:o;c3:o xx 1", "--seed", ONE, "pass", "pass", "--json"];
    let ran = play_typing(&words, "");
    let rolls: Vec<&str> =
        ran.output.lines().filter_map(|line| line.split("c3:o;c3:o ").nth(1)?.get(..4)).collect();
    assert_eq!(rolls, ["xx 1", "sx 2", "tx 1"], "{}", ran.output);
}

#[test]
fn rolls_and_commitment_are_verified() {
    let ran = verify(&reveal(), &[]);
    insta::assert_snapshot!("play_verified", ran.output);
    assert_eq!((ran.code, ran.errors.as_str()), (0, ""));
    let ran = verify(&reveal(), &["osbo", "--json"]);
    assert!(ran.output.starts_with(r#"{"verified":true,"committed":true,"rolls":["tt","tx","tx","#));
    assert!(ran.output.contains(r#""start":"c3:o;c3:o tt 1","message":"The seed is"#), "{}", ran.output);
}

#[test]
fn a_record_may_tell_the_roll_of_the_turn_after_its_moves() {
    let start =
        format!("[Game \"osbo\"]\n[Options \"-size=3\"]\n[Players \"ann bob\"]\n[Seed \"{ZEROS}\"]\n");
    for (rolls, code) in [("tt", 0), ("tt tx", 0), ("tt tx tx", 65), ("", 65), ("tt ts", 65)] {
        let ran = verify(&format!("{start}[Rolls \"{rolls}\"]\n\n1. a2c4,d1b3\n"), &[]);
        assert_eq!(ran.code, code, "{rolls}: {}{}", ran.output, ran.errors);
    }
}

#[test]
fn a_deal_is_verified_by_the_moves_made_with_it() {
    let ran = verify(&format!("[Seed \"{ZEROS}\"]\n{DEALT}"), &[]);
    let expected = "The record has no commitment to compare the seed with, but every move is legal with the deal it gives.\n\nStart: .,.,./.,.,./.,.,. 1a,2a,3c,4b,5d|1a,2a,3c,4b,5d 1\n";
    assert_eq!((ran.output.as_str(), ran.code), (expected, 0));
    let ran = verify(&format!("[Seed \"{ONE}\"]\n{DEALT}"), &[]);
    assert!(ran.errors.starts_with("the moves cannot be played with what the seed gives: move "));
    assert_eq!(ran.code, 65);
}

#[test]
fn whatever_differs_is_named() {
    let other_seed = reveal().replace(ZEROS, ONE);
    let uncommitted = other_seed.replace(COMMITMENT, "").replace("[Commitment \"\"]\n", "");
    let table = [
        (reveal().replace("tt tx tx", "tt tx ts"), "roll 3 is tx by the seed and ts in the record"),
        (
            reveal().replace("bs ss tt", "bs ss"),
            "the seed gives 22 rolls for these moves, and the record has 21",
        ),
        (
            reveal().replace("dmb - 1", "dmb - 2"),
            "the game ends at b4:.aa/dol/.ih;b4:aa./iob/dmb - 1 by the seed",
        ),
        (reveal().replace("\"107\"", "\"108\""), "the seed is not the one committed to"),
        (
            reveal().replace("[Board \"107\"]\n", ""),
            "the record has a [Commitment] but not the [Board] number",
        ),
        (other_seed, "the seed is not the one committed to"),
        (uncommitted, "roll 1 is sx by the seed and tt in the record"),
        (GAME.to_owned(), "the record has no [Seed]: it is revealed when the game is over"),
        ("[Game \"osbox\"]\n".to_owned(), "Osbox leaves nothing to chance"),
        ("nonsense".to_owned(), "this is no game record"),
    ];
    for (record, reason) in table {
        let ran = verify(&record, &[]);
        assert!(ran.errors.starts_with(reason), "{reason}: {}", ran.errors);
        assert_eq!((ran.code, ran.output.as_str()), (65, ""), "{reason}");
        let json = verify(&record, &["--json"]);
        assert!(json.output.contains(&format!(r#""message":"{reason}"#)), "{}", json.output);
    }
}

#[test]
fn verification_takes_nothing_but_the_record() {
    assert_eq!(verify(&reveal(), &["osbo", "pass"]).code, 64);
    assert_eq!(verify(&reveal(), &["osbo", "-size=3"]).code, 64);
    assert_eq!(verify(&reveal(), &["--record", "other.txt"]).code, 64);
    assert_eq!(verify(&reveal(), &["obsidio"]).code, 65);
    assert_eq!(play("osbo --verify-dice /does/not/exist").code, 66);
    assert_eq!(play("osbo --verify-dice").code, 64);
}
