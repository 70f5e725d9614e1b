//! Two servers and the mail boxes around them, joined in memory.

use std::collections::{HashMap, VecDeque};

use knotpost_commands::parse as parse_command;
use knotpost_transport::inbound::{Envelope, Intake as _, RecipientVerdict, Way};
use mail_parser::MessageParser;

use crate::harness::{HOUR, Place, TestApp};

/// More mails than this in one hour are a circle.
const RUNAWAY: usize = 2_000;
const DOMAINS: [&str; 2] = ["one.example", "two.example"];

/// What a mail box does with every mail it gets.
#[derive(Clone, Copy)]
pub(super) enum Habit {
    /// Answers it.
    Answers { whom: Whom, subject: fn(&str) -> String, text: fn(&str) -> String },
    /// Sends it to all members.
    Repeats { members: &'static [&'static str], marks: bool, keeps_from: bool },
    /// Sends it on in the name of its author, every mark taken off.
    Forwards { to: &'static str },
}

/// To whom programs answer.
#[derive(Clone, Copy)]
pub(super) enum Whom {
    Author,
    ReplyTo,
    ReturnPath,
}

/// A mail under way.
struct Parcel {
    from: Option<String>,
    to: String,
    bytes: Vec<u8>,
}

pub(super) struct World {
    pub(super) servers: Vec<TestApp>,
    habits: HashMap<&'static str, Habit>,
    under_way: VecDeque<Parcel>,
    made: usize,
    ply: usize,
}

/// What a responder writes: its words above all that it answers.
pub(super) fn away_text(text: &str) -> String {
    let quoted = text.lines().fold(String::new(), |quoted, line| quoted + "> " + line + "\r\n");
    format!("I am away until Monday.\r\n\r\nYou wrote:\r\n{quoted}")
}

/// A mail without any mark.
pub(super) fn marked(from: &str, to: &str, subject: &str, number: usize) -> Vec<u8> {
    format!("From: {from}\r\nTo: {to}\r\nSubject: {subject}\r\nMessage-ID: <{number}.{to}.{from}>\r\n\r\nHello.\r\n")
        .into_bytes()
}

impl World {
    pub(super) async fn begin() -> Self {
        let mut servers = Vec::new();
        for domain in DOMAINS {
            let server = TestApp::start_with(Place::Sqlite, |config| {
                config.server.address = format!("games@{domain}");
            });
            servers.push(server.await);
        }
        Self { servers, habits: HashMap::new(), under_way: VecDeque::new(), made: 0, ply: 0 }
    }

    /// Somebody at this address does that from now on.
    pub(super) fn expect(&mut self, address: &'static str, habit: Habit) {
        self.habits.insert(address, habit);
    }

    /// Ann and bob, who read mail there, have accounts on both servers and begin a game on the first; what is said until
    /// then does not count. A server's own address is nobody's there: then the other server's stands for it.
    pub(super) async fn play(&mut self, addresses: &[&str; 2]) {
        for (server, [own, other]) in self.servers.iter().zip([DOMAINS, [DOMAINS[1], DOMAINS[0]]]) {
            for (name, address) in ["ann", "bob"].iter().zip(addresses) {
                let address = address.replace(&format!("games@{own}"), &format!("games@{other}"));
                let page = server.post(&format!("signup {name} {name}-secret {address}"), "").await;
                assert_eq!(page.outcome(), "200 ok", "{}", page.text);
            }
        }
        let page = self.servers[0].post("osbox challenge -size=9 ann bob", "").await;
        assert_eq!(page.outcome(), "200 ok", "{}", page.text);
        for server in &self.servers {
            server.work().await;
            server.sent();
            server.clock.advance(HOUR);
        }
    }

    /// The next move of the game, on the web.
    pub(super) async fn move_once(&mut self) {
        let name = ["ann", "bob"][self.ply % 2];
        let squares = ["a1", "a19", "a3", "a21", "a5", "a23", "a7", "a25"];
        let text = squares[self.ply];
        let line = format!("osbox move 101 {name} {name}-secret {text}");
        let page = self.servers[0].post(&line, "").await;
        assert_eq!(page.outcome(), "200 ok", "{}", page.text);
        self.ply += 1;
    }

    /// A mail of somebody else.
    pub(super) fn post(&mut self, from: &str, to: &str, bytes: &[u8]) {
        let parcel = Parcel { from: Some(from.to_owned()), to: to.to_owned(), bytes: bytes.to_vec() };
        self.under_way.push_back(parcel);
    }

    /// Lets all mail arrive, hour by hour; says how many mails the servers sent.
    pub(super) async fn pass_a_day(&mut self) -> usize {
        let mut sent = 0;
        for _ in 0..24 {
            sent += self.pass_an_hour().await;
            for server in &self.servers {
                server.clock.advance(HOUR);
            }
        }
        sent
    }

    async fn pass_an_hour(&mut self) -> usize {
        let mut sent = 0;
        loop {
            for server in &self.servers {
                server.work().await;
                for mail in server.sent() {
                    sent += 1;
                    assert_no_command(server, &mail.bytes);
                    self.under_way.push_back(Parcel { from: mail.from, to: mail.to, bytes: mail.bytes });
                }
            }
            assert!(sent < RUNAWAY, "mail goes in a circle");
            let Some(parcel) = self.under_way.pop_front() else { return sent };
            self.deliver(parcel).await;
        }
    }

    async fn deliver(&mut self, parcel: Parcel) {
        let domain = parcel.to.rsplit_once('@').map_or("", |(_, domain)| domain);
        if let Some(place) = DOMAINS.iter().position(|own| *own == domain) {
            let intake = &self.servers[place].intake;
            assert_eq!(intake.recipient(&parcel.to), RecipientVerdict::Accepted, "{}", parcel.to);
            let envelope = Envelope {
                way: Way::Smtp,
                peer: None,
                helo: None,
                mail_from: parcel.from,
                recipients: vec![parcel.to],
            };
            intake.receive(envelope, parcel.bytes).await;
            return;
        }
        let Some(habit) = self.habits.get(parcel.to.as_str()).copied() else { return };
        self.act(habit, &parcel);
    }

    /// A mail box does what it always does. Nobody here looks at a header that asks not to.
    fn act(&mut self, habit: Habit, parcel: &Parcel) {
        let message = MessageParser::default().parse(&parcel.bytes).expect("a mail");
        let author = message.from().and_then(|from| from.first()).and_then(|from| from.address());
        let author = author.expect("an author").to_owned();
        let subject = message.subject().unwrap_or("").to_owned();
        let text = message.body_text(0).unwrap_or_default().replace("\r\n", "\n").replace('\n', "\r\n");
        let own = parcel.to.clone();
        match habit {
            Habit::Answers { whom, subject: make_subject, text: make_text } => {
                let reply_to = message.reply_to().and_then(|to| to.first()).and_then(|to| to.address());
                let author = match whom {
                    Whom::Author => author,
                    Whom::ReplyTo => reply_to.map_or(author, str::to_owned),
                    Whom::ReturnPath => parcel.from.clone().unwrap_or(author),
                };
                let bytes = self.write(&own, &author, &make_subject(&subject), &make_text(&text), "");
                self.under_way.push_back(Parcel { from: Some(own), to: author, bytes });
            }
            Habit::Repeats { members, marks, keeps_from } => {
                let from = if keeps_from { &author } else { &own };
                let marks = if marks { "List-Id: <list.lists.example>\r\nPrecedence: list\r\n" } else { "" };
                let subject = format!("[list] {subject}");
                for member in members {
                    let bytes = self.write(from, &own, &subject, &text, marks);
                    let parcel = Parcel { from: Some(from.clone()), to: (*member).to_owned(), bytes };
                    self.under_way.push_back(parcel);
                }
            }
            Habit::Forwards { to } => {
                let bytes = self.write(&author, to, &subject, &text, "");
                self.under_way.push_back(Parcel { from: Some(author), to: to.to_owned(), bytes });
            }
        }
    }

    /// A fresh mail with no more headers than these.
    fn write(&mut self, from: &str, to: &str, subject: &str, text: &str, marks: &str) -> Vec<u8> {
        self.made += 1;
        let number = self.made;
        format!(
            "From: {from}\r\nTo: {to}\r\nSubject: {subject}\r\nMessage-ID: <{number}@mail.example>\r\n{marks}\
             Content-Type: text/plain; charset=utf-8\r\n\r\n{text}\r\n"
        )
        .into_bytes()
    }
}

/// What comes back with our own Subject must not be carried out. One cannot be otherwise, since scripts know it by
/// its name; it asks for the same once more, which has its budget.
fn assert_no_command(server: &TestApp, bytes: &[u8]) {
    let message = MessageParser::default().parse(bytes).expect("a mail");
    let subject = message.subject().unwrap_or("");
    let is_command = parse_command(subject, &server.app.vocabulary).is_ok();
    assert!(!is_command || subject == "Osbox Standings", "`{subject}` is a command");
}
