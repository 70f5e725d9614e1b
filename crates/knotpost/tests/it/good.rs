//! Every verb once with good input: who is mailed what, and which tables change.
//!
//! The rows are carried out one after the other on one server; a new verb gets a row of its own.

use std::collections::BTreeSet;

use knotpost_commands::{Verb, parse};

use crate::harness::{Letter, Place, TestApp};

/// Sender, command, text; then the mails as `reader: Subject`, and the tables that are different afterwards.
type Row = (&'static str, &'static str, &'static str, &'static [&'static str], &'static str);

const GOOD: &[Row] = &[
    ("dora", "signup dora dora-secret", "", &["dora: Welcome to Knotpost, dora"], "addresses users"),
    (
        "dora",
        "add dora dora-secret dora@home.example",
        "",
        &["dora: Your addresses at Knotpost", "dora@home.example: Your addresses at Knotpost"],
        "address_changes addresses",
    ),
    (
        "dora",
        "change password dora dora-secret dora-newer",
        "",
        &[
            "dora: Your password at Knotpost was changed",
            "dora@home.example: Your password at Knotpost was changed",
        ],
        "users",
    ),
    (
        "dora",
        "change address dora dora-newer",
        "",
        &["dora: Your addresses at Knotpost", "dora@home.example: Your addresses at Knotpost"],
        "address_changes addresses",
    ),
    ("eve", "help", "", &["eve: Help"], ""),
    ("eve", "osbox help", "", &["eve: Help: Osbox"], ""),
    ("eve", "list", "", &["eve: List of games"], ""),
    (
        "ann",
        "osbox challenge -size=3 ann bob",
        "Good luck",
        &["ann: New Osbox Board 101 ann", "bob: New Osbox Board 101 ann"],
        "board_counts board_numbers boards boards_in_play remarks seats",
    ),
    (
        "ann",
        "osbox move 101 ann ann-secret f1",
        "nice",
        &["ann: Osbox Board 101 bob **", "bob: Osbox Board 101 bob **"],
        "boards moves remarks seats",
    ),
    ("ann", "multiple", "osbox show 101\nlist", &["ann: Results of your commands"], ""),
    (
        "bob",
        "osbox chat 101 bob bob-secret",
        "hi",
        &["ann: Osbox chat 101 bob", "bob: Osbox chat 101 bob"],
        "remarks",
    ),
    ("eve", "osbox preview 101 o7", "", &["eve: Osbox Board 101 ann"], ""),
    ("eve", "osbox show 101", "", &["eve: Osbox Board 101 bob **"], ""),
    ("bob", "osbox showas bob bob-secret 101", "", &["bob: Osbox Board 101 bob **"], ""),
    ("eve", "osbox games", "", &["eve: List of Osbox games"], ""),
    ("eve", "osbox history", "", &["eve: Historical List of Osbox games"], ""),
    ("eve", "osbox export 101", "", &["eve: Osbox Board 101 Record"], ""),
    ("eve", "all show ann", "", &["eve: Osbox Board 101 bob **"], ""),
    ("eve", "all games ann", "", &["eve: List of games of all kinds"], ""),
    ("cyd", "osbox subscribe 101 cyd cyd-secret", "", &["cyd: Subscription summary"], "subscribers"),
    ("cyd", "osbox unsubscribe 101 cyd cyd-secret", "", &["cyd: Subscription summary"], "subscribers"),
    ("cyd", "osbox subscribe cyd cyd-secret all", "", &["cyd: Subscription summary"], "user_games"),
    ("cyd", "osbox unsubscribe cyd cyd-secret all", "", &["cyd: Subscription summary"], "user_games"),
    ("cyd", "osbox notify cyd cyd-secret 101", "", &["cyd: Osbox Notify summary"], "notifications"),
    (
        "bob",
        "resend bob bob-secret osbox",
        "",
        &["bob: 1 Osbox board sent again", "bob: Osbox Board 101 bob **"],
        "",
    ),
    (
        "bob",
        "osbox submit 101 bob bob-secret o7",
        "so",
        &["bob: Confirm: Osbox Board 101 bob"],
        "submissions",
    ),
    (
        "bob",
        "osbox confirm 101 bob bob-secret",
        "",
        &["ann: Osbox Board 101 ann **", "bob: Osbox Board 101 ann **"],
        "boards moves remarks seats submissions",
    ),
    ("bob", "osbox resign 101 bob bob-secret", "", &["bob: Osbox Board 101 Resigned"], "seats"),
    (
        "ann",
        "osbox resign 101 ann ann-secret",
        "",
        &["ann: Osbox Board 101", "bob: Osbox Board 101", "cyd: Osbox Board 101"],
        "board_counts boards boards_in_play moves rating_changes rating_orders ratings seats",
    ),
    (
        "ann",
        "obsidio challenge -size=5 ann bob",
        "",
        &["ann: New Obsidio Board 101 ann", "bob: New Obsidio Board 101 ann"],
        "board_counts board_numbers boards boards_in_play seats",
    ),
    (
        "ann",
        "obsidio move 101 ann ann-secret c3",
        "",
        &["ann: Obsidio Board 101 bob", "bob: Obsidio Board 101 bob"],
        "boards moves seats",
    ),
    (
        "bob",
        "obsidio swap 101 bob bob-secret",
        "",
        &["ann: Obsidio Board 101 ann", "bob: Obsidio Board 101 ann"],
        "boards moves seats",
    ),
    ("ann", "osbox standings", "", &["ann: Osbox Standings"], ""),
    ("bob", "osbox limit bob bob-secret 3", "", &["bob: Osbox limit status"], "user_games"),
    (
        "bob",
        "osbox reject bob bob-secret",
        "",
        &["bob: Osbox challenge status"],
        "rating_activity rating_orders ratings user_games",
    ),
    (
        "bob",
        "osbox accept bob bob-secret",
        "",
        &["bob: Osbox challenge status"],
        "rating_activity rating_orders ratings user_games",
    ),
    ("bob", "osbox seek bob bob-secret 2", "", &["bob: Osbox seek status"], "seek_orders seeks"),
    ("bob", "export me bob bob-secret", "", &["bob: What Knotpost holds about bob"], ""),
    ("bob", "vacation bob bob-secret 3", "", &["bob: Vacation status of bob"], "vacations"),
    ("bob", "set bob bob-secret board=narrow", "", &["bob: Your preferences at Knotpost"], "preferences"),
    (
        "bob",
        "osbox set bob bob-secret confirm=on",
        "",
        &["bob: Your Osbox preferences at Knotpost"],
        "preferences",
    ),
    (
        "bob",
        "games favourite osbox bob bob-secret",
        "",
        &["bob: Your Osbox preferences at Knotpost"],
        "preferences",
    ),
    ("bob", "puzzle", "", &["bob: Puzzles of the day"], ""),
    ("bob", "puzzle osbox 60", "", &["bob: Puzzle osbox 60"], ""),
    ("bob", "test display bob", "", &["bob: Display test"], ""),
    ("bob", "obsidio queue 101 bob bob-secret d2", "", &["bob: Obsidio Board 101 Queue"], "queued_moves"),
    (
        "cyd",
        "message cyd cyd-secret ann",
        "See you",
        &["ann: A message from cyd via Knotpost", "cyd: Your message was sent"],
        "",
    ),
    ("cyd", "about cyd cyd-secret", "I play slowly", &["cyd: What others read about cyd"], "profiles"),
    ("bob", "profile ann bob", "", &["bob: Player ann"], ""),
    ("bob", "players", "", &["bob: List of players"], ""),
    ("cyd", "block cyd cyd-secret bob", "", &["cyd: Users whom cyd blocks"], "relations"),
    ("cyd", "unblock cyd cyd-secret bob", "", &["cyd: Users whom cyd blocks"], "relations"),
    ("cyd", "follow cyd cyd-secret bob", "", &["cyd: Users whom cyd follows"], "relations"),
    ("cyd", "unfollow cyd cyd-secret bob", "", &["cyd: Users whom cyd follows"], "relations"),
    (
        "ann",
        "broadcast ann ann-secret",
        "Tournament soon",
        &[
            "ann: Broadcast from ann via Knotpost",
            "ann: Your broadcast is on its way",
            "bob: Broadcast from ann via Knotpost",
            "cyd: Broadcast from ann via Knotpost",
            "dora: Broadcast from ann via Knotpost",
        ],
        "broadcasts users",
    ),
    (
        "gus",
        "password cyd",
        "",
        &["cyd: A new password at Knotpost", "gus: Forgotten password at Knotpost"],
        "password_resets",
    ),
    (
        "dora",
        "add dora dora-newer dora@home.example",
        "",
        &["dora: Your addresses at Knotpost", "dora@home.example: Your addresses at Knotpost"],
        "address_changes addresses",
    ),
    (
        "dora",
        "signoff dora dora-newer dora@home.example",
        "",
        &["dora: Your addresses at Knotpost", "dora@home.example: Your addresses at Knotpost"],
        "address_changes addresses",
    ),
    (
        "bob",
        "osbox rematch 101 bob bob-secret",
        "",
        &["ann: New Osbox Board 102 bob", "bob: New Osbox Board 102 bob"],
        "board_counts board_numbers board_origins boards boards_in_play seats seeks",
    ),
    (
        "ann",
        "boxilies challenge ann bob --unrated",
        "",
        &["ann: New Boxilies Board 101 ann", "bob: New Boxilies Board 101 ann"],
        "board_counts board_numbers boards boards_in_play seats",
    ),
    ("ann", "boxilies hint 101 ann ann-secret", "", &["ann: Boxilies Board 101 ann"], ""),
    ("ann", "osbox analyse 101", "", &["ann: Osbox Board 101 Analysis"], ""),
    (
        "ann",
        "announce ann ann-secret osbox roundrobin -players=2-4",
        "Winter cup\n\nFor everybody.",
        &["ann: Tournament t1 Winter cup"],
        "tournament_log tournaments",
    ),
    ("bob", "enter bob bob-secret t1", "", &["bob: Tournament t1 Winter cup"], "tournament_players"),
    ("ann", "tournaments", "", &["ann: List of tournaments"], ""),
    ("ann", "tournament t1", "", &["ann: Tournament t1 Winter cup"], ""),
    (
        "ann",
        "direct ann ann-secret t1 say",
        "Welcome",
        // The players are told by the next step of the clock.
        &["ann: Tournament t1 Winter cup"],
        "tournament_log",
    ),
    ("bob", "withdraw bob bob-secret t1", "", &["bob: Tournament t1 Winter cup"], "tournament_players"),
    (
        "ann",
        "announce ann ann-secret osbox ladder",
        "Long ladder",
        &["ann: Tournament t2 Long ladder"],
        "tournament_log tournaments",
    ),
    (
        "ann",
        "enter ann ann-secret t2",
        "",
        &["ann: Tournament t2 Long ladder"],
        "tournament_log tournament_players",
    ),
    ("bob", "vacation bob bob-secret off", "", &["bob: Vacation status of bob"], "boards vacations"),
    (
        "bob",
        "enter bob bob-secret t2",
        "",
        &["bob: Tournament t2 Long ladder"],
        "tournament_log tournament_players",
    ),
    (
        "bob",
        "ladder challenge bob bob-secret t2 ann",
        "",
        &["ann: New Osbox Board 103 ann", "bob: Tournament t2 Long ladder: you have challenged ann"],
        "board_counts board_numbers boards boards_in_play seats tournament_pairings tournament_seats",
    ),
    ("dora", "delete dora dora-newer", "", &["dora: Leave Knotpost?"], ""),
    (
        "dora",
        "delete dora dora-newer really",
        "",
        &["dora: Goodbye, dora"],
        "address_changes addresses users",
    ),
];

/// Verbs that mail others than their sender, and the bound of these mails. A new one needs a bound first.
const MAIL_OTHERS: [(&[Verb], &str); 7] = [
    (
        &[Verb::Challenge, Verb::Rematch, Verb::Message, Verb::Broadcast, Verb::Chat],
        "the share of each reader",
    ),
    (
        &[Verb::Move, Verb::Swap, Verb::Resign, Verb::Queue, Verb::Confirm],
        "the turns of a game; offers take the share of each reader",
    ),
    (&[Verb::Accept, Verb::Limit, Verb::Seek], "each reader looks for an opponent"),
    (
        &[Verb::Signup, Verb::Add, Verb::ChangeAddress, Verb::Signoff, Verb::PasswordReset],
        "the mails that one address or userid gets, whoever asks for them",
    ),
    (&[Verb::Delete], "it is done once"),
    (&[Verb::LadderChallenge], "the challenged has entered, and is challenged by two at once at the most"),
    (
        &[Verb::Direct],
        "the players have entered; `say` is taken once a day, other actions once or with a reason",
    ),
];

fn describe(letter: &Letter) -> String {
    let name = letter.to.split('@').next().unwrap_or_default();
    let reader = if letter.to == format!("{name}@{name}.example") { name } else { letter.to.as_str() };
    format!("{reader}: {}", letter.subject)
}

#[tokio::test]
async fn good_commands_mail_and_change_what_they_should() {
    let app = TestApp::with_players(Place::Sqlite, &["ann", "bob", "cyd"]).await;
    let (mut wrong, mut done) = (Vec::new(), BTreeSet::new());
    let mut before = app.tables().await.of_the_games();
    for (sender, line, body, mails, stored) in GOOD {
        let verb = parse(line, &app.app.vocabulary).unwrap_or_else(|error| panic!("{line}: {error}")).verb();
        done.insert(if *line == "osbox help" { Verb::GameHelp } else { verb });
        app.clock.advance(1000);
        app.mail(&format!("{sender}@{sender}.example"), line, body).await;
        let mut told: Vec<String> = app.letters().iter().map(describe).collect();
        told.sort();
        let is_own =
            |mail: &&&str| mail.starts_with(&format!("{sender}:")) || mail.starts_with(&format!("{sender}@"));
        let mails_others = mails.iter().any(|mail| !is_own(&mail));
        if mails_others && !MAIL_OTHERS.iter().any(|(verbs, _)| verbs.contains(&verb)) {
            wrong.push(format!("{line}: nothing spares those who are mailed"));
        }
        if told != *mails {
            wrong.push(format!("{line}: {told:?}"));
        }
        let after = app.tables().await.of_the_games();
        let changed = after.differing(&before).join(" ");
        if changed != *stored {
            wrong.push(format!("{line}: changes {changed}"));
        }
        before = after;
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let without: Vec<&Verb> = Verb::all().iter().filter(|verb| !done.contains(verb)).collect();
    assert!(without.is_empty(), "no row for {without:?}");
}
