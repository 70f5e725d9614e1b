//! Whose files a server's files are, where they are, and which commands make them.

use std::collections::BTreeSet;
use std::fs::{self, Permissions};
use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use super::letters::letters;
use super::running::{Place, has_neighbour, leave_out, run_neighbour, users};
use super::wire::letter;

/// Folders, files and sockets under a folder, with their permissions.
fn everything(folder: &Path) -> Vec<(PathBuf, u32)> {
    let mut found = vec![(folder.to_owned(), mode(folder))];
    for entry in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        if entry.is_dir() {
            found.extend(everything(&entry));
        } else {
            found.push((entry.clone(), mode(&entry)));
        }
    }
    found
}

fn mode(path: &Path) -> u32 {
    fs::symlink_metadata(path).unwrap().mode() & 0o777
}

/// Whether the test may become another user; where it may not, it is left out and says so.
async fn is_root() -> bool {
    if !has_neighbour("setpriv") {
        return false;
    }
    let is_root = run_neighbour("id", &["-u"]).await.succeed().trim() == "0";
    if !is_root {
        leave_out("commands as another user, which only root can run");
    }
    is_root
}

#[tokio::test]
async fn what_a_server_makes_is_its_users_alone_whatever_the_mask_says() {
    let place = Place::new().with_shell("umask 000; exec \"$@\"");
    let server = place.start().await;
    server.sign_up_two().await;
    server.post("ann@example.org", &letter("ann@example.org", "help", "one@example.org")).await;
    place.wait_until_idle().await;
    assert!(!letters(&place.maildir()).is_empty());
    place.run(&["backup", "copy.db"]).await.succeed();
    place.run(&["export", "--all", "server.jsonl"]).await.succeed();
    let mut seen = BTreeSet::new();
    let copies =
        ["copy.db", "server.jsonl"].map(|name| place.root().join(name)).map(|path| (mode(&path), path));
    for (path, mode) in everything(&place.data()).into_iter().chain(copies.map(|(mode, path)| (path, mode))) {
        let kind = fs::symlink_metadata(&path).unwrap().file_type();
        let expected = if kind.is_dir() {
            0o700
        } else if kind.is_socket() {
            0o660
        } else {
            0o600
        };
        assert_eq!(mode, expected, "{}: {mode:o}", path.display());
        seen.extend(path.file_name().map(|name| name.to_string_lossy().into_owned()));
    }
    for name in
        ["knotpost.db", "knotpost.db-wal", "knotpost.db-shm", "secret.key", "ports.json", "knotpost.sock"]
    {
        assert!(seen.contains(name), "{name} is not there: {seen:?}");
    }
    if is_root().await {
        fs::set_permissions(place.root(), Permissions::from_mode(0o755)).unwrap();
        for name in ["knotpost.db", "knotpost.db-wal", "secret.key", "ports.json"] {
            let file = place.data().join(name);
            let arguments =
                ["--reuid", "65534", "--regid", "65534", "--clear-groups", "cat", file.to_str().unwrap()];
            let ended = run_neighbour("setpriv", &arguments).await;
            assert!(ended.code() != 0 && ended.stderr.contains("Permission denied"), "{name}: {ended:?}");
        }
    }
    let ended = server.stop().await;
    assert!(!ended.stderr.contains("chmod"), "{ended:?}");
}

#[tokio::test]
async fn what_others_may_read_is_told_at_the_start_with_what_ends_it() {
    let place = Place::new().with("KNOTPOST_LOG__LEVEL", "warn");
    fs::create_dir(place.data()).unwrap();
    fs::set_permissions(place.data(), Permissions::from_mode(0o755)).unwrap();
    let ended = place.start().await.stop().await;
    assert!(ended.stderr.contains(&format!("`chmod 700 {}`", place.data().display())), "{ended:?}");
    assert_eq!(mode(&place.data()), 0o755, "the folder is its operator's");
    // A file of an older version in a folder that can be passed through.
    fs::set_permissions(place.data(), Permissions::from_mode(0o711)).unwrap();
    let file = place.data().join("knotpost.db");
    fs::set_permissions(&file, Permissions::from_mode(0o644)).unwrap();
    let ended = place.start().await.stop().await;
    assert!(ended.stderr.contains(&format!("`chmod 600 {}`", file.display())), "{ended:?}");
    fs::set_permissions(&file, Permissions::from_mode(0o600)).unwrap();
    let ended = place.start().await.stop().await;
    assert!(!ended.stderr.contains("chmod"), "{ended:?}");
    // A socket for others where no others come.
    fs::set_permissions(place.data(), Permissions::from_mode(0o700)).unwrap();
    let place = place.with("KNOTPOST_SERVER__SOCKET_MODE", "0666");
    let ended = place.start().await.stop().await;
    assert!(ended.stderr.contains("`server.socket`"), "{ended:?}");
    let socket = place.root().join("deliver");
    let place = place.with("KNOTPOST_SERVER__SOCKET", socket.to_str().unwrap());
    let server = place.start().await;
    assert_eq!(mode(&socket), 0o666);
    let mail = letter("ann@example.org", "help", "one@example.org").into_bytes();
    assert_eq!(place.run_with(&["deliver"], &mail).await.code(), 0);
    assert!(!server.stop().await.stderr.contains("server.socket"));
    assert!(!socket.exists());
}

#[tokio::test]
async fn data_belongs_to_the_folder_of_the_configuration_wherever_a_command_runs() {
    let place = Place::new()
        .with_shell("program=$1; shift; cd elsewhere && exec \"$program\" --config ../knotpost.toml \"$@\"");
    let elsewhere = place.root().join("elsewhere");
    fs::create_dir(&elsewhere).unwrap();
    place.write("knotpost.toml", "[server]\nname = \"Somewhere\"\n");
    let server = place.start().await;
    server.sign_up_two().await;
    let mail = letter("ann@example.org", "help", "one@example.org").into_bytes();
    assert_eq!(place.run_with(&["deliver"], &mail).await.code(), 0);
    place.wait_until_idle().await;
    assert_eq!(place.received().len(), 1, "the server has it");
    server.stop().await;
    let mail = letter("ann@example.org", "list", "two@example.org").into_bytes();
    assert_eq!(place.run_with(&["deliver"], &mail).await.code(), 0);
    assert_eq!(place.received().len(), 2, "it lies in the server's database");
    assert_eq!(users(&place).await, ["ann", "bob"]);
    assert_eq!(
        fs::read_dir(&elsewhere).unwrap().count(),
        0,
        "nothing is made where a command happens to run"
    );
}

/// Every command in an empty folder, and its exit code. Those that may make a server there follow below.
const LOOKING: [(&[&str], i32); 39] = [
    (&["deliver"], 75),
    (&["command", "help"], 78),
    (&["play", "osbox"], 0),
    (&["think", "boxilies", "--level", "1"], 0),
    (&["match", "boxilies", "--seats", "1,random", "--games", "1"], 0),
    (&["new-game", "zigzag", "--board", "hex"], 1),
    (&["trf", "random", "--players", "8", "--rounds", "3", "--seed", "1"], 0),
    (&["config", "show"], 0),
    (&["config", "check"], 0),
    (&["doctor"], 0),
    (&["health"], 1),
    (&["config", "dkim-record"], 78),
    (&["config", "templates"], 0),
    (&["backup", "copy.db"], 78),
    (&["export", "--all"], 78),
    (&["export", "--all", "all.jsonl"], 78),
    (&["export", "--board", "osbox/101"], 78),
    (&["export", "--user", "ann"], 78),
    (&["openapi"], 0),
    (&["completions", "bash"], 0),
    (&["man"], 0),
    (&["help"], 0),
    (&["admin", "user", "list"], 78),
    (&["admin", "user", "list", "--reserved"], 78),
    (&["admin", "user", "show", "ann"], 78),
    (&["admin", "user", "passwd", "ann"], 78),
    (&["admin", "board", "list"], 78),
    (&["admin", "board", "show", "osbox", "101"], 78),
    (&["admin", "inbox", "list"], 78),
    (&["admin", "outbox", "list"], 78),
    (&["admin", "audit", "list"], 78),
    (&["admin", "bounces", "list"], 78),
    (&["admin", "do-not-mail", "list"], 78),
    (&["admin", "strangers"], 78),
    (&["admin", "hold"], 78),
    (&["admin", "key", "list"], 78),
    (&["admin", "ratings", "recompute"], 78),
    (&["admin", "replay", "--all"], 78),
    (&["admin", "help"], 0),
];
/// Commands that may make one.
const MAKING: [&[&str]; 5] = [&["serve"], &["migrate"], &["import"], &["restore"], &["admin", "user", "add"]];

/// The commands that a help text lists.
async fn listed(place: &Place, words: &[&str]) -> BTreeSet<String> {
    let help = place.run(&[words, &["--help"]].concat()).await.succeed();
    let list = help.split("Commands:\n").nth(1).unwrap().split("\n\n").next().unwrap();
    let names = list.lines().filter(|line| line.starts_with("  ") && !line.starts_with("   "));
    names.filter_map(|line| Some(line.split_whitespace().next()?.to_owned())).collect()
}

#[tokio::test]
async fn commands_that_only_look_make_nothing_and_say_where_they_looked() {
    let place = Place::new();
    let mail = letter("ann@example.org", "help", "one@example.org").into_bytes();
    let (database, key) = (place.data().join("knotpost.db"), place.data().join("secret.key"));
    let ports = place.data().join("ports.json");
    for (arguments, code) in LOOKING {
        let ended = place.run_with(arguments, &mail).await;
        assert_eq!(ended.code(), code, "{arguments:?}: {ended:?}");
        if code != 0 && arguments != ["config", "dkim-record"] {
            let wanted = match arguments {
                ["health"] => ports.as_path(),
                ["new-game", ..] => place.root(),
                _ if arguments.contains(&"key") => key.as_path(),
                _ => database.as_path(),
            };
            assert!(ended.stderr.contains(wanted.to_str().unwrap()), "{arguments:?}: {ended:?}");
        }
        assert_eq!(fs::read_dir(place.root()).unwrap().count(), 0, "{arguments:?} made something");
    }
    let commands: Vec<&[&str]> = LOOKING.iter().map(|(arguments, _)| *arguments).chain(MAKING).collect();
    for words in [&[][..], &["admin"]] {
        for name in listed(&place, words).await {
            let is_tried = commands
                .iter()
                .any(|tried| tried.starts_with(words) && tried.get(words.len()) == Some(&&*name));
            assert!(is_tried, "`{words:?} {name}` is not in the table");
        }
    }
    // An empty file is no database.
    fs::create_dir(place.data()).unwrap();
    fs::write(&database, "").unwrap();
    assert_eq!(place.run(&["admin", "user", "list"]).await.code(), 78);
    assert_eq!(fs::read_dir(place.data()).unwrap().count(), 1);
    // A database without its key is not given another one.
    fs::remove_dir_all(place.data()).unwrap();
    let place = place.migrated().await;
    fs::remove_file(place.data().join("secret.key")).unwrap();
    let ended = place.run(&["export", "--all"]).await;
    assert!(ended.code() == 78 && ended.stderr.contains("secret.key"), "{ended:?}");
    assert!(!place.data().join("secret.key").exists());
}

/// The schema of the database of a place; none before the first step.
fn schema(place: &Place) -> Option<i64> {
    place.ask("SELECT max(version) FROM _sqlx_migrations")
}

#[tokio::test]
async fn commands_that_only_look_change_no_schema_and_say_what_does() {
    // As far as a first start came that was ended before the first step of the schema.
    const OLD: &str = "CREATE TABLE _sqlx_migrations (version BIGINT PRIMARY KEY, description TEXT NOT NULL,
        installed_on TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP, success BOOLEAN NOT NULL, checksum BLOB NOT NULL,
        execution_time BIGINT NOT NULL)";
    let place = Place::new().migrated().await.with("KNOTPOST_SECRETS__KEY", "a7".repeat(32));
    let fill = || {
        let _ = fs::remove_file(place.data().join("knotpost.db"));
        place.alter(OLD);
    };
    let newest = schema(&place);
    fill();
    let mail = letter("ann@example.org", "help", "one@example.org").into_bytes();
    let opening = LOOKING.into_iter().filter(|(arguments, code)| {
        let is_elsewhere = ["dkim-record", "backup", "key"].iter().any(|word| arguments.contains(word));
        [75, 78].contains(code) && !is_elsewhere
    });
    for (arguments, code) in opening {
        let ended = place.run_with(arguments, &mail).await;
        assert_eq!(ended.code(), code, "{arguments:?}: {ended:?}");
        let told = "lacks schema 1; run `knotpost migrate`, or start the server";
        assert!(ended.stderr.contains(told), "{arguments:?}: {ended:?}");
        assert_eq!(schema(&place), None, "{arguments:?}");
    }
    // A backup is made of what is there.
    place.run(&["backup", "copy.db"]).await.succeed();
    assert_eq!(schema(&place), None);
    place.run(&["migrate"]).await.succeed();
    assert_eq!(schema(&place), newest);
    place.run(&["admin", "user", "list"]).await.succeed();
    // Those that may make a database bring one up to date, unless that is switched off.
    fill();
    let add = ["admin", "user", "add", "boss", "boss@example.org"];
    let place = place.with("KNOTPOST_DATABASE__MIGRATE", "off");
    for arguments in [&add[..], &["admin", "user", "list"], &["serve"]] {
        let ended = place.run_with(arguments, b"boss-secret\n").await;
        assert_eq!(ended.code(), 78, "{arguments:?}: {ended:?}");
        assert!(
            ended.stderr.contains("lacks schema 1; run `knotpost migrate`\n"),
            "{arguments:?}: {ended:?}"
        );
    }
    let place = place.with("KNOTPOST_DATABASE__MIGRATE", "auto");
    place.run_with(&add, b"boss-secret\n").await.succeed();
    assert_eq!(schema(&place), newest);
    // A schema of a later program is nobody's to change.
    let later = "INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time)
                 VALUES (9999, 'later', 1, x'00', 0)";
    place.alter(later);
    for (arguments, code) in [(&["deliver"][..], 75), (&["admin", "user", "list"], 78), (&["serve"], 78)] {
        let ended = place.run_with(arguments, &mail).await;
        assert_eq!(ended.code(), code, "{arguments:?}: {ended:?}");
        assert!(ended.stderr.contains("newer knotpost"), "{arguments:?}: {ended:?}");
    }
}

#[tokio::test]
async fn commands_make_no_files_in_the_folder_of_another_user() {
    if !is_root().await {
        return;
    }
    let place = Place::new();
    fs::create_dir(place.data()).unwrap();
    run_neighbour("chown", &["65534:65534", place.data().to_str().unwrap()]).await.succeed();
    for arguments in [&["admin", "user", "add", "boss", "boss@example.org"][..], &["migrate"]] {
        let ended = place.run_with(arguments, b"boss-secret\n").await;
        assert_eq!(ended.code(), 78, "{ended:?}");
        assert!(ended.stderr.contains("another user") && ended.stderr.contains("#65534"), "{ended:?}");
    }
    assert_eq!(fs::read_dir(place.data()).unwrap().count(), 0);
    // Another user than the owner is told what may not be looked at, and the mail waits.
    fs::set_permissions(place.data(), Permissions::from_mode(0o700)).unwrap();
    run_neighbour("chown", &["0:0", place.data().to_str().unwrap()]).await.succeed();
    place.run(&["migrate"]).await.succeed();
    fs::set_permissions(place.root(), Permissions::from_mode(0o755)).unwrap();
    fs::copy(env!("CARGO_BIN_EXE_knotpost"), place.root().join("knotpost")).unwrap();
    let place =
        place.with_shell("shift; exec setpriv --reuid 65534 --regid 65534 --clear-groups ./knotpost \"$@\"");
    let mail = letter("ann@example.org", "help", "one@example.org").into_bytes();
    let ended = place.run_with(&["deliver"], &mail).await;
    assert_eq!(ended.code(), 75, "{ended:?}");
    assert!(ended.stderr.contains(place.data().to_str().unwrap()), "{ended:?}");
    let ended = place.run(&["health"]).await;
    assert!(ended.code() == 1 && ended.stderr.contains("cannot be read"), "{ended:?}");
}

/// The user `nobody`, as programs of a test run when it is started by root.
const AS_NOBODY: &str = "exec setpriv --reuid 65534 --regid 65534 --clear-groups \"$@\"";

#[tokio::test]
async fn a_server_of_another_user_is_refused_and_what_it_left_is_named() {
    if !is_root().await {
        return;
    }
    let place = Place::new().migrated().await;
    fs::set_permissions(place.root(), Permissions::from_mode(0o755)).unwrap();
    let give_away = || {
        for (path, _) in everything(&place.data()) {
            std::os::unix::fs::chown(path, Some(65_534), Some(65_534)).unwrap();
        }
    };
    give_away();
    let before = everything(&place.data());
    for arguments in [&["serve"][..], &[]] {
        let ended = place.run(arguments).await;
        assert_eq!(ended.code(), 78, "{ended:?}");
        for words in ["belongs to user 65534", "this is user 0", "--allow-root", "sudo -u '#65534'"] {
            assert!(ended.stderr.contains(words), "{words}: {ended:?}");
        }
    }
    assert_eq!(everything(&place.data()), before, "nothing was made");
    for command in [&["config", "check"][..], &["doctor"]] {
        let said = place.run(command).await.succeed();
        assert!(said.contains("warning: server.data: ") && said.contains("sudo -u '#65534'"), "{said}");
    }

    // Started all the same, and killed: its user's server says what is in its way, and so do the checks.
    let server = place.clone().with_shell("exec \"$@\" --allow-root").start().await;
    server.kill().await;
    let service = place.clone().with_shell(AS_NOBODY);
    for command in [&["serve"][..], &["config", "check"], &["doctor"]] {
        let ended = service.run(command).await;
        let said = format!("{}{}", ended.stdout, ended.stderr);
        let code = if command == ["doctor"] { 1 } else { 78 };
        assert_eq!(ended.code(), code, "{command:?}: {said}");
        assert!(said.contains("belongs to user 0") && said.contains("`chown 65534 "), "{command:?}: {said}");
    }
    give_away();
    fs::remove_file(place.data().join("ports.json")).unwrap();
    service.start().await.stop().await;
    // A volume of a container belongs to root, and its user may write to it.
    std::os::unix::fs::chown(place.data(), Some(0), None).unwrap();
    fs::set_permissions(place.data(), Permissions::from_mode(0o770)).unwrap();
    service.start().await.stop().await;
}
