//! A power failure between the acknowledgement of a mail and its outcome.

use super::letters::{Received, copies, letters};
use super::running::Place;
use super::wire::{letter, mail};

/// Rounds at most; two kills are enough, unless the machine is too fast to be killed.
const ROUNDS: u32 = 8;
/// Kills between acknowledgement and outcome that are wanted.
const WANTED: usize = 2;

/// Where a kill fell.
#[derive(Default, Debug)]
struct Kills {
    before_the_outcome: usize,
    after_the_outcome: usize,
}

impl Kills {
    fn count(&mut self, row: &Received) {
        match row.state.as_str() {
            "new" => self.before_the_outcome += 1,
            _ => self.after_the_outcome += 1,
        }
    }
}

#[tokio::test]
async fn a_mail_acknowledged_before_a_kill_is_carried_out_once_after_it() {
    let place = Place::new();
    let server = place.start().await;
    server.sign_up_two().await;
    server.ask("osbox challenge -size=8 ann bob").await;
    place.wait_until_idle().await;
    server.stop().await;

    let mut kills = Kills::default();
    let mut sent = 0;
    while sent < ROUNDS && kills.before_the_outcome < WANTED {
        sent += 1;
        let (user, entry) = if sent % 2 == 1 { ("ann", sent) } else { ("bob", 16 + sent) };
        let id = format!("crash-{sent}@example.org");
        let subject = format!("osbox move 101 {user} {user}-secret a{entry}#{sent}");
        let message = letter(&format!("{user}@example.org"), &subject, &id);

        // A process that has never checked this password: hashing it takes longer than the kill.
        let server = place.start().await;
        let reply = mail(server.smtp(), &format!("{user}@example.org"), "pbmserv@localhost", &message).await;
        server.kill().await;
        assert!(reply.as_ref().is_ok_and(|reply| reply.starts_with("250")), "{reply:?}");
        let rows = place.received();
        kills.count(
            rows.iter().find(|row| row.message_id.as_deref() == Some(&id)).expect("it was acknowledged"),
        );

        let server = place.start().await;
        place.wait_until_idle().await;
        assert_eq!(server.moves(101).await.len(), sent as usize);
        server.stop().await;
    }
    println!("{sent} mails, {kills:?}");
    assert!(kills.before_the_outcome > 0, "no kill fell where it should: {kills:?}");
    expect_one_of_everything(&place, sent);
}

/// Each mail was carried out once and nothing is told twice, save at most the mails that were in
/// the hands of the four senders when a kill fell.
fn expect_one_of_everything(place: &Place, sent: u32) {
    let rows = place.received();
    assert_eq!(rows.len(), sent as usize);
    assert!(rows.iter().all(|row| row.reason.as_deref() == Some("executed")), "{rows:?}");
    for ply in 0..=sent {
        let subject = if ply == 0 { "New Osbox Board 101 ".to_owned() } else { String::new() };
        for user in ["ann", "bob"] {
            let address = format!("{user}@example.org");
            let of_this_move = place.outgoing().into_iter().filter(|mail| {
                mail.kind == "board" && mail.ply == Some(i64::from(ply)) && mail.recipient == address
            });
            let ids: Vec<String> = of_this_move.map(|mail| format!("<{}>", mail.message_id)).collect();
            assert_eq!(ids.len(), 1, "board mails of move {ply} to {address}");
            let told: Vec<_> =
                letters(&place.maildir()).into_iter().filter(|mail| mail.message_id() == ids[0]).collect();
            assert_eq!(told.len(), 1, "copies of move {ply} to {address}");
            assert!(told[0].header("Subject").unwrap().starts_with(&subject));
        }
    }
    assert!(copies(&place.maildir()).values().all(|copies| *copies == 1));
}

#[tokio::test]
async fn a_mail_repeated_because_its_acknowledgement_was_lost_moves_once() {
    let place = Place::new();
    let server = place.start().await;
    server.sign_up_two().await;
    server.ask("osbox challenge ann bob").await;
    let message = letter("ann@example.org", "osbox move 101 ann ann-secret a1", "again@example.org");
    server.post("ann@example.org", &message).await;
    // The client did not hear the answer, for all the server knows.
    server.kill().await;
    let server = place.start().await;
    server.post("ann@example.org", &message).await;
    place.wait_until_idle().await;
    assert_eq!(server.moves(101).await, ["a1"]);
    let reasons: Vec<_> = place.received().into_iter().filter_map(|row| row.reason).collect();
    assert_eq!(reasons.iter().filter(|reason| *reason == "executed").count(), 1, "{reasons:?}");
    assert_eq!(reasons.iter().filter(|reason| *reason == "duplicate").count(), 1, "{reasons:?}");
    server.stop().await;
}
