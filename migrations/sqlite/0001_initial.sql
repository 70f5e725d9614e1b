-- Times are unix milliseconds; flags are 0 or 1. The same tables, columns and
-- constraints exist in migrations/postgres.

CREATE TABLE users (
    id            INTEGER PRIMARY KEY,
    userid        TEXT    NOT NULL,            -- as signed up
    userid_key    TEXT    NOT NULL UNIQUE,     -- lower case: userids ignore case
    password_hash TEXT,                        -- PHC string; NULL: nobody can log in
    role          TEXT    NOT NULL,            -- player | admin
    state         TEXT    NOT NULL,            -- active | suspended | deleted
    created_at    INTEGER NOT NULL
) STRICT;

CREATE TABLE addresses (
    id          INTEGER PRIMARY KEY,
    user_id     INTEGER NOT NULL REFERENCES users (id),
    address     TEXT    NOT NULL,
    address_key TEXT    NOT NULL,              -- lower case
    verified_at INTEGER,                       -- NULL: nobody has proven to read it
    leaving     INTEGER NOT NULL,             -- goes as soon as another one is proven
    created_at  INTEGER NOT NULL,
    UNIQUE (user_id, address_key)
) STRICT;
CREATE INDEX addresses_by_address ON addresses (address_key);

-- When an address that nobody has proven was last asked to confirm itself.
CREATE TABLE confirmations (
    address_key TEXT    PRIMARY KEY,
    sent_at     INTEGER NOT NULL
) STRICT;

-- Next free number of each game's boards.
CREATE TABLE board_numbers (
    game TEXT    PRIMARY KEY,
    next INTEGER NOT NULL
) STRICT;

CREATE TABLE boards (
    id            INTEGER PRIMARY KEY,
    game          TEXT    NOT NULL,
    number        INTEGER NOT NULL,
    options       TEXT    NOT NULL,            -- canonical, defaults left out
    rules_version INTEGER NOT NULL,
    seed          BLOB    NOT NULL,
    state         TEXT    NOT NULL,            -- active | over | removed
    rated         INTEGER NOT NULL,
    ply           INTEGER NOT NULL,            -- number of the last move
    position      TEXT    NOT NULL,
    scores        TEXT    NOT NULL,
    winners       TEXT,                        -- seats, comma-separated; NULL while active
    reason        TEXT,                        -- score | resign | forfeit ...; NULL while active
    started_at    INTEGER NOT NULL,
    last_move_at  INTEGER,
    ended_at      INTEGER,
    nag_ms        INTEGER,                     -- limits of this board; NULL: the server's
    forfeit_ms    INTEGER,
    total_ms      INTEGER,
    UNIQUE (game, number)
) STRICT;
CREATE INDEX boards_by_state ON boards (game, state, number);
CREATE INDEX boards_by_end ON boards (game, ended_at) WHERE ended_at IS NOT NULL;

CREATE TABLE seats (
    board_id       INTEGER NOT NULL REFERENCES boards (id),
    seat           INTEGER NOT NULL,
    user_id        INTEGER NOT NULL REFERENCES users (id),
    state          TEXT    NOT NULL,           -- playing | resigned | forfeited
    to_move        INTEGER NOT NULL,
    resign_pending INTEGER NOT NULL,           -- resigned out of turn: happens on turn
    PRIMARY KEY (board_id, seat)
) STRICT, WITHOUT ROWID;
CREATE INDEX seats_by_user ON seats (user_id, board_id);
CREATE INDEX seats_to_move ON seats (user_id, board_id) WHERE to_move = 1;

-- With the options, the seed and the rules version these are the whole truth of a board.
CREATE TABLE moves (
    board_id INTEGER NOT NULL REFERENCES boards (id),
    number   INTEGER NOT NULL,                 -- from 1; unique: a move is made once
    seat     INTEGER NOT NULL,
    kind     TEXT    NOT NULL,                 -- move | pass | swap | resign | forfeit
    text     TEXT    NOT NULL,                 -- canonical
    auto     INTEGER NOT NULL,                 -- made by the server
    at       INTEGER NOT NULL,
    PRIMARY KEY (board_id, number)
) STRICT, WITHOUT ROWID;

-- What people said: with a move, with the challenge (ply 0), or as chat.
CREATE TABLE remarks (
    id       INTEGER PRIMARY KEY,
    board_id INTEGER NOT NULL REFERENCES boards (id),
    ply      INTEGER NOT NULL,
    user_id  INTEGER REFERENCES users (id),   -- NULL: whoever sent the challenge
    kind     TEXT    NOT NULL,                 -- comment | chat
    text     TEXT    NOT NULL,
    at       INTEGER NOT NULL
) STRICT;
CREATE INDEX remarks_by_board ON remarks (board_id, ply);

CREATE TABLE subscribers (
    board_id INTEGER NOT NULL REFERENCES boards (id),
    user_id  INTEGER NOT NULL REFERENCES users (id),
    PRIMARY KEY (board_id, user_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE inbox (
    id          INTEGER PRIMARY KEY,
    received_at INTEGER NOT NULL,
    way         TEXT    NOT NULL,              -- smtp | lmtp | pipe | maildir | http
    peer        TEXT,
    mail_from   TEXT,                          -- envelope sender; NULL: the null sender
    recipients  TEXT    NOT NULL,              -- one a line
    size        INTEGER NOT NULL,
    sender      TEXT,                          -- address in From
    message_id  TEXT,
    subject     TEXT,                          -- passwords masked
    text        TEXT,                          -- passwords masked
    raw         BLOB,                          -- sealed with the server's key; NULL once processed
    state       TEXT    NOT NULL,              -- new | done | failed
    reason      TEXT,                          -- named outcome
    attempts    INTEGER NOT NULL,
    due_at      INTEGER NOT NULL,              -- when a worker may take it (again)
    done_at     INTEGER
) STRICT;
CREATE INDEX inbox_due ON inbox (due_at) WHERE state = 'new';

-- Mails that were acted on: the guard of exactly-once.
CREATE TABLE inbox_seen (
    dedupe_key TEXT    PRIMARY KEY,            -- keyed digest of Message-ID and sender
    inbox_id   INTEGER NOT NULL,
    at         INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX inbox_seen_by_time ON inbox_seen (at);

-- Error answers sent to one address in one hour.
CREATE TABLE answer_budget (
    address_key TEXT    PRIMARY KEY,
    hour        INTEGER NOT NULL,
    answers     INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE outbox (
    id         INTEGER PRIMARY KEY,
    kind       TEXT    NOT NULL,
    recipient  TEXT    NOT NULL,
    user_id    INTEGER REFERENCES users (id),
    board_id   INTEGER REFERENCES boards (id),
    ply        INTEGER,
    facts      TEXT,                           -- JSON: what a board mail shows beside the board
    rendered   BLOB,                           -- the message; NULL: rendered from the facts when sent
    message_id TEXT    NOT NULL UNIQUE,
    date       INTEGER NOT NULL,
    state      TEXT    NOT NULL,               -- queued | sent | failed | dropped
    attempts   INTEGER NOT NULL,
    due_at     INTEGER NOT NULL,
    done_at    INTEGER,
    error      TEXT
) STRICT;
CREATE INDEX outbox_due ON outbox (due_at) WHERE state = 'queued';
CREATE INDEX outbox_by_board ON outbox (board_id) WHERE state = 'queued';

-- Answers to requests that carried an Idempotency-Key.
CREATE TABLE idempotency (
    key_digest     TEXT    PRIMARY KEY,
    request_digest TEXT    NOT NULL,
    status         INTEGER NOT NULL,
    content_type   TEXT    NOT NULL,
    body           TEXT    NOT NULL,
    at             INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX idempotency_by_time ON idempotency (at);
