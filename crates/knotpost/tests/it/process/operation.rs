//! Starting, stopping, configuring and backing up, as an operator does it.

use std::net::TcpListener;
use std::time::Duration;

use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;
use tokio::time::Instant;

use super::letters::letters;
use super::running::{Ended, Place, read_all, read_some, run_neighbour};
use super::wire::{command, letter};

fn expect_refusal(ended: &Ended, code: i32, words: &[&str]) {
    assert_eq!(ended.code(), code, "{ended:?}");
    let last = ended.stderr.lines().last().unwrap_or_default();
    assert!(last.starts_with("knotpost: "), "{ended:?}");
    for word in words {
        assert!(ended.stderr.contains(word), "`{word}` is missing: {ended:?}");
    }
}

#[tokio::test]
async fn a_setting_that_cannot_be_used_is_named() {
    let place = Place::new();
    place.write("knotpost.toml", "[http]\nlistne = \"127.0.0.1:0\"\n");
    expect_refusal(&place.run(&["config", "show"]).await, 78, &["listne", "http"]);
    expect_refusal(&place.run(&["serve"]).await, 78, &["listne"]);
    place.write("knotpost.toml", "[htpp]\nlisten = \"127.0.0.1:0\"\n");
    expect_refusal(&place.run(&["serve"]).await, 78, &["htpp"]);
    place.write("knotpost.toml", "this is not TOML");
    expect_refusal(&place.run(&["serve"]).await, 78, &["knotpost.toml"]);
    expect_refusal(&place.run(&["--config", "absent.toml"]).await, 78, &["absent.toml"]);
    std::fs::remove_file(place.root().join("knotpost.toml")).unwrap();

    for (name, value, key) in [
        ("KNOTPOST_HTTP__LISTEN", "somewhere", "http.listen"),
        ("KNOTPOST_SERVER__ADDRESS", "nobody", "server.address"),
        ("KNOTPOST_SERVER__ADRESS", "games@example.org", "adress"),
        ("KNOTPOST_SECRETS__KEY", "short", "secrets.key"),
        ("KNOTPOST_RETENTION__INBOX_DAYS", "7", "retention.inbox_days"),
        ("KNOTPOST_LIMITS__ENABLED", "perhaps", "limits.enabled"),
        ("KNOTPOST_LOG__FORMAT", "xml", "log.format"),
        ("KNOTPOST_DATABASE__URL", "mysql://localhost/x", "database.url"),
    ] {
        let ended = Place::new().with(name, value).run(&["serve"]).await;
        expect_refusal(&ended, 78, &[key]);
    }
}

#[tokio::test]
async fn several_servers_of_a_database_are_refused_with_the_way_to_have_them() {
    let url = "postgres://knot:canary-3@db1:5432,db2:5432/knotpost?target_session_attrs=read-write";
    for (arguments, code) in
        [(&["serve"][..], 78), (&["config", "check"], 78), (&["migrate"], 78), (&["doctor"], 1)]
    {
        let ended = Place::new().with("KNOTPOST_DATABASE__URL", url).run(arguments).await;
        assert_eq!(ended.code(), code, "{ended:?}");
        // Whoever asks for findings gets them as an answer.
        let said = format!("{}{}", ended.stdout, ended.stderr);
        assert!(
            said.contains("put HAProxy before") && said.contains("docs/operations/failover.md"),
            "{said}"
        );
        assert!(!said.contains("canary-3"), "{said}");
    }
}

#[tokio::test]
async fn a_setting_that_turns_out_unusable_at_the_start_is_named_too() {
    let registry = knotpost_games::registry();
    let all = registry.iter().map(|game| game.meta().name).collect::<Vec<_>>().join(",");
    for (name, value, code, key) in [
        ("KNOTPOST_MAIL__TRANSPORT", "pigeon:home", 78, "mail.transport"),
        ("KNOTPOST_GAMES__DISABLED", "shogi", 78, "games.disabled"),
        ("KNOTPOST_GAMES__DISABLED", all.as_str(), 78, "all games are switched off"),
        ("KNOTPOST_GAMES__TITLES", "xiangqi=Chess", 78, "games.titles"),
        ("KNOTPOST_GAMES__TITLES", "hex=", 78, "not one line"),
        ("KNOTPOST_GAMES__TITLES", "hex=The game of Piet Hein", 78, "longer than 13 characters"),
        ("KNOTPOST_GAMES__TITLES", "hex", 78, "name=value"),
        ("KNOTPOST_LOG__LEVEL", "=,=", 78, "log.level"),
        ("KNOTPOST_LOG__LEVEL", "verbose", 78, "error, warn, info, debug, trace"),
        ("KNOTPOST_SERVER__DATA", "/dev/null/data", 1, "/dev/null/data"),
    ] {
        let Err(ended) = Place::new().with(name, value).try_start().await else { panic!("{name} was taken") };
        expect_refusal(&ended, code, &[key]);
    }
}

#[tokio::test]
async fn shown_settings_are_effective_and_hide_secrets() {
    let key = "5ec3e7".repeat(10) + "beef";
    let place = Place::new()
        .with("KNOTPOST_SERVER__NAME", "From the environment")
        .with("KNOTPOST_MAIL__TRANSPORT", "smtp://mailer:canary-1@relay.example:587")
        .with("KNOTPOST_DATABASE__URL", "postgres://knot:canary-2@db.example/knotpost")
        .with("KNOTPOST_SECRETS__KEY", &key);
    place.write("knotpost.toml", "[server]\nname = \"From the file\"\naddress = \"games@example.org\"\n");
    let shown = place.run(&["config", "show"]).await.succeed();
    assert!(!shown.contains("canary") && !shown.contains(&key), "{shown}");
    for line in [
        "name = \"From the environment\"",
        "address = \"games@example.org\"",
        "transport = \"smtp://mailer:********@relay.example:587\"",
        "key = \"********\"",
        "inbox_days = 90",
    ] {
        assert!(shown.lines().any(|shown| shown == line), "`{line}` is missing in\n{shown}");
    }
    // What is shown can be read again.
    let other = Place::new();
    let file = other.write("shown.toml", shown.replace("\"********\"", "\"\""));
    other.run(&["--config", file.to_str().unwrap(), "config", "show"]).await.succeed();
}

#[tokio::test]
async fn a_second_server_on_the_same_folder_is_refused_and_the_first_goes_on() {
    let place = Place::new();
    let server = place.start().await;
    let Err(ended) = place.try_start().await else { panic!("two servers on one folder") };
    assert_eq!(ended.code(), 1);
    expect_refusal(&ended, 1, &["another server is running on"]);
    assert_eq!(server.get("/readyz").await.status, 200);
    assert!(place.data().join("ports.json").exists() && place.data().join("knotpost.sock").exists());
    server.stop().await;
}

#[tokio::test]
async fn a_server_is_asked_whether_it_is_ready() {
    let place = Place::new();
    expect_refusal(&place.run(&["health"]).await, 1, &["no server runs", "ports.json"]);
    let server = place.start().await;
    let told = place.run(&["health"]).await.succeed();
    assert_eq!(place.run(&["ready"]).await.succeed(), told, "its former name");
    assert_eq!(told, server.get("/readyz").await.body);
    assert!(told.starts_with("ready\n"), "{told}");

    let database = place.data().join("knotpost.db");
    std::fs::rename(&database, place.data().join("elsewhere.db")).unwrap();
    expect_refusal(&place.run(&["health"]).await, 1, &["not ready: the database file was deleted"]);
    std::fs::rename(place.data().join("elsewhere.db"), &database).unwrap();
    assert_eq!(place.run(&["health"]).await.code(), 0);

    server.kill().await;
    expect_refusal(&place.run(&["health"]).await, 1, &["gave no answer"]);
    // A killed server leaves its address behind, which another program may have by now.
    let other = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    std::fs::write(
        place.data().join("ports.json"),
        format!(r#"{{"http":"{}"}}"#, other.local_addr().unwrap()),
    )
    .unwrap();
    let answering = async {
        let (mut stream, _) = other.accept().await.unwrap();
        read_some(&mut stream).await;
        stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhello").await.unwrap();
        stream
    };
    let (ended, _) = tokio::join!(async { place.run(&["health"]).await }, answering);
    expect_refusal(&ended, 1, &["another program listens there"]);
    std::fs::write(place.data().join("ports.json"), "{").unwrap();
    expect_refusal(&place.run(&["health"]).await, 1, &["ports.json", "cannot be read"]);

    let mail_alone = Place::new().with("KNOTPOST_HTTP__LISTEN", "");
    let server = mail_alone.start().await;
    expect_refusal(&mail_alone.run(&["health"]).await, 1, &["http.listen"]);
    server.stop().await;
}

#[tokio::test]
async fn a_taken_address_is_named_with_its_key_and_nothing_is_left() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    for (name, key) in [("KNOTPOST_HTTP__LISTEN", "http.listen"), ("KNOTPOST_SMTP__LISTEN", "smtp.listen")] {
        let place = Place::new().with(name, &address);
        let Err(ended) = place.try_start().await else { panic!("{key} was taken") };
        expect_refusal(&ended, 1, &[key, &address, "port 0"]);
        assert!(!place.data().join("ports.json").exists() && !place.data().join("knotpost.sock").exists());
    }
}

#[tokio::test]
async fn a_signal_ends_the_server_in_order_while_requests_are_in_progress() {
    for signal in ["TERM", "INT"] {
        let place = Place::new();
        let server = place.start().await;
        server.sign_up_two().await;
        server.ask("osbox challenge ann bob").await;
        // Half a request, half a mail, half a piped message: none of them may hold up the end.
        let mut request = TcpStream::connect(server.http()).await.unwrap();
        // A request may still become whole, so it is waited for: once is enough.
        let half = if signal == "TERM" {
            "POST /commands HTTP/1.1\r\nHost: x\r\nContent-Length: 99\r\n\r\nhel"
        } else {
            ""
        };
        request.write_all(half.as_bytes()).await.unwrap();
        let mut mail = TcpStream::connect(server.smtp()).await.unwrap();
        mail.write_all(b"EHLO client.example.net\r\nMAIL FROM:<ann@example.org>\r\n").await.unwrap();
        // A connection nobody has taken up yet is just closed; this one is a conversation.
        assert_eq!(read_some(&mut mail).await.first(), Some(&b'2'), "SIG{signal}: the greeting");
        let _pipe = tokio::net::UnixStream::connect(place.data().join("knotpost.sock")).await.unwrap();
        // And a command whose password takes its time.
        let http = server.http();
        let moving = tokio::spawn(async move { command(http, "osbox move 101 ann ann-secret a1").await });
        let asked = Instant::now();
        server.signal(signal).await;
        let ended = server.end().await;
        assert_eq!(ended.code(), 0, "SIG{signal}: {ended:?}");
        assert!(asked.elapsed() < Duration::from_secs(10), "SIG{signal} took {:?}", asked.elapsed());
        assert!(!place.data().join("ports.json").exists(), "SIG{signal}");
        assert!(!place.data().join("knotpost.sock").exists(), "SIG{signal}");
        let goodbye = String::from_utf8(read_all(&mut mail).await).unwrap();
        assert!(
            goodbye.lines().last().is_some_and(|line| line.starts_with("421 ")),
            "SIG{signal}: {goodbye}"
        );
        if moving.await.unwrap().is_ok_and(|response| response.status == 200) {
            assert_eq!(place.made().len(), 1, "SIG{signal}: what was answered is stored");
        }
    }
}

#[tokio::test]
async fn a_server_starts_again_after_a_kill_and_after_a_stop() {
    let place = Place::new();
    let server = place.start().await;
    server.sign_up_two().await;
    server.ask("osbox challenge ann bob").await;
    let first = server.id();
    server.kill().await;
    assert!(place.data().join("ports.json").exists() && place.data().join("knotpost.sock").exists());
    let server = place.start().await;
    assert_ne!(server.id(), first);
    server.ask("osbox move 101 ann ann-secret a1").await;
    server.stop().await;
    let server = place.start().await;
    assert_eq!(server.moves(101).await, ["a1"]);
    let ended = server.stop().await;
    let greeting = ended.stdout;
    for word in ["is ready.", "http://127.0.0.1:", "smtp://127.0.0.1:", "mail/out", "Try:"] {
        assert!(greeting.contains(word), "`{word}` is missing in\n{greeting}");
    }
}

#[tokio::test]
async fn a_backup_made_while_the_server_works_is_a_working_server() {
    use std::os::unix::fs::PermissionsExt as _;
    let place = Place::new();
    let missing = place.run(&["backup", "early.db"]).await;
    let database = place.data().join("knotpost.db");
    expect_refusal(&missing, 78, &["there is no database at", database.to_str().unwrap()]);
    assert!(!place.root().join("early.db").exists());

    let server = place.start().await;
    server.sign_up_two().await;
    server.ask("osbox challenge ann bob").await;
    server.ask("osbox move 101 ann ann-secret a1").await;
    let said = place.run(&["backup", "copy.db"]).await.succeed();
    assert!(said.contains("copy.db") && said.contains("secret.key"), "{said}");
    let copy = place.root().join("copy.db");
    assert_eq!(std::fs::metadata(&copy).unwrap().permissions().mode() & 0o777, 0o600);
    let before = std::fs::read(&copy).unwrap();
    expect_refusal(&place.run(&["backup", "copy.db"]).await, 1, &["copy.db"]);
    assert_eq!(std::fs::read(&copy).unwrap(), before, "an existing file is left alone");
    server.ask("osbox move 101 bob bob-secret a9").await;
    server.stop().await;

    // The key that is named is the one in use.
    let place = place.with("KNOTPOST_SECRETS__KEY_FILE", "own.key");
    let said = place.run(&["backup", "second.db"]).await.succeed();
    assert!(said.contains("Keep own.key with it"), "{said}");
    let place = place.with("KNOTPOST_SECRETS__KEY", "ab".repeat(32));
    let said = place.run(&["backup", "third.db"]).await.succeed();
    assert!(said.contains("`secrets.key`"), "{said}");

    let restored = Place::new();
    std::fs::create_dir(restored.data()).unwrap();
    std::fs::copy(&copy, restored.data().join("knotpost.db")).unwrap();
    std::fs::copy(place.data().join("secret.key"), restored.data().join("secret.key")).unwrap();
    let server = restored.start().await;
    assert_eq!(server.moves(101).await, ["a1"]);
    server.ask("osbox move 101 bob bob-secret a10").await;
    assert_eq!(server.moves(101).await, ["a1", "a10"]);
    server.stop().await;
}

#[tokio::test]
async fn a_database_that_nobody_migrates_is_migrated_by_hand() {
    let place = Place::new().with("KNOTPOST_DATABASE__MIGRATE", "off");
    for _ in 0..2 {
        let said = place.run(&["migrate"]).await.succeed();
        assert!(said.contains("up to date"), "{said}");
    }
    let server = place.start().await;
    server.sign_up_two().await;
    server.stop().await;
}

#[tokio::test]
async fn a_script_for_the_shell_and_the_version_are_printed() {
    let place = Place::new();
    let version = place.run(&["--version"]).await.succeed();
    // The tests may be built with the variable that names the commit.
    let commit = option_env!("KNOTPOST_COMMIT").filter(|commit| !commit.is_empty());
    let commit = commit.map(|commit| format!(" ({commit})")).unwrap_or_default();
    assert_eq!(version.trim(), format!("knotpost {}{commit}", env!("CARGO_PKG_VERSION")));
    let script = place.run(&["completions", "bash"]).await.succeed();
    let file = place.write("completions", script);
    let check = "source \"$1\" && complete -p knotpost";
    let said = run_neighbour("bash", &["-c", check, "bash", file.to_str().unwrap()]).await.succeed();
    assert!(said.contains("-F _knotpost"), "{said}");
    let help = place.run(&["--help"]).await.succeed();
    for word in [
        "serve",
        "deliver",
        "command",
        "play",
        "config",
        "doctor",
        "migrate",
        "backup",
        "admin",
        "completions",
    ] {
        assert!(help.contains(word), "{word}\n{help}");
    }
}

/// What the log says of each command: who, verb, board and outcome.
fn commands_in(log: &str) -> Vec<[String; 4]> {
    let parsed = log.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
    let commands = parsed.filter(|line| line["message"] == "command");
    let read = |line: serde_json::Value| {
        assert!(line["level"] == "INFO" && line["ms"].is_i64(), "{line}");
        ["who", "verb", "board", "outcome"].map(|key| line[key].as_str().unwrap().to_owned())
    };
    commands.map(read).collect()
}

#[tokio::test]
async fn every_command_is_a_line_of_the_log_without_its_words() {
    let place = Place::new().with("KNOTPOST_LOG__FORMAT", "json");
    let server = place.start().await;
    server.sign_up_two().await;
    server.ask("osbox challenge ann bob").await;
    for line in [
        "osbox move 101 bob canary-wrong a9",
        "osbox show canary-odd",
        "canary-verb board 101",
        "osbox show 101",
        "osbox move 101 canary-user canary-word a1",
    ] {
        command(server.http(), line).await.unwrap();
    }
    let mail = letter("ann@example.org", "osbox move 101 ann ann-secret zz99", "z@x.example");
    server.post("ann@example.org", &mail).await;
    place.wait_until_idle().await;
    let ended = server.stop().await;
    let said = commands_in(&ended.stderr);
    let said: Vec<[&str; 4]> = said.iter().map(|line| [0, 1, 2, 3].map(|at| line[at].as_str())).collect();
    for line in [
        ["-", "signup", "-", "done"],
        ["-", "move", "osbox 101", "bad_credentials"],
        ["-", "show", "osbox", "no_such_user"],
        ["-", "-", "-", "wrong_arguments"],
        ["-", "show", "osbox 101", "done"],
        ["ann", "move", "osbox 101", "refused"],
    ] {
        assert!(said.contains(&line), "{line:?} of {said:#?}");
    }
    assert!(
        said.iter()
            .any(|[_, verb, board, outcome]| [*verb, *board, *outcome] == ["challenge", "osbox 101", "done"])
    );
    assert_eq!(said.len(), 2 + 1 + 5 + 1, "one line each: {said:#?}");
    assert!(!ended.stderr.contains("canary") && !ended.stderr.contains("secret"), "{}", ended.stderr);

    // What ends a start is JSON, too.
    let place = place.with("KNOTPOST_MAIL__TRANSPORT", "pigeon:home");
    let Err(ended) = place.try_start().await else { panic!("it started") };
    assert_eq!(ended.code(), 78, "{ended:?}");
    for line in ended.stderr.lines() {
        serde_json::from_str::<serde_json::Value>(line).unwrap_or_else(|error| panic!("{error}: {line}"));
    }
    assert!(ended.stderr.contains("mail.transport"), "{ended:?}");
}

#[tokio::test]
async fn log_lines_are_json_and_hold_no_password() {
    let place = Place::new().with("KNOTPOST_LOG__FORMAT", "json").with("KNOTPOST_LOG__LEVEL", "trace");
    let server = place.start().await;
    server.sign_up_two().await;
    server.ask("osbox challenge ann bob").await;
    server.ask("osbox move 101 ann ann-secret a1").await;
    command(server.http(), "osbox move 101 bob canary-wrong a9").await.unwrap();
    server
        .post(
            "bob@example.org",
            &letter("bob@example.org", "osbox move 101 bob bob-secret a9", "x@x.example"),
        )
        .await;
    server
        .post("bob@example.org", &letter("bob@example.org", "osbox mvoe bob canary-odd", "y@x.example"))
        .await;
    place.wait_until_idle().await;
    let ended = server.stop().await;
    let mut lines = 0;
    for line in ended.stderr.lines().filter(|line| line.starts_with('{')) {
        let parsed: serde_json::Value =
            serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"));
        assert!(parsed["level"].is_string() && parsed["timestamp"].is_string(), "{line}");
        lines += 1;
    }
    assert!(lines > 0, "{ended:?}");
    let others: Vec<_> = ended.stderr.lines().filter(|line| !line.starts_with('{')).collect();
    assert!(others.is_empty() && ended.stdout.is_empty(), "everything is JSON: {others:?} {}", ended.stdout);
    for secret in ["ann-secret", "bob-secret", "canary"] {
        let said = ended.stderr.lines().find(|line| line.contains(secret));
        assert!(said.is_none(), "{secret} stands in the log: {said:?}");
    }
}

#[tokio::test]
async fn a_game_switched_off_is_not_offered_and_its_boards_go_on() {
    let place = Place::new();
    let server = place.start().await;
    server.sign_up_two().await;
    server.ask("osbox challenge ann bob").await;
    server.ask("osbox move 101 ann ann-secret a1").await;
    server.stop().await;

    let place = place.with("KNOTPOST_GAMES__DISABLED", "osbox");
    let server = place.start().await;
    let list = server.ask("list").await;
    assert!(!list["replies"][0]["text"].as_str().unwrap().to_lowercase().contains("osbox"), "{list}");
    let games = server.get("/api/v1/games").await;
    assert!(!games.body.contains("osbox"), "{games:?}");
    let challenge = command(server.http(), "osbox challenge ann bob").await.unwrap();
    assert!(challenge.status >= 400, "{challenge:?}");
    assert_eq!(server.moves(101).await, ["a1"]);
    server.ask("osbox move 101 bob bob-secret a9").await;
    assert_eq!(server.moves(101).await, ["a1", "a9"]);
    assert_eq!(server.get("/api/v1/boards/osbox/101/board.txt").await.status, 200);
    assert_eq!(server.get("/boards/osbox/101").await.status, 200);
    let shown = place.run(&["admin", "board", "show", "osbox", "101"]).await.succeed();
    assert!(shown.contains("a1"), "{shown}");
    server.stop().await;
    assert!(letters(&place.maildir()).len() >= 6);
}

#[tokio::test]
async fn a_game_with_another_title_has_it_everywhere_and_keeps_its_words() {
    let place = Place::new();
    place.write("knotpost.toml", "[games]\ntitles = { hex = \"Con-tac-tix\" }\n");
    let server = place.start().await;
    server.sign_up_two().await;
    server.ask("hex challenge ann bob").await;
    for said in [server.ask("list").await, server.ask("hex help").await, server.ask("hex show 101").await] {
        let said = said.to_string();
        assert!(said.contains("Con-tac-tix") && !said.contains("Hex - "), "{said}");
    }
    for address in ["/api/v1/games", "/games", "/games/hex", "/boards/hex/101"] {
        let page = server.get(address).await;
        assert!(page.body.contains("Con-tac-tix"), "{address}: {page:?}");
    }
    server.stop().await;
    let shown = place.run(&["config", "show"]).await.succeed();
    assert!(shown.contains("hex = \"Con-tac-tix\""), "{shown}");
}

/// Counters that cannot say all values of their labels beforehand, as `docs/reference/metrics.md` tells.
const LATER: [&str; 1] = ["knotpost_http_requests_total"];

#[tokio::test]
async fn counters_are_there_from_the_start_and_the_players_of_the_server_are_no_people() {
    let server = Place::new().start().await;
    let text = server.get("/metrics").await.body;
    let reference = include_str!("../../../../../docs/reference/metrics.md");
    let rows = reference.lines().filter(|line| line.ends_with('|') && line.contains("| counter |"));
    let counters: Vec<&str> = rows.map(|line| line.split('`').nth(1).unwrap()).collect();
    assert!(counters.len() > 10);
    for counter in counters.into_iter().filter(|name| !LATER.contains(name)) {
        let is_there = text.lines().any(|line| line.starts_with(counter) && !line.starts_with('#'));
        assert!(is_there, "{counter} is not on the page of a server that has just started");
    }
    let ended = server.stop().await;
    assert!(text.contains("\nknotpost_users 0\n"), "{text}\n{}", ended.stderr);
}

#[tokio::test]
async fn the_journal_is_told_the_level_of_each_line() {
    let script = "exec 2>log; export JOURNAL_STREAM=$(stat -L -c %d:%i /proc/self/fd/2); exec \"$@\"";
    let place = Place::new().with_shell(script).with("KNOTPOST_SERVER_NAME", "x");
    place.start().await.stop().await;
    let refused = place.clone().with("KNOTPOST_TIME__NAG_DAYS", "many");
    let log = |place: &Place| std::fs::read_to_string(place.root().join("log")).unwrap();
    let lines = log(&place);
    for line in lines.lines() {
        let expected = if line.contains(" WARN ") { "<4>" } else { "<6>" };
        assert!(line.starts_with(expected), "{line}");
    }
    assert!(lines.contains("<4>") && lines.contains("<6>"), "{lines}");
    assert_eq!(refused.run(&["serve"]).await.code(), 78);
    assert!(log(&refused).starts_with("<3>knotpost: the configuration cannot be used"), "{}", log(&refused));
    // Elsewhere nobody reads such numbers.
    let ended = place.with_shell("export JOURNAL_STREAM=1:1; exec \"$@\"").start().await.stop().await;
    assert!(!ended.stderr.contains("<6>") && ended.stderr.contains(" INFO "), "{ended:?}");
}

#[tokio::test]
async fn what_an_author_asks_of_operators_is_told_until_somebody_plays() {
    let place = Place::new();
    let server = place.start().await;
    server.sign_up_two().await;
    let first = server.stop().await.stdout;
    assert!(first.contains("Obsidio: the author asks") && first.contains("games.disabled"), "{first}");
    let second = place.start().await.stop().await.stdout;
    assert!(second.contains("is ready.") && !second.contains("author"), "{second}");
}
