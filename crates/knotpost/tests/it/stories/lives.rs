//! The whole life of a player who has nothing but a mail program: ann finds the server, joins, learns, plays one game to
//! its end, changes her address, goes away and leaves. What she writes and every mail that she gets stand in the
//! snapshots, in the order in which she sees them; of a mail with a subject that she knows, what is new in it. How she
//! joins is told in the life of Osbox alone.

use super::tell;

tell! {
    a_life_of_osbox,
    a_life_of_osbo,
    a_life_of_obsidio,
    a_life_of_boxilies;
    on_postgres: a_life_of_osbox,
}

mod stories {
    use std::fmt::Write as _;

    use knotpost_core::boards::Standing;
    use knotpost_core::config::Confirm;
    use knotpost_core::queries::{BoardView, view_board};
    use knotpost_model::BoardRef;
    use knotpost_rules::Position;

    use crate::harness::{DAY, Letter, Mailboxes, Place, Shown, TestApp};
    use crate::process::peers::python;
    use crate::process::running::has_neighbour;

    /// More turns than any of the games has.
    const MOST_TURNS: usize = 60;

    /// The games of these lives, with options that keep them short.
    const GAMES: [(&str, &str); 4] =
        [("osbox", "-size=3"), ("osbo", "-size=3"), ("obsidio", "-size=5"), ("boxilies", "")];

    pub(super) async fn a_life_of_osbox(place: Place) {
        let life = live(place, "osbox", "-size=3").await;
        insta::assert_snapshot!("life_of_osbox", life.told);
    }

    pub(super) async fn a_life_of_osbo(place: Place) {
        let life = live(place, "osbo", "-size=3").await;
        insta::assert_snapshot!("life_of_osbo", life.told);
    }

    pub(super) async fn a_life_of_obsidio(place: Place) {
        let life = live(place, "obsidio", "-size=5").await;
        insta::assert_snapshot!("life_of_obsidio", life.told);
    }

    pub(super) async fn a_life_of_boxilies(place: Place) {
        let life = live(place, "boxilies", "").await;
        insta::assert_snapshot!("life_of_boxilies", life.told);
    }

    /// A mailbox and what its owner writes.
    struct Life {
        app: TestApp,
        boxes: Mailboxes,
        told: String,
        shown: Shown,
        /// Every mail that left the server, as it left.
        sent: Vec<Vec<u8>>,
    }

    impl Life {
        async fn start(place: Place) -> Self {
            let app =
                TestApp::start_with(place, |config| config.accounts.confirm_addresses = Confirm::On).await;
            let (boxes, shown) = (Mailboxes::default(), Shown::default());
            Self { app, boxes, told: String::new(), shown, sent: Vec::new() }
        }

        /// Notes what ann wrote, and the mails that she gets now.
        fn note(&mut self, wrote: &str) {
            let letters = self.read_mail();
            let hers: Vec<Letter> =
                letters.into_iter().filter(|letter| letter.to.starts_with("ann@")).collect();
            // Adding to a string cannot fail.
            let _ = writeln!(self.told, "\n########## {wrote}\n");
            self.told.push_str(&self.shown.show(&hers));
        }

        /// The mails since the last look; the latest of each player lies on top.
        fn read_mail(&mut self) -> Vec<Letter> {
            let letters = self.boxes.fill(&self.app);
            self.sent.extend(letters.iter().map(|letter| letter.bytes.clone()));
            letters
        }

        /// Ann writes a new mail.
        async fn write(&mut self, subject: &str, body: &str) {
            self.write_from("ann@ann.example", subject, body).await;
        }

        async fn write_from(&mut self, from: &str, subject: &str, body: &str) {
            self.app.mail(from, subject, body).await;
            self.note(&format!("ann writes: {subject} | {body}"));
        }

        /// Ann replies to the mail on top of her mailbox.
        async fn reply(&mut self, words: &str) {
            let top = self.boxes.top("ann").clone();
            self.app.reply(&top.to, &top, words).await;
            self.note(&format!("ann replies to `{}`: {words}", top.subject));
        }

        /// Bob replies to the newest mail to bob.
        async fn bob_replies(&mut self, words: &str) {
            let top = self.boxes.top("bob").clone();
            self.app.reply("bob@bob.example", &top, words).await;
            self.note(&format!("(bob: {words})"));
        }

        async fn view(&self, game: &str) -> BoardView {
            view_board(&self.app.app, &BoardRef { game: game.to_owned(), number: 101 }, None).await.unwrap()
        }
    }

    /// Reads all files of a folder with Python's parser of mails.
    const READ: &str = r"
import email, email.policy, pathlib, sys
count = 0
for file in sorted(pathlib.Path(sys.argv[1]).iterdir()):
    raw = file.read_bytes()
    assert max(raw) < 128, (file, 'not ASCII')
    mail = email.message_from_bytes(raw, policy=email.policy.SMTP)
    for part in mail.walk():
        assert not part.defects, (file, part.defects)
        for name, value in part.items():
            assert not getattr(value, 'defects', ()), (file, name, value.defects)
    # A field with one word that may not be divided is as long as that word.
    long = [line for line in raw.split(b'\r\n') if len(line) > 78 and len(line.split()) > 2]
    assert not long, (file, long)
    text = mail.get_body(('plain',)).get_content()
    assert text.strip(), file
    count += 1
print(count)
";

    #[tokio::test]
    async fn python_finds_no_defect_in_the_mails_of_these_lives() {
        if !has_neighbour("python3") {
            return;
        }
        let folder = tempfile::tempdir().unwrap();
        let mut number = 0;
        for (game, options) in GAMES {
            for mail in live(Place::Deployed(None), game, options).await.sent {
                number += 1;
                std::fs::write(folder.path().join(format!("{number}.eml")), mail).unwrap();
            }
        }
        let told = python(READ, &[folder.path().to_str().unwrap()], "").await.succeed();
        assert_eq!(told.trim(), number.to_string());
        assert!(number > 100, "{number} mails are few for four whole games");
    }

    /// A legal move, complete: one from the middle of what there is.
    fn choose(position: &dyn Position, chance: usize) -> String {
        let mut begun = String::new();
        while let Some(steps) = position.steps(&begun).unwrap() {
            if steps.next.is_empty() {
                return begun;
            }
            begun.clone_from(&steps.next[chance % steps.next.len()]);
        }
        let legal = position.legal_moves();
        legal[chance % legal.len()].clone()
    }

    fn mover(view: &BoardView) -> Option<String> {
        match view.board.standing() {
            Standing::ToMove(seat) => Some(view.board.userid_at(i64::from(seat.number())).to_owned()),
            Standing::Over(_) => None,
        }
    }

    /// Everything, from the first mail to the last.
    async fn live(place: Place, game: &str, options: &str) -> Life {
        let mut life = Box::pin(Life::start(place)).await;
        Box::pin(join(&mut life, game)).await;
        life.write(&format!("{game} challenge {options} ann bob").replace("  ", " "), "Shall we?").await;
        Box::pin(play(&mut life, game)).await;
        Box::pin(move_away(&mut life, game)).await;
        life
    }

    /// The first words, the mistakes of a newcomer, and the proof of her address.
    async fn join(life: &mut Life, game: &str) {
        life.app.mail("bob@bob.example", "signup bob bob-secret", "").await;
        life.read_mail();
        life.bob_replies("ok").await;
        life.told.clear();
        life.shown = Shown::default();
        life.write("Hello", "I heard that one can play here.").await;
        life.write("help", "").await;
        life.write("signup ann abc", "").await;
        life.write("signup ann ann-secret", "").await;
        life.reply("Confirm!").await;
        // The same in every life, so told in one.
        if game != "osbox" {
            life.told.clear();
        }
        life.write(&format!("help {game}"), "").await;
    }

    /// The game: moves, a mistake, words from either side.
    async fn play(life: &mut Life, game: &str) {
        for turn in 0..MOST_TURNS {
            let view = life.view(game).await;
            let Some(name) = mover(&view) else { break };
            let play = choose(&*view.board.position, turn * 7 + 3);
            if name == "bob" {
                life.bob_replies(&play).await;
            } else if turn == 2 {
                life.reply("q99").await;
                life.reply(&format!("{play}\nSorry, I misread the board.")).await;
            } else {
                life.reply(&play).await;
            }
            if turn == 3 {
                life.bob_replies("chat\nA fine opening, this.").await;
                life.reply("chat\nThank you!").await;
            }
        }
        assert_eq!(mover(&life.view(game).await), None, "the game ends: {}", life.told);
    }

    /// Another address, a holiday, and the end.
    async fn move_away(life: &mut Life, game: &str) {
        life.write("standings", "").await;
        life.write(&format!("{game} history ann"), "").await;
        life.write_from("ann@new.example", "change address ann ann-secret", "").await;
        let asked = life.boxes.at("ann@new.example").clone();
        life.app.reply("ann@new.example", &asked, "yes").await;
        life.note("ann replies from her new address: yes");
        life.bob_replies("rematch\nOnce more?").await;
        life.write_from("ann@new.example", "vacation ann ann-secret 5", "").await;
        life.app.clock.advance(5 * DAY);
        life.app.work().await;
        life.write_from("ann@new.example", "delete ann ann-secret", "").await;
        life.write_from("ann@new.example", "delete ann ann-secret really", "").await;
    }
}
