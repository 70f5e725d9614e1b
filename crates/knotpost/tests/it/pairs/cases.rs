//! Everything that writes, once with good input: commands, forms, programs, links, mails, workers, administrators.

use axum::body::Body;
use axum::http::Request;
use knotpost_core::admin::{
    AdminAction, Administrator, BoardAction, Recompute, UserEdit, administer, recompute_ratings,
};
use knotpost_core::boards::ServiceError;
use knotpost_core::clock::work_due;
use knotpost_core::mailing::MailChange;
use knotpost_core::records::{Strangers, import};
use knotpost_model::BoardRef;
use knotpost_program::worker;
use knotpost_storage::MailQueue;
use knotpost_transport::inbound::{Envelope, Intake as _, Way};

use super::world::{HOLDER, World};
use crate::harness::{ADDRESS, TestApp, command_request};

/// A use case: what it is called, and what happens.
pub(super) struct Case {
    pub(super) name: &'static str,
    act: Act,
}

enum Act {
    /// A command and its text over HTTP.
    Command(&'static str, &'static str),
    /// A form of somebody who is logged in: who, where, fields.
    Form(&'static str, &'static str, &'static str),
    /// A program with ann's key: method, where, JSON.
    Program(&'static str, &'static str, &'static str),
    /// The button behind a link of the world, and its fields.
    Press(&'static str, &'static str),
    /// A mail, and all that waits to be read.
    Mail { from: &'static str, subject: &'static str },
    /// A report about the mail of the world with a return path.
    Bounce,
    /// An administrator drops the mail that waits for ann.
    DropMail,
    /// Somebody with a shell.
    AdminAction(fn() -> AdminAction),
    /// What a server does by itself.
    Work(Work),
}

enum Work {
    /// A mail of the day, and a part of a broadcast.
    Round,
    /// The boards' clock.
    Clock,
    /// The next mail leaves.
    Send,
    Mend,
    Prune,
    Recompute,
    Import,
}

const fn command(line: &'static str) -> Case {
    Case { name: line, act: Act::Command(line, "") }
}

const fn work(name: &'static str, work: Work) -> Case {
    Case { name, act: Act::Work(work) }
}

const fn action(name: &'static str, action: fn() -> AdminAction) -> Case {
    Case { name, act: Act::AdminAction(action) }
}

fn edit(userid: &str, edit: UserEdit) -> AdminAction {
    AdminAction::User { userid: userid.to_owned(), edit }
}

fn at_board(number: u32, action: BoardAction) -> AdminAction {
    AdminAction::Board { board: BoardRef { game: "osbox".to_owned(), number }, action, why: String::new() }
}

/// All of them. What [`super::world`] makes is what they are about.
pub(super) const CASES: &[Case] = &[
    // At the boards.
    command("osbox move 101 ann ann-secret f2"),
    command("osbox move 101 ann ann-secret undo"),
    command("osbox move 106 bob bob-secret f9"),
    command("osbox move 104 ann ann-secret accept"),
    command("osbox move 104 ann ann-secret reject"),
    command("osbox submit 101 ann ann-secret f3"),
    command("osbox confirm 105 ann ann-secret"),
    command("obsidio queue 101 ann ann-secret d2"),
    command("obsidio swap 101 bob bob-secret"),
    command("osbox resign 101 bob bob-secret"),
    command("osbox resign 101 ann ann-secret"),
    command("osbox rematch 109 ann ann-secret"),
    command("osbox rematch 109 bob bob-secret"),
    Case { name: "chat", act: Act::Command("osbox chat 101 bob bob-secret", "Hello") },
    Case {
        name: "a move by mail",
        act: Act::Mail { from: "ann@ann.example", subject: "osbox move 101 ann ann-secret f2" },
    },
    Case {
        name: "a move by a program",
        act: Act::Program("POST", "/api/v1/boards/osbox/101/moves", r#"{"move":"f2"}"#),
    },
    // Who plays whom.
    command("osbox challenge ann cyd"),
    command("osbox challenge bob cyd"),
    command("osbox challenge bob dan"),
    command("osbox seek dan dan-secret 1"),
    command("osbox seek cyd cyd-secret 1"),
    command("osbox seek ann ann-secret 0"),
    command("osbox limit cyd cyd-secret 2"),
    command("osbox reject cyd cyd-secret"),
    command("osbox accept fay fay-secret"),
    // Who reads what.
    command("osbox subscribe 101 dan dan-secret"),
    command("osbox unsubscribe 101 cyd cyd-secret"),
    command("osbox notify dan dan-secret 101"),
    command("set bob bob-secret moves=all"),
    command("games favourite osbox bob bob-secret"),
    command("set bob bob-secret digest=20 timezone=Asia/Tokyo"),
    command("set ann ann-secret moves=digest"),
    command("osbox set ann ann-secret confirm=on"),
    command("resend ann ann-secret osbox"),
    command("vacation ann ann-secret 3"),
    command("export me bob bob-secret"),
    command("vacation bob bob-secret 3"),
    Case { name: "a note", act: Act::Form("dan", "/boards/osbox/102", "act=note&comment=Think") },
    Case { name: "message", act: Act::Command("message cyd cyd-secret ann", "See you") },
    Case { name: "broadcast", act: Act::Command("broadcast ada ada-secret", "A tournament") },
    Case { name: "about", act: Act::Command("about ann ann-secret", "I play slowly") },
    command("block bob bob-secret cyd"),
    command("unblock bob bob-secret dan"),
    command("follow ann ann-secret cyd"),
    command("unfollow ann ann-secret bob"),
    // Tournaments.
    Case {
        name: "announce",
        act: Act::Command("announce ann ann-secret osbox roundrobin -players=2-4", "Summer cup"),
    },
    command("enter dan dan-secret t1"),
    command("withdraw bob bob-secret t1"),
    command("direct bob bob-secret t1 start"),
    command("ladder challenge ann ann-secret t2 dan"),
    command("ladder challenge bob bob-secret t2 dan"),
    command("withdraw dan dan-secret t2"),
    // Accounts.
    command("signup gus gus-secret gus@gus.example"),
    command("signup gus gus-other gus@other.example"),
    command("add bob bob-secret bob@two.example"),
    command("signoff dan dan-secret dan@dan.example"),
    command("signoff dan dan-secret dan@two.example"),
    command("change address dan dan-secret dan@four.example"),
    command("change password dan dan-secret dan-newer"),
    command("password dan"),
    command("delete dan dan-secret"),
    command("delete cyd cyd-secret"),
    command("delete cyd cyd-secret with-remarks"),
    Case { name: "confirm a sign-up", act: Act::Press("eve confirms", "") },
    Case { name: "confirm an address", act: Act::Press("dan confirms", "") },
    Case { name: "not me", act: Act::Press("dan did not", "") },
    Case { name: "reset", act: Act::Press("dan resets", "password=dan-newest") },
    Case { name: "unsubscribe", act: Act::Press("cyd unsubscribes", "List-Unsubscribe=One-Click") },
    Case { name: "log in", act: Act::Form("", "/login", "userid=dan&password=dan-secret") },
    Case { name: "log in by a link", act: Act::Press("dan logs in", "") },
    Case { name: "log out", act: Act::Form("dan", "/logout", "") },
    Case {
        name: "a new key",
        act: Act::Form("dan", "/settings", "act=new_key&name=x&read=yes&present=dan-secret"),
    },
    Case { name: "no key", act: Act::Form("ann", "/settings", "act=end_key&id=1") },
    Case { name: "new feeds", act: Act::Form("dan", "/settings", "act=new_feeds") },
    Case { name: "no feeds", act: Act::Form("bob", "/settings", "act=end_feeds") },
    Case {
        name: "a new webhook",
        act: Act::Form(
            "dan",
            "/settings",
            "act=new_hook&url=http%3A%2F%2F127.0.0.1%3A3000%2F&turn=yes&present=dan-secret",
        ),
    },
    Case {
        name: "a secret of a webhook",
        act: Act::Form("bob", "/settings", "act=renew_hook&id=1&present=bob-secret"),
    },
    Case { name: "a trial of a webhook", act: Act::Form("bob", "/settings", "act=test_hook&id=1") },
    Case { name: "no webhook", act: Act::Form("bob", "/settings", "act=end_hook&id=1") },
    // What a server does by itself.
    work("a mail of the day", Work::Round),
    work("the clock", Work::Clock),
    work("a mail leaves", Work::Send),
    work("mending mails of the day", Work::Mend),
    work("old rows", Work::Prune),
    Case { name: "a mail comes back", act: Act::Bounce },
    // Administrators.
    action("suspend", || edit("bob", UserEdit::Suspend)),
    action("delete", || edit("bob", UserEdit::Delete)),
    action("delete with remarks", || edit("bob", UserEdit::DeleteWithRemarks)),
    action("take back", || at_board(101, BoardAction::TakeBack)),
    action("pause", || at_board(101, BoardAction::Pause)),
    action("remove", || at_board(102, BoardAction::Remove)),
    action("adjudicate", || at_board(101, BoardAction::Adjudicate { winners: vec![1] })),
    Case { name: "a mail is dropped", act: Act::DropMail },
    action("block", || AdminAction::Block {
        target: "ann@ann.example".to_owned(),
        reason: "asked".to_owned(),
    }),
    work("ratings anew", Work::Recompute),
    work("import", Work::Import),
];

/// The commands among the cases.
pub(super) fn command_lines() -> impl Iterator<Item = &'static str> {
    CASES.iter().filter_map(|case| match case.act {
        Act::Command(line, _) => Some(line),
        _ => None,
    })
}

impl Case {
    /// Finishes what was begun: a worker leaves what another one has leased, and comes back to it.
    pub(super) async fn finish(&self, app: &TestApp) {
        match self.act {
            Act::Mail { .. } | Act::Bounce => {
                while app.intake.process_next().await.expect("mails are read") {}
            }
            Act::Work(Work::Clock) => drop(work_due(&app.app, HOLDER).await.expect("boards that are due")),
            Act::Work(Work::Round) => while worker::walk_round(&app.app).await.expect("a mail of the day") {},
            Act::Work(Work::Send) => while app.sender.send_next().await.expect("a mail leaves") {},
            _ => {}
        }
    }

    /// Carries it out and says what came of it, as far as whoever asked can see.
    pub(super) async fn run(&self, app: &TestApp, world: &World) -> String {
        match &self.act {
            Act::Command(line, body) => send(app, command_request(line, body, &[])).await,
            Act::Form(userid, path, fields) => {
                let request = Request::post(*path)
                    .header("content-type", "application/x-www-form-urlencoded")
                    .header("sec-fetch-site", "same-origin")
                    .header("cookie", world.cookie(userid));
                send(app, request.body(Body::from(*fields)).unwrap()).await
            }
            Act::Program(method, path, json) => {
                let request = Request::builder()
                    .method(*method)
                    .uri(*path)
                    .header("content-type", "application/json")
                    .header("authorization", &world.key);
                send(app, request.body(Body::from(*json)).unwrap()).await
            }
            Act::Press(link, fields) => {
                let request = Request::post(world.link(link))
                    .header("content-type", "application/x-www-form-urlencoded")
                    .header("sec-fetch-site", "same-origin");
                send(app, request.body(Body::from(*fields)).unwrap()).await
            }
            Act::Mail { from, subject } => {
                let headers =
                    format!("From: {from}\r\nTo: {ADDRESS}\r\nSubject: {subject}\r\nMessage-ID: <1@x>");
                receive(app, Some(from), ADDRESS, format!("{headers}\r\n\r\n")).await
            }
            Act::Bounce => {
                let (to, report) = world.report();
                receive(app, None, &to, report).await
            }
            Act::DropMail => {
                let (queue, change) = (MailQueue::Outbox, MailChange::Drop);
                carry_out(app, AdminAction::Mail { queue, id: world.waiting_mail, change }).await
            }
            Act::AdminAction(action) => carry_out(app, action()).await,
            Act::Work(work) => work.run(app, world).await,
        }
    }
}

async fn carry_out(app: &TestApp, action: AdminAction) -> String {
    match administer(&app.app, &Administrator::of_shell("root"), action).await {
        // As of a page: not in which words.
        Err(ServiceError::Refused(refusal)) => format!("refused {:?}", refusal.code),
        done => format!("{done:?}"),
    }
}

async fn send(app: &TestApp, request: Request<Body>) -> String {
    let page = app.send(request).await;
    // In which words something is refused may depend on when it is noticed.
    if page.status.as_u16() >= 400 && page.text.starts_with('{') {
        return page.outcome();
    }
    if page.status.as_u16() >= 400 || page.header("location").starts_with("/login") {
        return "refused".to_owned();
    }
    format!("{} {}", page.status.as_u16(), page.text)
}

async fn receive(app: &TestApp, mail_from: Option<&str>, to: &str, raw: String) -> String {
    let envelope = Envelope {
        way: Way::Smtp,
        peer: None,
        helo: None,
        mail_from: mail_from.map(str::to_owned),
        recipients: vec![to.to_owned()],
    };
    let receipt = app.intake.receive(envelope, raw.into_bytes()).await;
    app.intake.process_next().await.expect("the inbox works");
    // It is read at once or waits for its turn, which its sender does not see.
    drop(receipt);
    "Received".to_owned()
}

impl Work {
    async fn run(&self, app: &TestApp, world: &World) -> String {
        let app_parts = &app.app;
        match self {
            Self::Round => format!("{:?}", worker::walk_round(app_parts).await.map(drop)),
            Self::Clock => format!("{:?}", work_due(app_parts, HOLDER).await.map(drop)),
            Self::Send => format!("{:?}", app.sender.send_next().await.map(drop)),
            Self::Mend => {
                let now = app_parts.clock.now();
                let mended = app_parts.store.write(async move |tx| tx.mend_digests(now).await).await;
                format!("{:?}", mended.map(drop))
            }
            Self::Prune => format!("{:?}", worker::prune(app_parts).await.map(drop)),
            Self::Recompute => {
                let admin = Administrator::of_shell("root");
                let done = recompute_ratings(
                    &app_parts.store,
                    app_parts.clock.as_ref(),
                    &admin,
                    "osbox",
                    Recompute::Replace,
                )
                .await;
                format!("{:?}", done.map(drop))
            }
            Self::Import => {
                let done = import(app_parts, &world.record, Strangers::Refuse, |_, _| {}).await;
                format!("{done:?}")
            }
        }
    }
}
