//! What one request of somebody who proves nothing may cost at most, whatever it says.

mod sessions;

use std::time::Duration;

use knotpost_commands::Effect;
use knotpost_commands::Verb::{self, AllShow, Challenge, Multiple, PasswordReset, Show, Signup};

pub(super) use sessions::{COMMANDS, CommandRow, Grows, MAILS, MailRow, Word};

/// The most that one request may cost.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cost {
    /// Mails that leave because of it, to whomever.
    pub(super) mails: usize,
    /// Bytes of these mails.
    pub(super) mail_bytes: usize,
    /// Rows that are new.
    pub(super) rows: usize,
    /// Bytes of the answer on the same connection.
    pub(super) answer_bytes: usize,
    /// Statements to the database, of the request and of all work that follows from it.
    pub(super) statements: usize,
    /// Rows that these statements read.
    pub(super) rows_read: usize,
    /// Milliseconds of a processor beside what each KiB takes.
    pub(super) milliseconds: u64,
    /// Microseconds of a processor for each KiB of it.
    pub(super) microseconds_for_kib: u64,
}

impl Cost {
    const fn asks(self, statements: usize, rows_read: usize) -> Self {
        Self { statements, rows_read, ..self }
    }

    const fn takes(self, milliseconds: u64, microseconds_for_kib: u64) -> Self {
        Self { milliseconds, microseconds_for_kib, ..self }
    }

    /// A processor's time for `bytes`.
    pub(super) fn processor_for(self, bytes: usize) -> Duration {
        let for_bytes = Duration::from_micros(self.microseconds_for_kib * (bytes as u64).div_ceil(1024));
        Duration::from_millis(self.milliseconds) + for_bytes
    }
}

const fn cost(mails: usize, mail_bytes: usize, rows: usize, answer_bytes: usize) -> Cost {
    let cost = Cost {
        mails,
        mail_bytes,
        rows,
        answer_bytes,
        statements: 0,
        rows_read: 0,
        milliseconds: 0,
        microseconds_for_kib: 0,
    };
    // A command: a comparison of a password takes 20 ms, reading and answering a line of 30 KiB 50 ms.
    cost.asks(140, 150).takes(600, 40_000)
}

/// A question: one answer to whoever asks. The rows: the mail that came, its mark, the answer, three budgets.
const QUESTION: Cost = cost(1, 42_000, 7, 60_000).asks(140, 300);
/// Boards, drawn.
const BOARDS: Cost = cost(1, 42_000, 7, 400_000).asks(180, 200);
/// What needs a password and has none that is right: the answer says so.
const REFUSED: Cost = cost(1, 42_000, 7, 60_000);

/// What a verb costs that is not like the others.
const UNLIKE_OTHERS: &[(Verb, Cost)] = &[
    // An account, its addresses, and a mail to each of them.
    (Signup, cost(2, 20_000, 14, 20_000).asks(90, 40)),
    (Multiple, cost(1, 42_000, 7, 900_000).asks(1_000, 1_000).takes(2_000, 40_000)),
    (AllShow, BOARDS),
    // To whom the account belongs, and to the sender.
    (PasswordReset, cost(2, 20_000, 9, 20_000).asks(90, 40)),
    // A board with its seats, and a mail to each player.
    (Challenge, cost(8, 200_000, 60, 60_000).asks(100, 60)),
    (Show, BOARDS),
];

/// What a verb costs, sent by a stranger. One that needs a password is refused, one that only asks is a question; any
/// other has a row.
pub(super) fn cost_of(verb: Verb) -> Cost {
    if let Some((_, cost)) = UNLIKE_OTHERS.iter().find(|(known, _)| *known == verb) {
        return *cost;
    }
    if verb.spec().needs_password() {
        return REFUSED;
    }
    match verb.spec().effect {
        Effect::Query => QUESTION,
        Effect::Change => panic!("{verb:?} has no row in the table of costs"),
    }
}

/// An answer over HTTP, which changes nothing but a budget. Seven statements look for work that follows.
const fn answer(answer_bytes: usize, statements: usize, rows_read: usize) -> Cost {
    cost(0, 0, 1, answer_bytes).asks(statements, rows_read).takes(100, 1_000)
}

/// What is there for others only says so.
const GUARDED: Cost = answer(10_000, 10, 6);
/// Whoever is not logged in is sent away.
const REFUSAL: Cost = answer(10_000, 10, 6);
/// A page or a small list.
const PAGE: Cost = answer(100_000, 23, 14);
/// Boards of a user with what belongs to each, or of many.
const MANY: Cost = answer(100_000, 100, 200).takes(300, 20_000);
/// A picture, painted.
const PAINTED: Cost = answer(100_000, 22, 14).takes(800, 1_000);
/// A file or a description.
const LARGE: Cost = answer(400_000, 12, 8).takes(600, 1_000);
/// A board with the choices of a move, each a link.
const LINE: Cost = answer(400_000, 22, 14).takes(600, 1_000);
/// What a form or a link does; a password may be compared.
const FORM: Cost = answer(20_000, 20, 12).takes(600, 5_000);
/// Whether the server lives.
const SIGN: Cost = answer(1_000, 16, 10);

/// What an address of the web costs that is asked by somebody who is not logged in: a row for every one.
pub(super) const ROUTES: &[(&str, &str, Cost)] = &[
    ("GET", "/", MANY),
    ("GET", "/admin", GUARDED),
    ("GET", "/admin/audit", GUARDED),
    ("GET", "/admin/boards", GUARDED),
    ("GET", "/admin/boards/{game}/{number}", GUARDED),
    ("POST", "/admin/boards/{game}/{number}", GUARDED),
    ("GET", "/admin/broadcast", GUARDED),
    ("POST", "/admin/broadcast", GUARDED),
    ("GET", "/admin/do-not-mail", GUARDED),
    ("POST", "/admin/do-not-mail", GUARDED),
    ("GET", "/admin/inbox", GUARDED),
    ("GET", "/admin/inbox/{id}", GUARDED),
    ("POST", "/admin/inbox/{id}", GUARDED),
    ("GET", "/admin/jobs", GUARDED),
    ("GET", "/admin/outbox", GUARDED),
    ("GET", "/admin/outbox/{id}", GUARDED),
    ("POST", "/admin/outbox/{id}", GUARDED),
    ("GET", "/admin/users", GUARDED),
    ("GET", "/admin/users/{userid}", GUARDED),
    ("POST", "/admin/users/{userid}", GUARDED),
    ("GET", "/api/docs", LARGE),
    ("GET", "/api/openapi.json", LARGE),
    ("GET", "/api/v1/admin", GUARDED),
    ("GET", "/api/v1/admin/audit", GUARDED),
    ("GET", "/api/v1/admin/boards", GUARDED),
    ("GET", "/api/v1/admin/boards/{game}/{number}", GUARDED),
    ("POST", "/api/v1/admin/boards/{game}/{number}", GUARDED),
    ("POST", "/api/v1/admin/broadcasts", GUARDED),
    ("GET", "/api/v1/admin/do-not-mail", GUARDED),
    ("POST", "/api/v1/admin/do-not-mail", GUARDED),
    ("GET", "/api/v1/admin/inbox", GUARDED),
    ("GET", "/api/v1/admin/inbox/{id}", GUARDED),
    ("POST", "/api/v1/admin/inbox/{id}", GUARDED),
    ("GET", "/api/v1/admin/jobs", GUARDED),
    ("GET", "/api/v1/admin/outbox", GUARDED),
    ("GET", "/api/v1/admin/outbox/{id}", GUARDED),
    ("POST", "/api/v1/admin/outbox/{id}", GUARDED),
    ("GET", "/api/v1/admin/strangers", GUARDED),
    ("POST", "/api/v1/admin/strangers", GUARDED),
    ("GET", "/api/v1/admin/users", GUARDED),
    ("GET", "/api/v1/admin/users/{userid}", GUARDED),
    ("POST", "/api/v1/admin/users/{userid}", GUARDED),
    ("GET", "/api/v1/boards", MANY),
    ("GET", "/api/v1/boards/{game}/{number}", PAGE),
    ("GET", "/api/v1/boards/{game}/{number}/analysis", PAGE),
    ("GET", "/api/v1/boards/{game}/{number}/board.png", PAINTED),
    ("GET", "/api/v1/boards/{game}/{number}/board.svg", PAGE),
    ("GET", "/api/v1/boards/{game}/{number}/board.txt", PAGE),
    ("POST", "/api/v1/boards/{game}/{number}/chat", REFUSAL),
    ("GET", "/api/v1/boards/{game}/{number}/events", PAGE),
    ("GET", "/api/v1/boards/{game}/{number}/game.png", PAINTED),
    ("GET", "/api/v1/boards/{game}/{number}/hint", REFUSAL),
    ("GET", "/api/v1/boards/{game}/{number}/legal", PAGE),
    ("GET", "/api/v1/boards/{game}/{number}/moves", PAGE),
    ("POST", "/api/v1/boards/{game}/{number}/moves", REFUSAL),
    ("DELETE", "/api/v1/boards/{game}/{number}/note", REFUSAL),
    ("GET", "/api/v1/boards/{game}/{number}/note", REFUSAL),
    ("PUT", "/api/v1/boards/{game}/{number}/note", REFUSAL),
    ("GET", "/api/v1/boards/{game}/{number}/record", PAGE),
    ("GET", "/api/v1/boards/{game}/{number}/{file}", PAGE),
    ("GET", "/api/v1/bot/events", REFUSAL),
    ("GET", "/api/v1/games", PAGE),
    ("GET", "/api/v1/games/{game}", PAGE),
    ("GET", "/api/v1/puzzles/{game}", PAGE),
    ("GET", "/api/v1/standings/{game}", PAGE),
    ("GET", "/api/v1/tokens", REFUSAL),
    ("POST", "/api/v1/tokens", REFUSAL),
    ("DELETE", "/api/v1/tokens/{id}", REFUSAL),
    ("GET", "/api/v1/tournaments", PAGE),
    ("POST", "/api/v1/tournaments", REFUSAL),
    ("GET", "/api/v1/tournaments/{name}", PAGE),
    ("POST", "/api/v1/tournaments/{name}/challenge", REFUSAL),
    ("POST", "/api/v1/tournaments/{name}/direct", REFUSAL),
    ("DELETE", "/api/v1/tournaments/{name}/entry", REFUSAL),
    ("POST", "/api/v1/tournaments/{name}/entry", REFUSAL),
    ("GET", "/api/v1/tournaments/{name}/export.csv", PAGE),
    ("GET", "/api/v1/tournaments/{name}/export.trf", PAGE),
    ("GET", "/api/v1/tournaments/{name}/log", PAGE),
    ("GET", "/api/v1/users/{userid}", PAGE),
    ("GET", "/api/v1/users/{userid}/against/{other}", MANY),
    ("GET", "/api/v1/users/{userid}/deadlines.ics", PAGE),
    ("GET", "/api/v1/users/{userid}/events", REFUSAL),
    ("GET", "/api/v1/users/{userid}/turns.atom", PAGE),
    ("GET", "/api/v1/webhooks", REFUSAL),
    ("POST", "/api/v1/webhooks", REFUSAL),
    ("DELETE", "/api/v1/webhooks/{id}", REFUSAL),
    ("POST", "/api/v1/webhooks/{id}/secret", REFUSAL),
    ("POST", "/api/v1/webhooks/{id}/start", REFUSAL),
    ("POST", "/api/v1/webhooks/{id}/test", REFUSAL),
    ("GET", "/archive/{token}", REFUSAL),
    ("POST", "/archive/{token}", REFUSAL),
    ("GET", "/privacy", PAGE),
    ("GET", "/apple-touch-icon.png", PAGE),
    ("GET", "/assets/{name}", LARGE),
    ("GET", "/boards", REFUSAL),
    ("GET", "/boards/{game}/{number}", PAGE),
    ("GET", "/boards/{game}/{number}/analysis", PAGE),
    ("POST", "/boards/{game}/{number}", REFUSAL),
    ("GET", "/boards/{game}/{number}/explore", LINE),
    ("GET", "/challenge", REFUSAL),
    ("POST", "/challenge", REFUSAL),
    ("POST", "/commands", MANY),
    ("GET", "/confirm/{token}", PAGE),
    ("POST", "/confirm/{token}", FORM),
    ("GET", "/favicon.ico", PAGE),
    ("GET", "/figures/{name}", LARGE),
    ("GET", "/games", PAGE),
    ("GET", "/games/{game}", PAGE),
    ("POST", "/games/{game}", REFUSAL),
    ("GET", "/healthz", SIGN),
    ("GET", "/help", REFUSAL),
    ("GET", "/help/{topic}", PAGE),
    ("POST", "/inbound", GUARDED),
    ("GET", "/login", PAGE),
    ("GET", "/invite/{token}", PAGE),
    ("POST", "/invite/{token}", REFUSAL),
    ("GET", "/learn", PAGE),
    ("GET", "/learn/{game}", REFUSAL),
    ("GET", "/learn/{game}/{number}", LARGE),
    ("POST", "/login", FORM),
    ("POST", "/logout", FORM),
    ("GET", "/magic/{token}", PAGE),
    ("POST", "/magic/{token}", FORM),
    ("GET", "/mailbox", GUARDED),
    ("GET", "/mailbox/{name}", GUARDED),
    ("GET", "/mailbox/{name}/page", GUARDED),
    ("GET", "/mailbox/{name}/raw", GUARDED),
    ("GET", "/manifest.webmanifest", PAGE),
    ("GET", "/metrics", GUARDED),
    ("GET", "/not-me/{token}", PAGE),
    ("POST", "/not-me/{token}", FORM),
    ("GET", "/readyz", SIGN),
    ("GET", "/puzzles", LARGE),
    ("GET", "/puzzles/{game}", LARGE),
    ("GET", "/reset/{token}", PAGE),
    ("POST", "/reset/{token}", FORM),
    ("GET", "/robots.txt", PAGE),
    ("GET", "/service-worker.js", PAGE),
    ("GET", "/settings", REFUSAL),
    ("POST", "/settings", REFUSAL),
    ("POST", "/settings/confirm-again", REFUSAL),
    ("POST", "/settings/mail-again", REFUSAL),
    ("GET", "/signup", PAGE),
    ("POST", "/signup", FORM),
    ("GET", "/standings", PAGE),
    ("GET", "/standings/{game}", PAGE),
    ("POST", "/theme", FORM),
    ("GET", "/tournaments", PAGE),
    ("GET", "/tournaments/new", REFUSAL),
    ("POST", "/tournaments/new", REFUSAL),
    ("GET", "/tournaments/{name}", PAGE),
    ("POST", "/tournaments/{name}", REFUSAL),
    ("GET", "/try/{game}", LARGE),
    ("POST", "/try/{game}", REFUSAL),
    ("GET", "/unsubscribe/{token}", PAGE),
    ("POST", "/unsubscribe/{token}", FORM),
    ("GET", "/users", PAGE),
    ("GET", "/users/{userid}", MANY),
    ("GET", "/users/{userid}/knot.svg", answer(20_000, 8, 6)),
    ("POST", "/users/{userid}", REFUSAL),
];

/// What is asked of a board, by anybody: the list of its legal moves is made by trying them.
const OF_BOARD: Cost = answer(400_000, 22, 14).takes(400, 1_000);

/// What is asked of the largest boards of each game, by a visitor.
pub(super) const OF_LARGEST: &[(&str, Cost)] = &[
    ("", OF_BOARD),
    ("/analysis", OF_BOARD),
    ("/board.svg", OF_BOARD),
    ("/board.txt", OF_BOARD),
    ("/board.png", answer(400_000, 22, 14).takes(2_000, 1_000)),
    ("/game.png", answer(2 << 20, 22, 14).takes(10_000, 1_000)),
    ("/game.png?width=720", answer(2 << 20, 22, 14).takes(20_000, 1_000)),
    ("/legal", OF_BOARD),
    ("/moves", OF_BOARD),
    ("/record", OF_BOARD),
];

/// What a user gets with a key or a password that holds as many boards as there are told of.
pub(super) const OF_USER: &[(&str, Cost)] = &[
    ("/api/v1/users/ann/turns.atom", answer(200_000, 1_100, 1_250).takes(600, 1_000)),
    ("/api/v1/users/ann/deadlines.ics", answer(200_000, 1_100, 1_250).takes(600, 1_000)),
    ("/settings", answer(200_000, 800, 2_500).takes(1_000, 1_000)),
];
