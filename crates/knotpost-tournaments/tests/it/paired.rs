//! Tournaments that an independent engine of the same edition paired round by round; every round is paired again.

use std::fs;
use std::path::Path;

use knotpost_tournaments::{check_round, read_trf};

#[test]
fn an_independent_engine_pairs_the_same() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/paired");
    let mut rounds = 0;
    for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
        let name = entry.file_name();
        let record = read_trf(&fs::read_to_string(entry.path()).unwrap()).unwrap();
        for round in 0..record.paired_rounds() {
            let (mut played, found) = check_round(&record, round);
            let mut found = found.unwrap();
            played.boards.sort_unstable();
            found.boards.sort_unstable();
            assert_eq!(found, played, "round {} of {}", round + 1, name.display());
            rounds += 1;
        }
    }
    assert!(rounds > 150, "the fixtures are there");
}
