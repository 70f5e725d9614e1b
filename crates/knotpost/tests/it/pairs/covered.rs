//! Nothing that writes is forgotten: every verb and every address of the web that is not only looked at is in a case,
//! or runs what a case runs, or is here with the reason why not.

use std::collections::BTreeSet;

use knotpost_commands::{Effect, Verb, parse};
use knotpost_web::routes;

use super::cases::{CASES, command_lines};
use crate::harness::TestApp;

/// By what an address of the web is covered.
enum By {
    /// The case of that name.
    Case(&'static str),
    /// A case is not needed.
    Reason(&'static str),
}
use By::{Case, Reason};

const ROUTES: &[(&str, &str, By)] = &[
    ("POST", "/admin/boards/{game}/{number}", Case("take back")),
    ("POST", "/admin/broadcast", Case("broadcast")),
    ("POST", "/admin/do-not-mail", Case("block")),
    ("POST", "/admin/inbox/{id}", Reason("the row is claimed as by whoever reads it")),
    ("POST", "/admin/outbox/{id}", Case("a mail is dropped")),
    ("POST", "/admin/users/{userid}", Case("suspend")),
    ("POST", "/api/v1/admin/boards/{game}/{number}", Case("pause")),
    ("POST", "/api/v1/admin/broadcasts", Case("broadcast")),
    ("POST", "/api/v1/admin/do-not-mail", Case("block")),
    ("POST", "/api/v1/admin/inbox/{id}", Reason("the row is claimed as by whoever reads it")),
    ("POST", "/api/v1/admin/outbox/{id}", Case("a mail is dropped")),
    (
        "POST",
        "/api/v1/admin/strangers",
        Reason("it writes a single row, by which nothing that writes is undone"),
    ),
    ("POST", "/api/v1/admin/users/{userid}", Case("suspend")),
    ("POST", "/api/v1/boards/{game}/{number}/chat", Case("chat")),
    ("POST", "/api/v1/boards/{game}/{number}/moves", Case("a move by a program")),
    ("DELETE", "/api/v1/boards/{game}/{number}/note", Case("a note")),
    ("PUT", "/api/v1/boards/{game}/{number}/note", Case("a note")),
    ("POST", "/api/v1/tokens", Case("a new key")),
    ("DELETE", "/api/v1/tokens/{id}", Case("no key")),
    ("POST", "/api/v1/tournaments", Case("announce")),
    ("POST", "/api/v1/tournaments/{name}/challenge", Case("ladder challenge ann ann-secret t2 dan")),
    ("POST", "/api/v1/tournaments/{name}/direct", Case("direct bob bob-secret t1 start")),
    ("DELETE", "/api/v1/tournaments/{name}/entry", Case("withdraw bob bob-secret t1")),
    ("POST", "/api/v1/tournaments/{name}/entry", Case("enter dan dan-secret t1")),
    ("POST", "/api/v1/webhooks", Case("a new webhook")),
    ("DELETE", "/api/v1/webhooks/{id}", Case("no webhook")),
    ("POST", "/api/v1/webhooks/{id}/secret", Case("a secret of a webhook")),
    (
        "POST",
        "/api/v1/webhooks/{id}/start",
        Reason("it writes a single row, looked at when an event is sent"),
    ),
    ("POST", "/api/v1/webhooks/{id}/test", Case("a trial of a webhook")),
    ("POST", "/boards/{game}/{number}", Case("osbox move 101 ann ann-secret f2")),
    ("POST", "/archive/{token}", Reason("it reads, and sends what it read")),
    ("POST", "/challenge", Case("osbox challenge bob cyd")),
    ("POST", "/commands", Case("osbox move 101 ann ann-secret f2")),
    ("POST", "/confirm/{token}", Case("confirm an address")),
    ("POST", "/games/{game}", Case("osbox set ann ann-secret confirm=on")),
    ("POST", "/inbound", Case("a move by mail")),
    (
        "POST",
        "/invite/{token}",
        Reason("its board is made as that of a challenge; the row is deleted by one alone"),
    ),
    ("POST", "/login", Case("log in")),
    ("POST", "/logout", Case("log out")),
    ("POST", "/magic/{token}", Case("log in by a link")),
    ("POST", "/not-me/{token}", Case("not me")),
    ("POST", "/reset/{token}", Case("reset")),
    ("POST", "/settings", Case("new feeds")),
    (
        "POST",
        "/settings/confirm-again",
        Reason("it posts the mail that a sign-up posts, and is counted in the same statement"),
    ),
    (
        "POST",
        "/settings/mail-again",
        Reason("it deletes what an administrator deletes who starts an address, under the lock of its row"),
    ),
    ("POST", "/signup", Case("signup gus gus-secret gus@gus.example")),
    ("POST", "/theme", Reason("it writes nothing: the browser keeps the cookie")),
    ("POST", "/tournaments/new", Case("announce")),
    ("POST", "/tournaments/{name}", Case("enter dan dan-secret t1")),
    (
        "POST",
        "/try/{game}",
        Reason("its board is made as that of a challenge; the moves are stored in the same transaction"),
    ),
    ("POST", "/unsubscribe/{token}", Case("unsubscribe")),
    ("POST", "/users/{userid}", Case("message")),
];

#[tokio::test]
async fn every_verb_is_in_a_pair_or_only_reads() {
    let app = TestApp::start().await;
    let verb = |line: &str| {
        parse(line, &app.app.vocabulary).unwrap_or_else(|error| panic!("{line}: {error}")).verb()
    };
    let covered: BTreeSet<Verb> = command_lines().map(verb).collect();
    // What only asks writes nothing; each command of a `multiple` is carried out as if it were alone.
    let needs_case = |verb: &Verb| verb.spec().effect == Effect::Change && *verb != Verb::Multiple;
    let (missing, needless): (Vec<&Verb>, Vec<&Verb>) = (
        Verb::all().iter().filter(|verb| needs_case(verb) && !covered.contains(verb)).collect(),
        Verb::all().iter().filter(|verb| !needs_case(verb) && covered.contains(verb)).collect(),
    );
    assert!(needless.is_empty(), "a case of what writes nothing: {needless:?}");
    assert!(missing.is_empty(), "without a case: {missing:?}");
}

#[test]
fn every_address_that_writes_is_in_a_pair_or_has_a_reason() {
    let mut wrong = Vec::new();
    for route in routes().filter(|route| route.method != "GET") {
        let row = ROUTES.iter().find(|(method, path, _)| (*method, *path) == (route.method, route.path));
        match row {
            None => wrong.push(format!("{} {} is not in the list", route.method, route.path)),
            Some((_, path, Case(name))) if CASES.iter().all(|case| case.name != *name) => {
                wrong.push(format!("{path}: there is no case {name}"));
            }
            Some((_, path, Reason(""))) => wrong.push(format!("{path}: no reason")),
            Some(_) => {}
        }
    }
    for (method, path, _) in ROUTES {
        if !routes().any(|route| (route.method, route.path) == (*method, *path)) {
            wrong.push(format!("{method} {path} is no address of the web"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
