//! Records on the command line: out of one server, checked by the rules alone, into another.

use std::fmt::Write as _;
use std::os::unix::fs::PermissionsExt as _;

use super::running::Place;

/// A folder with ann and bob.
async fn with_two() -> Place {
    let place = Place::new().migrated().await;
    for name in ["ann", "bob"] {
        place
            .run(&["command", &format!("signup {name} {name}-secret {name}@{name}.example")])
            .await
            .succeed();
    }
    place
}

/// Three moves that the server itself proposes, then whoever is to move resigns.
async fn play(place: &Place, game: &str) {
    place.run(&["command", &format!("{game} challenge ann bob")]).await.succeed();
    for turn in 0..4 {
        let shown = place.run(&["command", &format!("{game} show 101")]).await.succeed();
        let start = format!("   {game} move 101 ");
        let line = shown.lines().find(|line| line.starts_with(&start)).expect("an example").trim();
        let name = line.split(' ').nth(3).expect("a userid");
        let line = match turn {
            3 => format!("{game} resign 101 {name} {name}-secret"),
            _ => line.replace("PASSWORD", &format!("{name}-secret")),
        };
        place.run_with(&["command", &line, "--body", "-"], b"with a {word}").await.succeed();
    }
}

#[tokio::test]
async fn a_board_leaves_as_a_record_and_comes_in_elsewhere_once() {
    let (here, there) = (with_two().await, with_two().await);
    for game in ["osbox", "osbo", "obsidio", "boxilies"] {
        play(&here, game).await;
        let board = format!("{game}/101");
        let record = here.run(&["export", "--board", &board]).await.succeed();
        let file = format!("{game}.txt");
        here.run(&["export", "--board", &board, "--output", &file]).await.succeed();
        let path = here.root().join(&file);
        assert_eq!(std::fs::read_to_string(&path).unwrap(), record);
        assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        let again = here.run(&["export", "--board", &board, "--output", &file]).await;
        assert_eq!(again.code(), 1, "a file that is there is not overwritten: {again:?}");

        let path = path.to_str().unwrap();
        let replayed = here.run(&["play", "--record", path, "--json"]).await.succeed();
        let last = replayed.lines().last().unwrap();
        assert!(last.contains(r#""ply":4"#) && last.contains(r#""over":true"#), "{last}");
        if game == "osbo" || game == "boxilies" {
            let proof = here.run(&["play", "--verify-dice", path]).await.succeed();
            assert!(proof.starts_with("The seed is the one committed to at the start"), "{proof}");
        }

        let told = there.run(&["import", path]).await.succeed();
        assert_eq!(told, format!("{game} 101: imported\n1 imported, 0 already here.\n"));
        let told = there.run_with(&["import", "-"], record.as_bytes()).await.succeed();
        assert_eq!(told, format!("{game} 101: was here already\n0 imported, 1 already here.\n"));
        assert_eq!(there.run(&["export", "--board", &board]).await.succeed(), record);
    }
    let early = here.run(&["export", "--board", "osbo/101#1"]).await.succeed();
    assert!(early.contains("[Rolls \"") && !early.contains("[Seed \""), "{early}");
}

#[tokio::test]
async fn what_cannot_be_exported_or_imported_is_named() {
    let place = with_two().await;
    let ended = place.run(&["export", "--board", "osbox/999"]).await;
    let told =
        "knotpost: there is no Osbox board 999\n  `osbox games` lists the boards that are being played.\n";
    assert_eq!((ended.code(), ended.stderr.as_str()), (65, told));
    let ended = place.run(&["export", "--board", "shogi/101"]).await;
    let told = "knotpost: there is no game `shogi` here\n  Games: ";
    assert!(ended.code() == 65 && ended.stderr.starts_with(told), "{ended:?}");
    assert_eq!(place.run(&["export", "--board", "osbox"]).await.code(), 2);
    assert_eq!(place.run(&["export"]).await.code(), 2);
    assert_eq!(place.run(&["import", "absent.txt"]).await.code(), 1);

    let good = "[Game \"osbox\"]\n[Options \"-size=2\"]\n[Players \"ann bob\"]\n\n1. f1 2. o7 3. resign\n";
    let file = place.write("games.txt", format!("{good}\n{}", good.replace("o7", "o99")));
    let ended = place.run(&["import", file.to_str().unwrap()]).await;
    assert_eq!((ended.code(), ended.stdout.as_str()), (65, ""));
    assert!(
        ended.stderr.contains("games.txt: line 7: in the record that begins here: move 2, `o99`"),
        "{ended:?}"
    );
    assert!(ended.stderr.ends_with("Nothing was imported.\n"));
    let file = place.write("bytes.txt", b"[Game \"osbox\"]\n\xff\xfe");
    let ended = place.run(&["import", file.to_str().unwrap()]).await;
    assert!(ended.code() == 65 && ended.stderr.contains("not UTF-8"), "{ended:?}");

    let strange = good.replace("ann", "zoe");
    let file = place.write("strange.txt", &strange);
    let ended = place.run(&["import", file.to_str().unwrap()]).await;
    assert!(ended.code() == 65 && ended.stderr.contains("there is no user `zoe`"), "{ended:?}");
    place.run(&["import", "--create-users", file.to_str().unwrap()]).await.succeed();
    let shown = place.run(&["admin", "user", "show", "zoe"]).await.succeed();
    assert!(shown.contains("suspended"), "{shown}");
    let list = place.run(&["admin", "board", "list"]).await.succeed();
    assert_eq!(list.lines().count(), 1, "only what was whole came in: {list}");

    let mut many = String::new();
    for number in 0..120 {
        writeln!(many, "[Event \"{number}\"]\n{good}").unwrap();
    }
    let file = place.write("many.txt", many);
    let ended = place.run(&["import", file.to_str().unwrap()]).await;
    assert!(ended.code() == 0 && ended.stderr.ends_with("120 of 120 games\n"), "{ended:?}");
    assert!(!ended.stderr.contains('\r'), "no bar where no terminal is");
    assert!(ended.stdout.ends_with("120 imported, 0 already here.\n"));
}

#[tokio::test]
async fn what_can_be_named_is_said_where_nothing_is() {
    let place = Place::new();
    for (arguments, ways) in [
        (&["export"][..], "<--board <GAME/N>|--user <USERID>|--all>"),
        (&["admin", "bounces", "start"], "<ADDRESSES|--all>"),
    ] {
        let ended = place.run(arguments).await;
        assert!(ended.code() == 2 && ended.stderr.contains(ways), "{ended:?}");
    }
    for arguments in [
        &["export", "--all", "--user", "ann"][..],
        &["export", "--all", "--board", "osbox/101"],
        &["admin", "bounces", "start", "ann@example.org", "--all"],
    ] {
        let ended = place.run(arguments).await;
        assert!(ended.code() == 2 && ended.stderr.contains("cannot be used with"), "{ended:?}");
    }
}
