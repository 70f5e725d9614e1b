//! The recipes of `docs/operations`, run as they stand there but for hosts and ports.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

use super::running::{Place, has_neighbour, leave_out, run_neighbour, wait_for};
use super::wire::letter;

/// The fenced block behind `<!-- recipe:NAME -->`, wherever in the folder it is.
pub(crate) fn recipe(name: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/operations");
    let files = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let text: String = files.map(|file| fs::read_to_string(file).unwrap()).collect();
    let mark = format!("<!-- recipe:{name} -->\n```");
    assert_eq!(text.matches(&mark).count(), 1, "recipes with the name {name}");
    let block = text.split_once(&mark).unwrap().1;
    let (_, block) = block.split_once('\n').unwrap();
    block.split_once("\n```").unwrap().0.to_owned() + "\n"
}

#[test]
fn every_marked_recipe_is_found() {
    for name in [
        "doctor-after",
        "doctor-before",
        "first-game",
        "postfix-domain",
        "postfix-relays",
        "postfix-shared",
        "postfix-shared-transport",
        "postfix-zero",
        "swaks",
        "zero-toml",
    ] {
        assert!(!recipe(name).trim().is_empty(), "{name}");
    }
}

/// A file of the folder `deploy`.
pub(super) fn deployed(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../deploy").join(name)
}

/// The unit that is shipped, by its settings. That the manual shows this one is checked with its other blocks.
#[test]
fn the_unit_starts_a_server_again_for_as_long_as_it_takes_and_keeps_its_files_to_itself() {
    let unit = fs::read_to_string(deployed("knotpost.service")).unwrap();
    for line in [
        "Type=notify",
        // A schema that is brought up to date or a large file that is checked takes its time.
        "TimeoutStartSec=infinity",
        // A server whose disk is full fails at once, again and again, and has to come back when there is room.
        "StartLimitIntervalSec=0",
        "Restart=on-failure",
        "RestartSec=5",
        // A configuration that cannot be used does not mend itself.
        "RestartPreventExitStatus=78",
        "StateDirectoryMode=0700",
        "UMask=0077",
        "ExecReload=/bin/kill -HUP $MAINPID",
    ] {
        assert!(unit.lines().any(|of_unit| of_unit == line), "{line} is missing in\n{unit}");
    }
}

/// What others could do with a server that was taken over stays little. The sandbox itself is not started.
#[test]
fn the_unit_exposes_little() {
    if !has_neighbour("systemd-analyze") {
        return;
    }
    for unit in ["knotpost.service", "knotpost-backup.service"] {
        let mut rating = Command::new("systemd-analyze");
        rating.args(["security", "--no-pager", "--offline=true", "--threshold=15"]);
        let rated = rating.arg(deployed(unit)).output().unwrap();
        assert!(rated.status.success(), "{}", String::from_utf8_lossy(&rated.stdout));
    }
    let folder = tempfile::tempdir().unwrap();
    for unit in ["knotpost-backup.service", "knotpost-backup.timer"] {
        let text = fs::read_to_string(deployed(unit)).unwrap();
        fs::write(folder.path().join(unit), text.replace("/usr/local/lib/knotpost/backup", "/bin/true"))
            .unwrap();
    }
    let mut verifying = Command::new("systemd-analyze");
    verifying.args(["verify", "--man=no"]).arg(folder.path().join("knotpost-backup.timer"));
    let verified = verifying.arg(folder.path().join("knotpost-backup.service")).output().unwrap();
    let said = String::from_utf8_lossy(&verified.stderr);
    assert!(verified.status.success() && !said.contains("knotpost-backup"), "{said}");
    for drop_in in [None, Some("sendmail.conf"), Some("port25.conf")] {
        let (folder, unit) = unit_with(drop_in);
        let verified =
            Command::new("systemd-analyze").args(["verify", "--man=no"]).arg(&unit).output().unwrap();
        let said = String::from_utf8_lossy(&verified.stderr);
        let folder = folder.path().to_str().unwrap();
        assert!(verified.status.success() && !said.contains("knotpost.service:"), "{said}");
        assert!(!said.contains(folder), "{said}");
    }
}

/// A copy of the unit with a drop-in. Only the program is not in its place here.
fn unit_with(drop_in: Option<&str>) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let unit = folder.path().join("knotpost.service");
    let text = fs::read_to_string(deployed("knotpost.service")).unwrap();
    fs::write(&unit, text.replace("/usr/local/bin/knotpost", "/bin/true")).unwrap();
    if let Some(drop_in) = drop_in {
        fs::create_dir(folder.path().join("knotpost.service.d")).unwrap();
        fs::copy(deployed(drop_in), folder.path().join("knotpost.service.d").join(drop_in)).unwrap();
    }
    (folder, unit)
}

/// Settings that imply `NoNewPrivileges=yes` for a service with a user of its own: systemd.exec(5).
const IMPLYING: [&str; 14] = [
    "DynamicUser",
    "LockPersonality",
    "MemoryDenyWriteExecute",
    "PrivateDevices",
    "ProtectClock",
    "ProtectHostname",
    "ProtectKernelLogs",
    "ProtectKernelModules",
    "ProtectKernelTunables",
    "RestrictAddressFamilies",
    "RestrictNamespaces",
    "RestrictRealtime",
    "RestrictSUIDSGID",
    "SystemCallArchitectures",
];

#[test]
fn with_its_drop_in_nothing_forbids_sendmail_another_user() {
    let settings =
        ["knotpost.service", "sendmail.conf"].map(|file| fs::read_to_string(deployed(file)).unwrap());
    let settings = settings.concat();
    let last = |key: &str| settings.lines().rev().find_map(|line| line.strip_prefix(&format!("{key}=")));
    assert_eq!(last("NoNewPrivileges"), Some("no"));
    for key in IMPLYING.into_iter().chain(["SystemCallFilter", "SystemCallLog"]) {
        assert!([None, Some(""), Some("no")].contains(&last(key)), "{key}={:?}", last(key));
    }
}

/// What `systemd-analyze` lists for a group of system calls, with the groups in it.
fn system_calls(group: &str, calls: &mut BTreeSet<String>) {
    let listed = Command::new("systemd-analyze").args(["syscall-filter", group]).output().unwrap();
    for line in String::from_utf8(listed.stdout).unwrap().lines().skip(1).map(str::trim) {
        match line {
            nested if nested.starts_with('@') => system_calls(nested, calls),
            comment if comment.is_empty() || comment.starts_with('#') => {}
            call => {
                calls.insert(call.to_owned());
            }
        }
    }
}

/// A game with mail and a computer player, traced: the sandbox itself cannot be started without systemd as process 1.
#[tokio::test]
async fn a_server_makes_no_system_call_that_the_unit_refuses() {
    if !has_neighbour("systemd-analyze") || !has_neighbour("strace") {
        return;
    }
    let (mut allowed, mut refused) = (BTreeSet::new(), BTreeSet::new());
    // Those of @default are allowed with every list.
    for group in ["@system-service", "@default"] {
        system_calls(group, &mut allowed);
    }
    system_calls("@privileged", &mut refused);
    assert!(allowed.len() > 200 && refused.len() > 20, "{} {}", allowed.len(), refused.len());
    // Whether a process may trace another is for the machine to decide.
    if !run_neighbour("strace", &["-f", "-o", "/dev/null", "true"]).await.status.success() {
        return leave_out("tests with strace, which may not trace here");
    }
    let place = Place::new().with_shell("exec strace -D -f -o trace \"$@\"");
    let server = place.start().await;
    server.sign_up_two().await;
    server.ask("osbox challenge -size=3 ann knotbot-1").await;
    let mail = letter("ann@example.org", "osbox move 101 ann ann-secret j2", "m@x.example");
    server.post("ann@example.org", &mail).await;
    place.wait_until_idle().await;
    // strace pads short process identifiers with blanks.
    let id = server.id().to_string();
    let end = |line: &str| line.split_whitespace().eq([id.as_str(), "+++", "exited", "with", "0", "+++"]);
    server.stop().await;
    let trace = wait_for("the end of the trace", async || {
        fs::read_to_string(place.root().join("trace")).ok().filter(|trace| trace.lines().any(end))
    });
    let trace = trace.await;
    let calls = trace.lines().filter_map(|line| {
        let call = line.split_once(' ')?.1.trim_start().split_once('(')?.0;
        call.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_').then(|| call.to_owned())
    });
    let calls: BTreeSet<String> = calls.collect();
    assert!(calls.contains("accept4") && calls.len() > 30, "{calls:?}");
    // SQLite gives its files the owner of the database file, but only where it runs as root; the unit has a user.
    refused.remove("fchown");
    let wrong: Vec<&String> =
        calls.iter().filter(|call| !allowed.contains(*call) || refused.contains(*call)).collect();
    assert!(wrong.is_empty(), "{wrong:?}");
}

/// Runs what the timer runs, without systemd.
#[tokio::test]
async fn the_daily_backup_is_proven_named_and_one_of_a_few() {
    let place = Place::new();
    let server = place.start().await;
    server.sign_up_two().await;
    let backups = place.root().join("backups");
    fs::create_dir(&backups).unwrap();
    for day in 1..=3 {
        for kind in ["db", "key"] {
            fs::write(backups.join(format!("knotpost-2020-01-0{day}T000000Z.{kind}")), "old").unwrap();
        }
    }
    place.write("knotpost.toml", "");
    let back_up = |key: &str| {
        let script = format!(
            "PROGRAM=$1; shift; export PROGRAM CONFIG=knotpost.toml FOLDER=backups KEEP=2 METRICS=. KEY={key}; exec sh {}",
            deployed("knotpost-backup").display()
        );
        place.clone().with_shell(Box::leak(script.into_boxed_str()))
    };
    back_up("data/secret.key").run(&[]).await.succeed();
    let names = || {
        let mut names: Vec<String> = fs::read_dir(&backups)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    };
    let kept = names();
    assert_eq!((kept.len(), kept[0].as_str()), (4, "knotpost-2020-01-03T000000Z.db"), "{kept:?}");
    let (copy, key) = (backups.join(&kept[2]), backups.join(&kept[3]));
    assert_eq!(fs::read(key).unwrap(), fs::read(place.data().join("secret.key")).unwrap());
    let metrics = fs::read_to_string(place.root().join("knotpost-backup.prom")).unwrap();
    assert!(
        metrics.contains(&format!("\nknotpost_backup_bytes {}\n", fs::metadata(&copy).unwrap().len())),
        "{metrics}"
    );
    assert!(
        metrics.contains("\nknotpost_backup_last_success_timestamp_seconds 1")
            || metrics.contains("_seconds 2")
    );

    // One that fails leaves those before, and the moment of the last that did not.
    let ended = back_up("nowhere.key").run(&[]).await;
    assert_ne!(ended.code(), 0, "{ended:?}");
    let left: Vec<String> = names().into_iter().filter(|name| name != "unproven.db").collect();
    assert_eq!(left, kept);
    assert_eq!(fs::read_to_string(place.root().join("knotpost-backup.prom")).unwrap(), metrics);
    server.stop().await;
}
