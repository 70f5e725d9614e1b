//! What a reply address entitles to, and what it does not: who may use it, until when, and where it is kept.

use super::tell;

tell! {
    a_reply_from_elsewhere_is_confirmed_once_at_the_registered_address,
    a_confirmation_from_elsewhere_shows_the_move_that_it_confirms,
    what_is_held_is_not_held_for_ever,
    nobody_is_asked_without_end,
    a_new_password_ends_all_reply_addresses,
    a_reply_address_ends_with_its_time_its_address_and_its_user,
    nobody_makes_or_changes_a_token,
    a_board_that_is_gone_or_over_takes_no_moves,
    a_number_that_is_given_again_is_another_mail,
    a_mail_program_that_drops_the_tag_names_the_mail,
    a_message_id_without_proof_of_its_sender_is_confirmed_by_the_player,
    what_was_said_is_answered_by_its_message_id,
    an_address_that_ends_mails_does_nothing_else,
    a_reply_to_all_is_one_reply_of_its_sender,
    the_tag_may_come_in_capitals_or_in_the_headers_alone,
    other_mails_are_not_answered_by_moves,
    lists_may_carry_a_reply_and_get_its_errors,
    tokens_are_not_written_down;
    on_postgres:
    a_confirmation_from_elsewhere_shows_the_move_that_it_confirms,
    what_was_said_is_answered_by_its_message_id,
}

mod stories {
    use knotpost_core::admin::UserEdit;
    use knotpost_model::Millis;

    use crate::harness::{
        ADDRESS, DAY, Draft, HOUR, Letter, Mailboxes, Place, TestApp, edit_user, raw_reply, show_all,
    };

    const ANN: &str = "ann@ann.example";
    const BOB: &str = "bob@bob.example";
    const ELSEWHERE: &str = "ann@office.example";

    async fn begin(place: Place) -> (TestApp, Mailboxes) {
        let app = TestApp::with_players(place, &["ann", "bob"]).await;
        app.mail(ANN, "osbox challenge ann bob", "").await;
        let mut boxes = Mailboxes::default();
        boxes.fill(&app);
        (app, boxes)
    }

    /// The same, on a server that believes its host about whom a domain vouches for.
    async fn begin_vouched(place: Place) -> (TestApp, Mailboxes) {
        let app = TestApp::start_with(place, |config| {
            config.inbound.trusted_authserv = vec!["mx.knotpost.example".to_owned()];
        })
        .await;
        for name in ["ann", "bob"] {
            app.sign_up(name).await;
        }
        app.mail(ANN, "osbox challenge ann bob", "").await;
        let mut boxes = Mailboxes::default();
        boxes.fill(&app);
        (app, boxes)
    }

    /// A reply without the tag that names these mails, sent by somebody for whom their domain vouches.
    fn vouched<'t>(domain: &str, ids: &[&str], text: &'t str) -> Draft<'t> {
        let ids: Vec<String> = ids.iter().map(|id| format!("<{id}>")).collect();
        let headers = format!(
            "Authentication-Results: mx.knotpost.example; dmarc=pass header.from={domain}\r\nReferences: {}",
            ids.join("\r\n ")
        );
        Draft { headers: Some(headers), ..plain(text) }
    }

    async fn ply(app: &TestApp) -> i64 {
        app.get("/api/v1/boards/osbox/101").await.json()["ply"].as_i64().unwrap_or(-1)
    }

    fn plain(text: &str) -> Draft<'_> {
        Draft { text, recipients: vec![ADDRESS.to_owned()], ..Draft::default() }
    }

    fn tag(letter: &Letter) -> String {
        letter.reply_to.clone().expect("a reply address")
    }

    pub(super) async fn a_reply_from_elsewhere_is_confirmed_once_at_the_registered_address(place: Place) {
        let (app, boxes) = begin(place).await;
        let first = boxes.top("ann").clone();
        assert_eq!(app.reply(ELSEWHERE, &first, "f1\nfrom the office").await, "foreign_sender");
        let asked = app.letters();
        insta::assert_snapshot!("foreign_answer", show_all(&asked));
        assert_ne!(asked[0].reply_to, first.reply_to);
        assert_eq!(ply(&app).await, 0);
        // Neither no nor a command of its own is a yes.
        for word in ["no", "That was not me!", "f2", "resign"] {
            assert_eq!(app.reply(ANN, &asked[0], word).await, "answered_error", "{word}");
        }
        assert_eq!(ply(&app).await, 0);
        app.letters();
        assert_eq!(app.reply(ANN, &asked[0], "Confirm").await, "executed");
        let told = show_all(&app.letters());
        assert!(told.contains("1 f1") && told.contains("ann writes:\nfrom the office\n"), "{told}");
        assert_eq!(app.reply(BOB, boxes.top("bob"), "undo").await, "refused");
        assert_eq!(app.reply(ANN, &asked[0], "confirm").await, "bad_token");
        assert_eq!(ply(&app).await, 1);
        // Another one in the same place does not fit the first confirmation.
        app.letters();
        assert_eq!(app.reply("eve@eve.example", &first, "resign").await, "foreign_sender");
        assert_eq!(app.reply(ANN, &asked[0], "confirm").await, "bad_token");
        assert_eq!(ply(&app).await, 1);
    }

    pub(super) async fn a_confirmation_from_elsewhere_shows_the_move_that_it_confirms(place: Place) {
        let (app, _) = begin(place).await;
        app.mail(ANN, "osbox submit 101 ann ann-secret f1", "with these words").await;
        let submitted = app.letters().pop().unwrap();
        assert_eq!(app.reply(ELSEWHERE, &submitted, "confirm").await, "foreign_sender");
        let asked = app.letters();
        insta::assert_snapshot!("foreign_confirmation", show_all(&asked));
        assert_eq!(ply(&app).await, 0);
        assert_eq!(app.reply(ANN, &asked[0], "confirm").await, "executed");
        assert!(show_all(&app.letters()).contains("ann writes:\nwith these words\n"));
        assert_eq!(ply(&app).await, 1);
    }

    pub(super) async fn what_is_held_is_not_held_for_ever(place: Place) {
        let (app, mut boxes) = begin(place).await;
        let first = boxes.top("ann").clone();
        assert_eq!(app.reply(ELSEWHERE, &first, "f1").await, "foreign_sender");
        let asked = app.letters();
        app.clock.advance(7 * DAY + 1);
        assert_eq!(app.reply(ANN, &asked[0], "confirm").await, "bad_token");
        app.letters();
        // It holds for the board that its writer saw.
        assert_eq!(app.reply(ELSEWHERE, &first, "f1").await, "foreign_sender");
        let asked = app.letters();
        assert_eq!(boxes.reply(&app, "ann", "f2").await, "executed");
        assert_eq!(app.reply(ANN, &asked[0], "confirm").await, "refused");
        assert_eq!(ply(&app).await, 1);
        // And for the password under which it was asked.
        assert_eq!(app.reply(ELSEWHERE, &first, "chat hello").await, "foreign_sender");
        let asked = app.letters();
        let asked = asked.last().expect("a question");
        app.post("change password ann ann-secret other-secret", "").await;
        app.work().await;
        app.letters();
        assert_eq!(app.reply(ANN, asked, "confirm").await, "bad_token");
    }

    pub(super) async fn nobody_is_asked_without_end(place: Place) {
        let (app, boxes) = begin(place).await;
        let first = boxes.top("ann").clone();
        for number in 0..8 {
            let eve = format!("eve{number}@eve.example");
            assert_eq!(app.reply(&eve, &first, "f1").await, "foreign_sender");
        }
        let asked = app.letters();
        assert_eq!(asked.iter().map(|letter| letter.to.as_str()).collect::<Vec<_>>(), [ANN; 3]);
        app.clock.advance(HOUR);
        assert_eq!(
            app.reply("eve@eve.example", &first, "osbox move 101 ann ann-secret").await,
            "foreign_sender"
        );
        let asked = app.letters();
        assert_eq!(asked.len(), 1);
        assert!(!asked[0].text.contains("ann-secret"), "{}", asked[0]);
    }

    pub(super) async fn a_new_password_ends_all_reply_addresses(place: Place) {
        let (app, mut boxes) = begin(place).await;
        let first = boxes.top("ann").clone();
        app.clock.advance(1_000);
        app.post("change password ann ann-secret other-secret", "").await;
        app.work().await;
        app.letters();
        assert_eq!(app.reply(ANN, &first, "f1").await, "bad_token");
        insta::assert_snapshot!("no_longer_good", show_all(&app.letters()));
        assert_eq!(app.send_reply(ANN, &first, plain("f1")).await, "bad_token", "without the tag too");
        assert_eq!(ply(&app).await, 0);
        app.clock.advance(1_000);
        app.post("resend ann other-secret", "").await;
        app.work().await;
        let again = app.letters().into_iter().find(|letter| letter.reply_to.is_some()).expect("a board");
        assert_eq!(app.reply(ANN, &again, "f1").await, "executed");
        boxes.fill(&app);
        assert_eq!(boxes.reply(&app, "bob", "e9").await, "executed", "bob's are his own");
    }

    pub(super) async fn a_reply_address_ends_with_its_time_its_address_and_its_user(place: Place) {
        let (app, boxes) = begin(place).await;
        let first = boxes.top("ann").clone();
        app.post("add ann ann-secret ann@home.example", "").await;
        app.work().await;
        app.confirm().await;
        app.letters();
        assert_eq!(
            app.reply("ANN@home.example", &first, "show").await,
            "executed",
            "each of her addresses is hers"
        );
        app.post("resend ann ann-secret", "").await;
        app.work().await;
        let home = app.letters().into_iter().find(|letter| letter.to == "ann@home.example").expect("a mail");
        app.post("signoff ann ann-secret ann@home.example", "").await;
        app.work().await;
        app.letters();
        assert_eq!(app.reply(ANN, &home, "f1").await, "bad_token");
        assert_eq!(app.send_reply(ANN, &home, plain("f1")).await, "bad_token");
        app.letters();
        edit_user(&app.app, "ann", UserEdit::Suspend).await.expect("suspended");
        assert_eq!(app.reply(ANN, &first, "f1").await, "bad_token");
        assert_eq!(app.send_reply(ANN, &first, plain("f1")).await, "bad_token");
        edit_user(&app.app, "ann", UserEdit::Lift).await.expect("lifted");
        app.clock.advance(90 * DAY);
        assert_eq!(app.reply(ANN, &first, "show").await, "executed");
        app.clock.advance(DAY);
        assert_eq!(app.reply(ANN, &first, "show").await, "bad_token");
        assert_eq!(app.send_reply(ANN, &first, plain("show")).await, "bad_token");
        app.post("delete ann ann-secret", "").await;
        app.work().await;
        app.letters();
        assert_eq!(app.reply(ANN, &first, "f1").await, "bad_token");
    }

    pub(super) async fn nobody_makes_or_changes_a_token(place: Place) {
        let (app, boxes) = begin(place).await;
        let first = boxes.top("ann").clone();
        let good = tag(&first);
        let (start, rest) = good.split_once("+r.").expect("a token");
        let (token, domain) = rest.split_once('@').expect("a domain");
        assert!(start.len() + 3 + token.len() <= 64, "{good}");
        let mut forged: Vec<String> = (0..token.len())
            .map(|place| {
                let other = if token.as_bytes()[place] == b'a' { "b" } else { "a" };
                format!("{}{other}{}", &token[..place], &token[place + 1..])
            })
            .collect();
        forged.extend([String::new(), "a".to_owned(), "7".repeat(50), token[..token.len() - 1].to_owned()]);
        // The number of another mail, the signature of another, and the same address as one that ends mails.
        let (number, signature) = token.split_once('.').expect("a number");
        let bobs = tag(boxes.top("bob"));
        let (_, of_bob) =
            bobs.split_once('@').and_then(|(local, _)| local.split_once("+r.")).expect("a token");
        let (number_of_bob, signature_of_bob) = of_bob.split_once('.').expect("a number");
        forged.extend([
            format!("{number_of_bob}.{signature}"),
            format!("{number}.{signature_of_bob}"),
            format!("e{token}"),
            format!("{number}.{signature}.{signature}"),
        ]);
        for word in forged {
            let to = format!("{start}+r.{word}@{domain}");
            let raw =
                format!("From: {ANN}\r\nTo: {to}\r\nSubject: Re: x\r\nMessage-ID: <f{word}@x>\r\n\r\nf1\r\n");
            let became = app.hand_in(ANN, &[&to], &raw).await;
            assert!(["bad_token", "answer_budget"].contains(&became.as_str()), "{word}: {became}");
        }
        assert_eq!(ply(&app).await, 0);
        // Bob's own address does not make ann's token valid for bob.
        app.letters();
        assert_eq!(app.reply(BOB, &first, "f1").await, "foreign_sender");
        assert_eq!(app.letters().iter().map(|letter| letter.to.as_str()).collect::<Vec<_>>(), [ANN]);
        assert_eq!(ply(&app).await, 0);
    }

    pub(super) async fn a_board_that_is_gone_or_over_takes_no_moves(place: Place) {
        let (app, mut boxes) = begin(place).await;
        let first = boxes.top("ann").clone();
        app.mail(ANN, "osbox challenge ann bob", "").await;
        let other = app.letters().into_iter().find(|letter| letter.to == ANN).expect("a mail");
        assert_eq!(app.reply(ANN, &other, "resign").await, "executed");
        app.letters();
        assert_eq!(app.reply(ANN, &other, "f1").await, "refused");
        let told = app.letters();
        assert!(told[0].text.contains("no Osbox board 102"), "{}", told[0]);
        for (name, play) in [("ann", "f1"), ("bob", "e9")] {
            assert_eq!(boxes.reply(&app, name, play).await, "executed");
        }
        assert_eq!(boxes.reply(&app, "ann", "resign").await, "executed");
        let over = boxes.top("ann").clone();
        assert_eq!(app.reply(ANN, &over, "f2").await, "refused");
        assert_eq!(app.reply(ANN, &first, "f2").await, "refused");
        let told = show_all(&app.letters());
        assert!(told.contains("board 101 is over"), "{told}");
        assert_eq!(app.reply(ANN, &over, "chat a good game").await, "executed");
    }

    fn number(letter: &Letter) -> i64 {
        let tag = tag(letter);
        let (_, rest) = tag.split_once("+r.").expect("a token");
        rest.split_once('.').and_then(|(number, _)| number.parse().ok()).expect("a number")
    }

    pub(super) async fn a_number_that_is_given_again_is_another_mail(place: Place) {
        let (app, boxes) = begin(place).await;
        let first = boxes.top("ann").clone();
        // Kept no longer, or lost since the backup that was restored: numbers begin anew.
        let prune = app.app.store.write(async |tx| tx.prune_outbox(Millis(i64::MAX)).await);
        assert!(prune.await.expect("pruned") > 0);
        assert_eq!(app.reply(ANN, &first, "f1").await, "bad_token", "there is no such mail");
        app.letters();
        let mut again = None;
        for _ in 0..20 {
            app.mail(ANN, "osbox show 101", "").await;
            let shown = app.letters().pop().expect("a board");
            if number(&shown) == number(&first) {
                again = Some(shown);
                break;
            }
        }
        let again = again.expect("the number is given again");
        assert_eq!(app.reply(ANN, &first, "resign").await, "bad_token", "it is another mail to ann");
        assert_eq!(app.reply(ANN, &again, "f1").await, "executed");
        assert_eq!(ply(&app).await, 1);
    }

    pub(super) async fn a_message_id_without_proof_of_its_sender_is_confirmed_by_the_player(place: Place) {
        let (app, boxes) = begin(place).await;
        let first = boxes.top("ann").clone();
        assert_eq!(app.send_reply(ANN, &first, plain("f1\nwords")).await, "foreign_sender");
        assert_eq!(ply(&app).await, 0);
        let asked = app.letters();
        insta::assert_snapshot!("named_by_its_id_alone", show_all(&asked));
        // Neither is the question answered by its id alone.
        app.send_reply(ANN, &asked[0], plain("confirm")).await;
        assert_eq!(ply(&app).await, 0);
        app.letters();
        assert_eq!(app.reply(ANN, &asked[0], "confirm").await, "executed");
        assert_eq!(ply(&app).await, 1);
        assert!(show_all(&app.letters()).contains("ann writes:\nwords\n"));
    }

    pub(super) async fn what_was_said_is_answered_by_its_message_id(place: Place) {
        let (app, _) = begin_vouched(place).await;
        let to_ann = |letters: Vec<Letter>| letters.into_iter().find(|letter| letter.to == ANN);
        app.mail(BOB, "osbox chat 101 bob bob-secret", "good luck").await;
        let chat = to_ann(app.letters()).expect("a chat");
        let draft = vouched("ann.example", &[&chat.message_id], "resign");
        assert_eq!(app.send_reply(ANN, &chat, draft).await, "executed");
        let told = show_all(&app.letters());
        assert!(told.contains("ann writes:\nresign\n"), "{told}");
        app.mail(BOB, "message bob bob-secret ann", "Another game?").await;
        let message = to_ann(app.letters()).expect("a message");
        app.send_reply(ANN, &message, plain("No, thanks.")).await;
        assert!(app.letters().iter().all(|letter| letter.to == ANN), "nothing proves that she wrote");
        let draft = vouched("ann.example", &[&message.message_id], "Yes, please.");
        assert_eq!(app.send_reply(ANN, &message, draft).await, "executed");
        let told = show_all(&app.letters());
        assert!(told.contains("To: bob") && told.contains("Yes, please."), "{told}");
        // A question is answered so, too.
        app.mail(ANN, "osbox show 101", "").await;
        let shown = to_ann(app.letters()).expect("a board");
        assert_eq!(app.reply(ELSEWHERE, &shown, "f1").await, "foreign_sender");
        let asked = to_ann(app.letters()).expect("a question");
        let draft = vouched("ann.example", &[&asked.message_id], "confirm");
        assert_eq!(app.send_reply(ANN, &asked, draft).await, "executed");
        assert_eq!(ply(&app).await, 1);
    }

    pub(super) async fn an_address_that_ends_mails_does_nothing_else(place: Place) {
        let (app, _) = begin(place).await;
        app.mail(BOB, "message bob bob-secret ann", "Hello").await;
        let message = app.letters().into_iter().find(|letter| letter.to == ANN).expect("a message");
        let raw = String::from_utf8_lossy(&message.bytes).replace("\r\n ", " ");
        let (_, rest) = raw.split_once("\r\nList-Unsubscribe: <mailto:").expect("an address");
        let (ends, _) = rest.split_once('?').expect("its end");
        assert_ne!(ends, tag(&message));
        // Its signature answers nothing, and that of the reply address ends nothing.
        let reply = ends.replacen("+r.e", "+r.", 1);
        let end = tag(&message).replacen("+r.", "+r.e", 1);
        for forged in [reply, end] {
            let draft = Draft { text: "Hello back", recipients: vec![forged], ..Draft::default() };
            let draft = Draft { headers: Some("X: y".to_owned()), ..draft };
            assert_eq!(app.send_reply(ANN, &message, draft).await, "bad_token");
            assert!(app.letters().iter().all(|letter| letter.to == ANN));
        }
        app.mail(BOB, "message bob bob-secret ann", "Hello again").await;
        assert!(app.letters().iter().any(|letter| letter.to == ANN), "she takes messages");
        app.unsubscribe_by_mail(&message).await;
        app.letters();
        app.mail(BOB, "message bob bob-secret ann", "Once more").await;
        assert!(app.letters().iter().all(|letter| letter.to == BOB), "she takes no messages");
    }

    pub(super) async fn a_mail_program_that_drops_the_tag_names_the_mail(place: Place) {
        let (app, mut boxes) = begin_vouched(place).await;
        let first = boxes.top("ann").clone();
        let draft = vouched("ann.example", &[&first.message_id], "f1");
        assert_eq!(app.send_reply(ANN, &first, draft).await, "executed");
        boxes.fill(&app);
        let bobs = boxes.top("bob").clone();
        let unknown = "knotpost.00000000000000000000000000000000@knotpost.example";
        let ids = [first.message_id.as_str(), bobs.message_id.as_str(), unknown, "x@bob.example"];
        let draft = vouched("bob.example", &ids, "e9");
        assert_eq!(app.send_reply(BOB, &bobs, draft).await, "executed", "the nearest of ours that there is");
        assert_eq!(ply(&app).await, 2);
        boxes.fill(&app);
        // An older mail of the thread is older, whatever else is named.
        let draft = vouched("ann.example", &[&first.message_id], "f2");
        assert_eq!(app.send_reply(ANN, &first, draft).await, "refused");
        app.letters();
        // Another player's mail names bob, and bob is asked to confirm.
        let anns = boxes.top("ann").clone();
        let draft = vouched("bob.example", &[&anns.message_id], "f2");
        assert_eq!(app.send_reply(BOB, &anns, draft).await, "foreign_sender");
        assert_eq!(app.letters().iter().map(|letter| letter.to.as_str()).collect::<Vec<_>>(), [ANN]);
        // Ids that are not ours name nothing.
        let draft = vouched("ann.example", &[unknown, "knotpost.1@evil.example"], "f2");
        app.send_reply(ANN, &anns, draft).await;
        assert_eq!(ply(&app).await, 2);
        let told = app.letters();
        assert!(told[0].subject.contains("rror"), "{}", told[0]);
    }

    pub(super) async fn a_reply_to_all_is_one_reply_of_its_sender(place: Place) {
        let (app, boxes) = begin(place).await;
        let (anns, bobs) = (boxes.top("ann").clone(), boxes.top("bob").clone());
        let recipients = vec![tag(&bobs), ADDRESS.to_owned(), tag(&anns)];
        let draft = Draft { text: "f1", recipients: recipients.clone(), ..Draft::default() };
        // As one message to all of them, and then once more to each, as some mail servers do.
        let raw = raw_reply(ANN, &anns, &draft, "all");
        let all: Vec<&str> = recipients.iter().map(String::as_str).collect();
        assert_eq!(app.hand_in(ANN, &all, &raw).await, "executed");
        for one in &all {
            assert_eq!(app.hand_in(ANN, &[one], &raw).await, "duplicate");
        }
        assert_eq!(ply(&app).await, 1);
        let told = app.letters();
        assert!(told.iter().all(|letter| !letter.subject.contains("was this you")), "{}", show_all(&told));
        // First to the address of another player's: still hers.
        let other = raw_reply(
            ANN,
            &anns,
            &Draft { text: "chat hello", recipients: recipients.clone(), ..Draft::default() },
            "one by one",
        );
        assert_eq!(app.hand_in(ANN, &[all[0]], &other).await, "executed");
        let told = app.letters();
        let bob = told.iter().find(|letter| letter.to == BOB).expect("a mail to bob");
        assert!(bob.text.contains("ann writes:\nhello\n"), "{bob}");
        assert!(!bob.bytes.windows(8).any(|bytes| bytes == b"ann@ann."), "no address of another's");
    }

    pub(super) async fn the_tag_may_come_in_capitals_or_in_the_headers_alone(place: Place) {
        let (app, mut boxes) = begin(place).await;
        let upper = Draft {
            text: "f1",
            recipients: vec![tag(boxes.top("ann")).to_uppercase()],
            headers: Some("X: y".to_owned()),
            ..Draft::default()
        };
        assert_eq!(app.send_reply(ANN, &boxes.top("ann").clone(), upper).await, "executed");
        boxes.fill(&app);
        let bobs = boxes.top("bob").clone();
        let draft = Draft { text: "e9", headers: Some("X: y".to_owned()), ..Draft::default() };
        let raw = raw_reply(BOB, &bobs, &draft, "alias");
        assert_eq!(app.hand_in(BOB, &[ADDRESS], &raw).await, "executed");
        assert_eq!(ply(&app).await, 2);
    }

    pub(super) async fn other_mails_are_not_answered_by_moves(place: Place) {
        let (app, boxes) = begin(place).await;
        app.post("set bob bob-secret moves=digest", "").await;
        app.work().await;
        app.letters();
        assert_eq!(app.reply(ANN, boxes.top("ann"), "f1").await, "executed");
        app.letters();
        app.pass(DAY).await;
        let digest = app.letters().into_iter().find(|letter| letter.to == BOB).expect("a digest");
        assert_eq!(digest.reply_to, None);
        assert_eq!(app.reply(BOB, &digest, "e9").await, "answered_error");
        let told = app.letters();
        assert_eq!(told[0].to, BOB);
        app.mail("cyd@cyd.example", "osbox show 101", "").await;
        let shown = app.letters();
        assert_eq!(shown[0].reply_to, None, "who only looks has no say");
        assert_eq!(app.reply("cyd@cyd.example", &shown[0], "e9").await, "answered_error");
        assert_eq!(ply(&app).await, 1);
    }

    pub(super) async fn lists_may_carry_a_reply_and_get_its_errors(place: Place) {
        let (app, boxes) = begin(place).await;
        let top = boxes.top("ann").clone();
        let listed = |text| Draft {
            text,
            headers: Some("List-Id: <us.example>\r\nPrecedence: list".to_owned()),
            ..Draft::default()
        };
        for words in ["nonsense words", "zz99"] {
            let became = app.send_reply(ANN, &top, listed(words)).await;
            assert!(["answered_error", "refused"].contains(&became.as_str()), "{words}: {became}");
            assert_eq!(app.letters().len(), 1, "who proves who they are is told");
        }
        assert_eq!(app.send_reply(ELSEWHERE, &top, listed("f1")).await, "mailing_list");
        assert!(app.letters().is_empty());
        assert_eq!(app.send_reply(ANN, &top, listed("f1")).await, "executed");
        let robot = Draft {
            text: "f1",
            headers: Some("Auto-Submitted: auto-replied".to_owned()),
            ..Draft::default()
        };
        app.letters();
        app.send_reply(BOB, boxes.top("bob"), robot).await;
        assert!(app.letters().is_empty());
        assert_eq!(ply(&app).await, 1);
    }

    pub(super) async fn tokens_are_not_written_down(place: Place) {
        let (app, boxes) = begin(place).await;
        let first = boxes.top("ann").clone();
        let good = tag(&first);
        let (_, rest) = good.split_once("+r.").expect("a token");
        let (token, _) = rest.split_once('@').expect("a domain");
        assert_eq!(app.reply(ANN, &first, "f1\nwords").await, "executed");
        assert_eq!(app.reply(ELSEWHERE, &first, "chat a-secret-word").await, "foreign_sender");
        // A password that has to be checked first: the mail waits, and is processed then.
        let subject = Some("osbox move 101 bob bob-secret e9".to_owned());
        let draft = Draft { recipients: vec![good.clone()], subject, ..Draft::default() };
        assert_eq!(app.send_reply(BOB, &first, draft).await, "queued");
        assert_eq!(ply(&app).await, 2);
        let tables = app.tables().await;
        let inbox = tables.rows("inbox").join("\n");
        assert!(!inbox.contains(token), "{inbox}");
        assert!(inbox.contains("games+r.********@knotpost.example"), "{inbox}");
        let held = tables.rows("held_answers").join("\n");
        assert!(!held.is_empty() && !held.contains("a-secret-word"), "{held}");
    }
}
