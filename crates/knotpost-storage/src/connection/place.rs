//! Places in the source at which statements are run, noted in builds with debug assertions: `tests/statements` compares
//! those of both databases.

use std::collections::HashSet;
use std::env;
use std::fs::{File, OpenOptions};
use std::io::Write as _;
use std::panic::Location;
use std::path::Path;
use std::sync::{LazyLock, Mutex, PoisonError};

/// Names the folder with a file for each process. It is no setting, so programs under test inherit it.
const FOLDER: &str = "TEST_STATEMENTS";
/// The name that the runner gives a test and the programs it starts.
const TEST: &str = "NEXTEST_TEST_NAME";

struct Notes {
    file: File,
    noted: HashSet<(&'static Location<'static>, bool)>,
}

static NOTES: LazyLock<Option<Mutex<Notes>>> = LazyLock::new(|| {
    #[expect(clippy::disallowed_methods, reason = "it is for the tests, and in no configuration")]
    let (folder, test) = (env::var_os(FOLDER)?, env::var(TEST).unwrap_or_default());
    let path = Path::new(&folder).join(format!("{test}.{}", std::process::id()));
    // Some programs under test may write nowhere; what they run is not noted.
    let file = OpenOptions::new().create(true).append(true).open(path).ok()?;
    Some(Mutex::new(Notes { file, noted: HashSet::new() }))
});

/// Notes the caller, and the database of its statement.
#[track_caller]
pub(crate) fn note_place(is_postgres: bool) {
    let Some(notes) = &*NOTES else { return };
    let place = Location::caller();
    let mut notes = notes.lock().unwrap_or_else(PoisonError::into_inner);
    if notes.noted.insert((place, is_postgres)) {
        let database = if is_postgres { "postgres" } else { "sqlite" };
        // A place that cannot be noted is missing in the comparison.
        let _ = notes.file.write_all(format!("{database} {}:{}\n", place.file(), place.line()).as_bytes());
    }
}
