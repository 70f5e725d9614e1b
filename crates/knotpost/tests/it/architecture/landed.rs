//! Migrations that landed keep their bytes: a database stores the checksum of each step it took, and a program with
//! other bytes for that step refuses to open it.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use sha2::{Digest as _, Sha256};

const DATABASES: [&str; 2] = ["sqlite", "postgres"];

fn digest(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().fold(String::new(), |mut hex, byte| {
        let _ = write!(hex, "{byte:02x}");
        hex
    })
}

/// The names in a folder of migrations, in order.
fn steps(folder: &Path) -> Vec<String> {
    let files = fs::read_dir(folder).unwrap().map(|file| file.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<_> = files.collect();
    names.sort();
    names
}

#[test]
fn landed_migrations_keep_their_bytes() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../migrations");
    // `sha256sum --check landed.sha256` in that folder asks the same.
    let listed = fs::read_to_string(folder.join("landed.sha256")).unwrap();
    let landed: BTreeMap<&str, &str> = listed
        .lines()
        .map(|line| line.split_once("  ").expect(line))
        .map(|(hex, name)| (name, hex))
        .collect();
    for (name, expected) in &landed {
        let bytes = fs::read(folder.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(digest(&bytes), **expected, "{name} has landed; what is to change goes into a new step");
    }
    for database in DATABASES {
        let here = steps(&folder.join(database));
        let count = landed.keys().filter(|name| name.starts_with(database)).count();
        assert!(count > 0, "{database}");
        for name in here.iter().take(count) {
            assert!(
                landed.contains_key(format!("{database}/{name}").as_str()),
                "{name} stands before a landed one"
            );
        }
    }
    assert_eq!(steps(&folder.join("sqlite")), steps(&folder.join("postgres")), "steps come in pairs");
}
