//! The mails that are most expensive to take, read and answer, through a mail session with a forged sender.

use std::cell::Cell;

use knotpost_transport::inbound::Protocol;

use super::session::Listener;
use super::spent::{Meter, Spent, check_growth, print_head};
use super::table::{Grows, MAILS, MailRow};
use crate::harness::{ADDRESS, HOUR, Place, TestApp};

/// Recipients of a message at most.
const RECIPIENTS: usize = 100;

/// A mail with as much of what grows in it as fits into `bytes`.
fn written(row: &MailRow, from: &str, bytes: usize) -> String {
    let start = format!("From: {from}\r\nTo: {ADDRESS}\r\nMessage-ID: <{from}>\r\n{}", row.head);
    let room = bytes.saturating_sub(start.len() + "\r\n\r\n\r\n".len());
    let filling = row.unit.repeat(room / row.unit.len());
    match row.grows {
        Grows::Field => format!("{start}{filling}\r\n\r\n"),
        Grows::Head => format!("{start}{filling}\r\n"),
        Grows::Body => format!("{start}\r\n{filling}\r\n"),
    }
}

/// Sends such a mail and does what follows from it.
async fn send(app: &TestApp, listener: &Listener, row: &MailRow, number: usize, bytes: usize) -> Spent {
    let from = format!("m{number}@victim.example");
    let recipients = if listener.protocol == Protocol::Smtp { 1 } else { RECIPIENTS };
    let mail = written(row, &from, bytes) + ".\r\n";
    let mut client = listener.client_in_a_message(&from, recipients).await;
    // Every mail meets budgets that nobody has spent of.
    app.clock.advance(HOUR);
    let meter = Meter::start(app);
    client.send(&mail).await;
    let mut answered = 0;
    for _ in 0..recipients {
        let reply = client.reply().await;
        assert!(reply.starts_with("250") || reply.starts_with("55"), "{}: {reply}", row.what);
        answered += reply.len() + "\r\n".len();
    }
    app.work().await;
    meter.stop(app, mail.len(), answered)
}

/// Bytes of the largest mail of this kind that is read as what it is, and of the largest that is taken at all.
fn sizes(app: &TestApp, row: &MailRow) -> [usize; 2] {
    let most = app.app.config.inbound.max_bytes;
    [row.most_read.min(most), most]
}

#[tokio::test]
async fn a_mail_of_a_stranger_costs_no_more_than_its_row() {
    let app = TestApp::with_players(Place::Sqlite, &["ann", "bob"]).await;
    let mut number = 0;
    for protocol in [Protocol::Smtp, Protocol::Lmtp] {
        let listener = Listener::of(&app, protocol).await;
        print_head();
        for row in MAILS {
            for bytes in sizes(&app, row) {
                number += 1;
                let what = format!("{} by {protocol:?}", row.what);
                let spent = send(&app, &listener, row, number, bytes).await;
                spent.check(row.cost, 1, &what);
                spent.print(&what);
            }
        }
        // Read to its end to be refused, and nothing more.
        let (row, most) = (&MAILS[0], app.app.config.inbound.max_bytes);
        let spent = send(&app, &listener, row, number + 1, 2 * most).await;
        spent.check(row.cost, 1, "too large");
        assert_eq!((spent.mails, spent.rows, spent.statements), (0, 0, app_at_rest(&app).await), "{spent:?}");
        spent.print("too large");
        number += 1;
    }
}

/// The statements of looking for work when there is none.
async fn app_at_rest(app: &TestApp) -> usize {
    let meter = Meter::start(app);
    app.work().await;
    meter.stop(app, 0, 0).statements
}

#[tokio::test]
async fn a_mail_that_is_twice_as_large_takes_twice_as_long_to_read() {
    let app = TestApp::with_players(Place::Sqlite, &["ann", "bob"]).await;
    let listener = Listener::of(&app, Protocol::Smtp).await;
    let number = Cell::new(0);
    for row in MAILS {
        for most in sizes(&app, row) {
            check_growth(row.what, (most / 2, most), async |bytes| {
                number.set(number.get() + 1);
                send(&app, &listener, row, number.get(), bytes).await.processor
            })
            .await;
        }
    }
}
