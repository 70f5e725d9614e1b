//! A folder that another program delivers into.

use super::tell;

tell! {
    mails_are_taken_oldest_first_and_lie_in_cur,
    a_mail_found_again_is_not_carried_out_again,
    what_cannot_be_taken_is_set_aside_with_a_reason,
    what_is_no_mail_is_left_alone,
    a_mail_says_itself_whom_it_is_from_and_for,
    a_folder_may_come_later_and_go_again,
    a_mail_that_cannot_be_moved_is_taken_once,
    two_processes_share_a_folder,
}

mod stories {
    use std::fs;
    use std::path::PathBuf;

    use knotpost_transport::inbound::{MailIntake, MaildirWatcher, Round};
    use tokio_util::sync::CancellationToken;

    use crate::harness::{ADDRESS, Place, TestApp};

    const MOST: usize = 4096;

    /// A server with two players and a board, and the folder it watches.
    struct Watching {
        app: TestApp,
        root: PathBuf,
        watch: MaildirWatcher,
    }

    impl Watching {
        async fn start(place: Place) -> Self {
            let app = TestApp::with_players(place, &["ann", "bob"]).await;
            app.post("osbox challenge -size=3 ann bob", "").await;
            app.work().await;
            app.letters();
            let root = app.data.path().join("in");
            for folder in ["new", "cur", "tmp"] {
                fs::create_dir_all(root.join(folder)).unwrap();
            }
            let watch = MaildirWatcher::new(root.clone(), MOST);
            Self { app, root, watch }
        }

        fn deliver(&self, name: &str, mail: impl AsRef<[u8]>) {
            fs::write(self.root.join("new").join(name), mail).unwrap();
        }

        /// One look into the folder, and all that follows from it.
        async fn look(&mut self) -> Round {
            let round = self.watch.walk(&self.app.intake, &CancellationToken::new()).await;
            self.app.work().await;
            round
        }

        fn names(&self, folder: &str) -> Vec<String> {
            let entries = fs::read_dir(self.root.join(folder)).unwrap();
            let mut names: Vec<_> =
                entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
            names.sort();
            names
        }

        async fn plies(&self) -> u64 {
            self.app.get("/api/v1/boards/osbox/101").await.json()["ply"].as_u64().unwrap()
        }

        async fn rows_with(&self, words: &[&str]) -> usize {
            let tables = self.app.tables().await;
            let rows = tables.rows("inbox").iter();
            rows.filter(|row| words.iter().all(|word| row.contains(word))).count()
        }
    }

    fn mail(user: &str, line: &str, more: &str) -> String {
        format!("From: {user}@{user}.example\nTo: {ADDRESS}\nSubject: {line}\n{more}\nHello\n")
    }

    pub(super) async fn mails_are_taken_oldest_first_and_lie_in_cur(place: Place) {
        let mut folder = Watching::start(place).await;
        // By number, not by letters; and one whose program gives no time.
        folder.deliver("1000.x", mail("bob", "osbox move 101 bob bob-secret e7", "Message-ID: <b@x>\n"));
        folder.deliver("999.x:2,F", mail("ann", "osbox move 101 ann ann-secret f1", "Message-ID: <a@x>\n"));
        folder.deliver("untimed", mail("ann", "osbox move 101 ann ann-secret f2", "Message-ID: <c@x>\n"));
        assert_eq!(folder.look().await, Round::Done);
        assert_eq!(folder.names("cur"), ["1000.x:2,S", "999.x:2,FS", "untimed:2,S"]);
        assert_eq!(folder.names("new"), [""; 0]);
        assert_eq!(folder.plies().await, 3);
        assert_eq!(folder.rows_with(&["maildir", "executed"]).await, 3);
        assert_eq!(folder.look().await, Round::Done);
        assert_eq!(folder.rows_with(&["maildir"]).await, 3, "once is enough");
    }

    pub(super) async fn a_mail_found_again_is_not_carried_out_again(place: Place) {
        let mut folder = Watching::start(place).await;
        // With an id, and without one.
        let line = "osbox move 101 ann ann-secret f1";
        for (name, mail) in [
            ("1.a", mail("ann", line, "Message-ID: <a@x>\n")),
            (
                "2.b",
                mail("bob", "osbox move 101 bob bob-secret e7", "Date: Fri, 20 Nov 2026 10:00:00 +0000\n"),
            ),
        ] {
            folder.deliver(name, &mail);
            folder.look().await;
            // As if the power had failed between the commit and the move to `cur`.
            fs::rename(folder.root.join(format!("cur/{name}:2,S")), folder.root.join("new").join(name))
                .unwrap();
            folder.look().await;
            assert_eq!(folder.names("new"), [""; 0]);
        }
        assert_eq!(folder.plies().await, 2);
        assert_eq!(folder.rows_with(&["executed"]).await, 2);
        assert_eq!(folder.rows_with(&["duplicate"]).await, 2);
    }

    pub(super) async fn what_cannot_be_taken_is_set_aside_with_a_reason(place: Place) {
        let mut folder = Watching::start(place).await;
        let bodiless = format!("From: ann@ann.example\nTo: {ADDRESS}\nContent-Type: image/png\n\nx\n");
        for (name, mail) in [
            ("1.broken", "\0\0 no mail at all".to_owned()),
            ("2.empty", String::new()),
            ("3.large", mail("ann", "help", "") + &"x".repeat(MOST)),
            ("4.several", mail("ann", "help", "From: bob@bob.example\n")),
            ("5.nobody", "Return-Path: <ann@ann.example>\nSubject: help\n\nHello\n".to_owned()),
            ("6.wordless", bodiless),
        ] {
            folder.deliver(name, mail);
        }
        folder.deliver("7.good", mail("ann", "osbox move 101 ann ann-secret f1", ""));
        assert_eq!(folder.look().await, Round::Done);
        for (reason, count) in
            [("broken", 2), ("too_large", 1), ("several_from", 1), ("no_sender", 1), ("no_command", 1)]
        {
            assert_eq!(folder.rows_with(&[reason, "failed"]).await, count, "{reason}");
        }
        let cur = folder.names("cur");
        assert_eq!(cur.iter().filter(|name| name.ends_with(":2,")).count(), 6, "not seen: {cur:?}");
        assert_eq!(folder.names("new"), [""; 0]);
        assert_eq!(folder.plies().await, 1, "the mail behind them is carried out");
        let letters = folder.app.letters();
        assert_eq!(letters.len(), 2, "the move is told, and nothing else is answered");
    }

    pub(super) async fn what_is_no_mail_is_left_alone(place: Place) {
        let mut folder = Watching::start(place).await;
        let outside = folder.app.data.path().join("outside");
        fs::write(&outside, mail("ann", "osbox move 101 ann ann-secret f1", "")).unwrap();
        std::os::unix::fs::symlink(&outside, folder.root.join("new/1.link")).unwrap();
        fs::create_dir(folder.root.join("new/2.folder")).unwrap();
        folder.deliver(".hidden", mail("ann", "osbox move 101 ann ann-secret f1", ""));
        assert_eq!(folder.look().await, Round::Done);
        assert_eq!(folder.names("new"), [".hidden", "1.link", "2.folder"]);
        assert_eq!((folder.names("cur"), folder.plies().await), (vec![], 0));
    }

    pub(super) async fn a_mail_says_itself_whom_it_is_from_and_for(place: Place) {
        let mut folder = Watching::start(place).await;
        let (local, domain) = ADDRESS.split_once('@').unwrap();
        let tagged =
            format!("Delivered-To: {local}+friday@{domain}\nX-Original-To: <elsewhere@example.org>\n");
        folder
            .deliver("1.a", format!("Return-Path: <bounces@ann.example>\n{}", mail("ann", "help", &tagged)));
        folder.deliver("2.b", format!("Return-Path: <>\n{}", mail("bob", "help", "")));
        folder.deliver("3.c", "From: bob@bob.example\nTo: friends:;\nSubject: help\n\n");
        folder.look().await;
        assert_eq!(folder.rows_with(&["bounces@ann.example", "+friday@"]).await, 1);
        assert_eq!(folder.rows_with(&["elsewhere"]).await, 0);
        assert_eq!(folder.rows_with(&["null_sender"]).await, 1, "reports are not answered");
        assert_eq!(folder.rows_with(&[ADDRESS, "executed"]).await, 2, "named in To, or in none");
        assert_eq!(folder.app.letters().len(), 2);
    }

    pub(super) async fn a_folder_may_come_later_and_go_again(place: Place) {
        let mut folder = Watching::start(place).await;
        let hidden = folder.app.data.path().join("elsewhere");
        fs::rename(&folder.root, &hidden).unwrap();
        assert_eq!(folder.look().await, Round::Done, "there is nothing to do");
        fs::write(&folder.root, "a file in its place").unwrap();
        assert_eq!(folder.look().await, Round::Trouble);
        fs::remove_file(&folder.root).unwrap();
        fs::create_dir_all(folder.root.join("new")).unwrap();
        folder.deliver("1.a", mail("ann", "osbox move 101 ann ann-secret f1", ""));
        assert_eq!(folder.look().await, Round::Done);
        assert_eq!(folder.names("cur"), ["1.a:2,S"], "made when it is needed");
        assert_eq!(folder.plies().await, 1);
    }

    pub(super) async fn a_mail_that_cannot_be_moved_is_taken_once(place: Place) {
        let mut folder = Watching::start(place).await;
        fs::remove_dir(folder.root.join("cur")).unwrap();
        fs::write(folder.root.join("cur"), "in the way").unwrap();
        folder.deliver("1.a", mail("ann", "osbox move 101 ann ann-secret f1", ""));
        for _ in 0..3 {
            assert_eq!(folder.look().await, Round::Trouble);
        }
        assert_eq!(folder.rows_with(&["maildir"]).await, 1);
        fs::remove_file(folder.root.join("cur")).unwrap();
        assert_eq!(folder.look().await, Round::Done);
        assert_eq!((folder.names("cur"), folder.plies().await), (vec!["1.a:2,S".to_owned()], 1));
        // Another mail of that name does not push it out.
        folder.deliver("1.a", mail("bob", "osbox move 101 bob bob-secret e7", ""));
        folder.look().await;
        assert_eq!(folder.names("cur"), ["1.a:2,S", "1.a_1:2,S"]);
        assert_eq!(folder.plies().await, 2);
    }

    pub(super) async fn two_processes_share_a_folder(place: Place) {
        let mut folder = Watching::start(place).await;
        for number in 10..30 {
            folder
                .deliver(&format!("{number}.x"), mail("ann", "help", &format!("Message-ID: <{number}@x>\n")));
        }
        let stop = CancellationToken::new();
        let intake = MailIntake::new(folder.app.app.clone());
        let mut second = MaildirWatcher::new(folder.root.clone(), MOST);
        // Where their transactions meet too often, a mail waits for the next look.
        for _ in 0..20 {
            let rounds =
                tokio::join!(folder.watch.walk(&folder.app.intake, &stop), second.walk(&intake, &stop));
            if rounds == (Round::Done, Round::Done) {
                break;
            }
        }
        folder.app.work().await;
        assert_eq!(folder.names("cur").len(), 20);
        assert_eq!(folder.rows_with(&["maildir"]).await, 20, "each by one of them");
    }
}
