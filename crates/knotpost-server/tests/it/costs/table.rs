//! What one request of somebody who proves nothing may cost at most, whatever it says.

use knotpost_commands::Verb::{self, *};

/// The most that one command may cost.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cost {
    /// Mails that leave because of it, to whomever.
    pub(super) mails: usize,
    /// Bytes of these mails.
    pub(super) mail_bytes: usize,
    /// Rows that are new or changed.
    pub(super) rows: usize,
    /// Bytes of the answer over HTTP.
    pub(super) answer_bytes: usize,
}

const fn cost(mails: usize, mail_bytes: usize, rows: usize, answer_bytes: usize) -> Cost {
    Cost { mails, mail_bytes, rows, answer_bytes }
}

/// A question: one answer to whoever asks. The rows: the mail that came, its mark, the answer, three budgets.
const QUESTION: Cost = cost(1, 42_000, 7, 60_000);
/// Boards, drawn.
const BOARDS: Cost = cost(1, 42_000, 7, 400_000);
/// What needs a password and has none that is right: the answer says so.
const REFUSED: Cost = cost(1, 42_000, 7, 60_000);

/// A row for every verb.
pub(super) const VERBS: &[(Verb, Cost)] = &[
    (Help, QUESTION),
    // An account, its addresses, and a mail to each of them.
    (Signup, cost(2, 20_000, 14, 20_000)),
    (Add, REFUSED),
    (ChangePassword, REFUSED),
    (ChangeAddress, REFUSED),
    (Signoff, REFUSED),
    (Delete, REFUSED),
    (List, QUESTION),
    (Message, REFUSED),
    (Broadcast, REFUSED),
    (Multiple, cost(1, 42_000, 7, 900_000)),
    (AllShow, BOARDS),
    (AllGames, QUESTION),
    // To whom the account belongs, and to whoever asks.
    (PasswordReset, cost(2, 20_000, 9, 20_000)),
    (Vacation, REFUSED),
    (Set, REFUSED),
    (TestDisplay, QUESTION),
    (Resend, REFUSED),
    (GameHelp, QUESTION),
    // A board with its seats, and a mail to each player.
    (Challenge, cost(8, 200_000, 60, 60_000)),
    (Move, REFUSED),
    (Queue, REFUSED),
    (Swap, REFUSED),
    (Resign, REFUSED),
    (Chat, REFUSED),
    (Submit, REFUSED),
    (Confirm, REFUSED),
    (Preview, QUESTION),
    (Accept, REFUSED),
    (Reject, REFUSED),
    (Limit, REFUSED),
    (Seek, REFUSED),
    (Subscribe, REFUSED),
    (Unsubscribe, REFUSED),
    (Notify, REFUSED),
    (GameSet, REFUSED),
    (Show, BOARDS),
    (ShowAs, REFUSED),
    (Games, QUESTION),
    (Standings, QUESTION),
    (History, QUESTION),
    (Export, QUESTION),
];

/// What is there for others only says so.
const GUARDED: usize = 10_000;
/// Whoever is not logged in is sent away.
const REFUSAL: usize = 10_000;

/// The most bytes that an address of the web answers to somebody who is not logged in: a row for every one.
pub(super) const ROUTES: &[(&str, &str, usize)] = &[
    ("GET", "/", 100_000),
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
    ("GET", "/api/docs", 400_000),
    ("GET", "/api/openapi.json", 400_000),
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
    ("GET", "/api/v1/boards", 400_000),
    ("GET", "/api/v1/boards/{game}/{number}", 100_000),
    ("GET", "/api/v1/boards/{game}/{number}/board.png", 100_000),
    ("GET", "/api/v1/boards/{game}/{number}/board.svg", 100_000),
    ("GET", "/api/v1/boards/{game}/{number}/board.txt", 100_000),
    ("GET", "/api/v1/boards/{game}/{number}/events", 100_000),
    ("GET", "/api/v1/boards/{game}/{number}/legal", 100_000),
    ("GET", "/api/v1/boards/{game}/{number}/moves", 100_000),
    ("POST", "/api/v1/boards/{game}/{number}/moves", REFUSAL),
    ("GET", "/api/v1/boards/{game}/{number}/record", 100_000),
    ("GET", "/api/v1/games", 100_000),
    ("GET", "/api/v1/games/{game}", 100_000),
    ("GET", "/api/v1/standings/{game}", 100_000),
    ("GET", "/api/v1/tokens", REFUSAL),
    ("POST", "/api/v1/tokens", REFUSAL),
    ("DELETE", "/api/v1/tokens/{id}", REFUSAL),
    ("GET", "/api/v1/users/{userid}", 100_000),
    ("GET", "/api/v1/users/{userid}/deadlines.ics", 100_000),
    ("GET", "/api/v1/users/{userid}/turns.atom", 100_000),
    ("GET", "/api/v1/webhooks", REFUSAL),
    ("POST", "/api/v1/webhooks", REFUSAL),
    ("DELETE", "/api/v1/webhooks/{id}", REFUSAL),
    ("POST", "/api/v1/webhooks/{id}/secret", REFUSAL),
    ("POST", "/api/v1/webhooks/{id}/start", REFUSAL),
    ("POST", "/api/v1/webhooks/{id}/test", REFUSAL),
    ("GET", "/assets/{name}", 400_000),
    ("GET", "/boards/{game}/{number}", 100_000),
    ("POST", "/boards/{game}/{number}", REFUSAL),
    ("GET", "/challenge", REFUSAL),
    ("POST", "/challenge", REFUSAL),
    ("POST", "/commands", 400_000),
    ("GET", "/confirm/{token}", 100_000),
    ("POST", "/confirm/{token}", 20_000),
    ("GET", "/figures/{name}", 400_000),
    ("GET", "/games/{game}", 100_000),
    ("GET", "/healthz", 1_000),
    ("GET", "/help/{topic}", 100_000),
    ("POST", "/inbound", GUARDED),
    ("GET", "/login", 100_000),
    ("POST", "/login", 20_000),
    ("POST", "/logout", 20_000),
    ("GET", "/magic/{token}", 100_000),
    ("POST", "/magic/{token}", 20_000),
    ("GET", "/mailbox", GUARDED),
    ("GET", "/mailbox/{name}", GUARDED),
    ("GET", "/mailbox/{name}/page", GUARDED),
    ("GET", "/mailbox/{name}/raw", GUARDED),
    ("GET", "/metrics", GUARDED),
    ("GET", "/not-me/{token}", 100_000),
    ("POST", "/not-me/{token}", 20_000),
    ("GET", "/readyz", 1_000),
    ("GET", "/reset/{token}", 100_000),
    ("POST", "/reset/{token}", 20_000),
    ("GET", "/settings", REFUSAL),
    ("POST", "/settings", REFUSAL),
    ("GET", "/signup", 100_000),
    ("POST", "/signup", 20_000),
    ("GET", "/standings/{game}", 100_000),
    ("GET", "/unsubscribe/{token}", 100_000),
    ("POST", "/unsubscribe/{token}", 20_000),
    ("GET", "/users/{userid}", 100_000),
];
