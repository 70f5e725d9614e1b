//! What a server asks of those who answer without a password.

use crate::stories::tell;

tell! {
    behind_a_relay_the_client_that_it_names_is_judged,
    a_flood_from_one_host_is_put_off_and_others_are_not,
    by_default_an_answer_to_the_reply_address_needs_no_proof,
    an_answer_may_have_to_be_proven,
    forgeries_are_refused_when_their_domain_wants_it,
}

mod stories {
    use knotpost_core::config::AuthPolicy;
    use knotpost_transport::inbound::{Envelope, Intake, Receipt, Way};
    use mail_parser::MessageParser;

    use crate::dns::{NameServer, Zone};
    use crate::harness::{ADDRESS, Letter, Place, TestApp, show_all};

    /// Fred's domain says which host sends for it, and wants forgeries refused.
    async fn name_server(policy: &str) -> NameServer {
        let zone = Zone::default()
            .txt("fred.example", "v=spf1 ip4:192.0.2.7 -all")
            .txt("_dmarc.fred.example", &format!("v=DMARC1; p={policy}"))
            .failing("broken.example")
            .failing("_dmarc.broken.example");
        NameServer::start(zone).await
    }

    async fn start(place: Place, policy: AuthPolicy, server: &NameServer) -> (TestApp, Letter) {
        start_behind(place, policy, server, &[]).await
    }

    async fn start_behind(
        place: Place,
        policy: AuthPolicy,
        server: &NameServer,
        relays: &[&str],
    ) -> (TestApp, Letter) {
        let relays: Vec<String> = relays.iter().map(|relay| (*relay).to_owned()).collect();
        let app = TestApp::start_with(place, |config| {
            config.smtp.relays = relays.try_into().unwrap();
            config.inbound.auth_policy = policy;
            config.inbound.dns = vec![server.address.clone()];
            config.inbound.trusted_authserv = vec!["mx.knotpost.example".to_owned()];
        })
        .await;
        for name in ["ann", "fred"] {
            app.sign_up(name).await;
        }
        app.mail("fred@fred.example", "osbox challenge fred ann", "").await;
        let letters = app.letters();
        let board = letters.into_iter().find(|letter| letter.to == "fred@fred.example").unwrap();
        (app, board)
    }

    /// Fred's answer to a board mail, brought by this host.
    async fn answer(app: &TestApp, board: &Letter, way: Way, peer: &str, line: &str) -> Receipt {
        mail(app, way, peer, &answer_to(board, line)).await
    }

    fn answer_to(board: &Letter, line: &str) -> String {
        let parent = MessageParser::default().parse(&board.bytes).unwrap();
        let parent = parent.message_id().unwrap().to_owned();
        format!(
            "From: fred@fred.example\r\nTo: {ADDRESS}\r\nSubject: Re: {}\r\nMessage-ID: <{line}@fred.example>\r\n\
             In-Reply-To: <{parent}>\r\n\r\n{line}\r\n",
            board.subject
        )
    }

    async fn mail(app: &TestApp, way: Way, peer: &str, raw: &str) -> Receipt {
        let envelope = Envelope {
            way,
            peer: way.has_session().then(|| peer.parse().unwrap()),
            helo: Some("mail.fred.example".to_owned()),
            mail_from: Some("fred@fred.example".to_owned()),
            recipients: vec![ADDRESS.to_owned()],
        };
        let receipt = app.intake.receive(envelope, raw.as_bytes().to_vec()).await;
        app.work().await;
        receipt
    }

    fn reason(receipt: &Receipt) -> &str {
        match receipt {
            Receipt::Stored { text } | Receipt::Refused { text, .. } | Receipt::TryLater { text, .. } => text,
        }
    }

    const OWN: &str = "192.0.2.7";
    const STRANGE: &str = "198.51.100.1";

    pub(super) async fn behind_a_relay_the_client_that_it_names_is_judged(place: Place) {
        let server = name_server("none").await;
        let (app, board) = start_behind(place, AuthPolicy::RequireForTokens, &server, &["127.0.0.1"]).await;
        let through = |client: &str, line: &str| {
            let by = "by mx.knotpost.example (Postfix) with ESMTP id 1; Mon, 23 Nov 2026 10:00:00 +0000";
            format!("Received: from [{OWN}] (unknown [{client}])\r\n\t{by}\r\n{}", answer_to(&board, line))
        };
        let forged = mail(&app, Way::Smtp, "127.0.0.1", &through(STRANGE, "f1")).await;
        assert_eq!(reason(&forged), "unauthenticated", "its greeting is no proof");
        let proven = mail(&app, Way::Smtp, "127.0.0.1", &through(OWN, "a1")).await;
        assert_eq!(reason(&proven), "executed");
        // The relay's own users come from anywhere: nothing fails because of that.
        let stored = app.tables().await.rows("inbox").join("\n").replace('\\', "");
        assert!(!stored.contains(r#""dmarc":{"result":"fail""#), "{stored}");
    }

    pub(super) async fn a_flood_from_one_host_is_put_off_and_others_are_not(place: Place) {
        let app = TestApp::start_with(place, |config| config.inbound.waiting_per_host = 3).await;
        app.sign_up("fred").await;
        let send = async |peer: &str, number: u32| {
            let raw = format!(
                "From: x{number}@x{number}.example\r\nTo: {ADDRESS}\r\nSubject: osbox chat 101 fred wrong{number}\r\n\
                 Message-ID: <{number}@x.example>\r\n\r\n"
            );
            let envelope = Envelope {
                way: Way::Smtp,
                peer: Some(peer.parse().unwrap()),
                helo: None,
                mail_from: Some(format!("x{number}@x{number}.example")),
                recipients: vec![ADDRESS.to_owned()],
            };
            app.intake.receive(envelope, raw.into_bytes()).await
        };
        for number in 0..3 {
            assert_eq!(reason(&send(STRANGE, number).await), "queued");
        }
        let text =
            "too many mails from your host wait here to be processed; please try again in a few minutes";
        let put_off = Receipt::TryLater { code: 451, enhanced: "4.7.1", text: text.to_owned() };
        assert_eq!(send(STRANGE, 3).await, put_off);
        assert_eq!(reason(&send(OWN, 4).await), "queued", "another host has places of its own");
        app.work().await;
        assert_eq!(reason(&send(STRANGE, 5).await), "queued", "there is room again");
    }

    pub(super) async fn by_default_an_answer_to_the_reply_address_needs_no_proof(place: Place) {
        let server = name_server("reject").await;
        let (app, board) = start(place, AuthPolicy::Annotate, &server).await;
        let asked = server.asked();
        assert_eq!(asked, 0, "nobody is asked about mail of this machine");
        let to_address = |line: &str| {
            let address = board.reply_to.as_deref().expect("a reply address");
            answer_to(&board, line).replacen(&format!("To: {ADDRESS}"), &format!("To: {address}"), 1)
        };
        let receipt = mail(&app, Way::Smtp, STRANGE, &to_address("f1")).await;
        assert_eq!(reason(&receipt), "executed");
        assert_eq!(app.letters().len(), 2, "one to each");
        assert!(server.asked() > 0);
        // A Message-ID alone needs it.
        let receipt = answer(&app, &board, Way::Smtp, STRANGE, "resign").await;
        assert_eq!(reason(&receipt), "foreign_sender");
        let asked = app.letters();
        assert_eq!(asked.iter().map(|letter| letter.to.as_str()).collect::<Vec<_>>(), ["fred@fred.example"]);
        let receipt = answer(&app, &board, Way::Smtp, OWN, "chat hello").await;
        assert_eq!(reason(&receipt), "executed");
        app.letters();
        let stored = app.tables().await.rows("inbox").to_vec();
        let verdict = r#""dmarc":{"result":"fail","domain":"fred.example","policy":"reject"}"#;
        let noted = stored.iter().any(|row| row.replace('\\', "").contains(verdict));
        assert!(noted, "{}", stored.join("\n"));
    }

    pub(super) async fn an_answer_may_have_to_be_proven(place: Place) {
        let server = name_server("none").await;
        let (app, board) = start(place, AuthPolicy::RequireForTokens, &server).await;
        let unproven = answer(&app, &board, Way::Smtp, STRANGE, "f1").await;
        assert_eq!(reason(&unproven), "unauthenticated");
        insta::assert_snapshot!("unproven", show_all(&app.letters()));
        let piped = answer(&app, &board, Way::Pipe, "", "e1").await;
        assert_eq!(reason(&piped), "unauthenticated", "nobody vouches for it");
        app.letters();

        let trusted = format!(
            "Authentication-Results: mx.knotpost.example; dmarc=pass header.from=fred.example\r\n{}",
            answer_to(&board, "a1")
        );
        assert_eq!(reason(&mail(&app, Way::Pipe, "", &trusted).await), "executed");
        let letters = app.letters();
        assert_eq!(letters.len(), 2, "{}", show_all(&letters));
        app.mail("ann@ann.example", "osbox move 101 ann ann-secret e9", "").await;
        let board = app.letters().into_iter().find(|letter| letter.to == "fred@fred.example").unwrap();
        assert_eq!(reason(&answer(&app, &board, Way::Smtp, OWN, "c3").await), "executed");
        app.mail("ann@ann.example", "osbox move 101 ann ann-secret e10", "").await;
        app.letters();
        let raw = "From: fred@fred.example\r\nSubject: osbox move 101 fred fred-secret f2\r\n\
                   Message-ID: <9@fred.example>\r\n\r\n";
        mail(&app, Way::Smtp, STRANGE, raw).await;
        assert_eq!(app.letters().len(), 2, "a password is proof: both see the move");
    }

    pub(super) async fn forgeries_are_refused_when_their_domain_wants_it(place: Place) {
        let server = name_server("reject").await;
        let (app, board) = start(place, AuthPolicy::RejectFail, &server).await;
        let before = app.tables().await;
        let refused = answer(&app, &board, Way::Smtp, STRANGE, "f1").await;
        assert_eq!(
            refused,
            Receipt::Refused {
                code: 550,
                enhanced: "5.7.1",
                text: "fred.example asks for the refusal of mail in its name that fails DMARC, as this one does; \
                       send it through the mail server of fred.example"
                    .to_owned()
            }
        );
        assert_eq!(app.tables().await, before, "nothing was stored");

        let forged = format!(
            "Authentication-Results: mx.knotpost.example; dmarc=fail (p=reject) header.from=fred.example\r\n{}",
            answer_to(&board, "e1")
        );
        assert_eq!(mail(&app, Way::Pipe, "", &forged).await, Receipt::Stored { text: "kept".to_owned() });
        assert_eq!(app.letters().len(), 0, "whoever is told would be the one in whose name it was forged");
        let stored = app.tables().await.rows("inbox").to_vec();
        assert!(stored.iter().any(|row| row.contains("unauthenticated")), "{}", stored.join("\n"));

        let raw = "From: fred@broken.example\r\nSubject: help\r\nMessage-ID: <b@broken.example>\r\n\r\n";
        assert_eq!(
            reason(&mail(&app, Way::Smtp, STRANGE, raw).await),
            "executed",
            "DNS may be back tomorrow"
        );
        assert_eq!(reason(&answer(&app, &board, Way::Smtp, OWN, "c3").await), "executed");
    }
}
