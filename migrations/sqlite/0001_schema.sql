-- Times are unix milliseconds; flags are 0 or 1. The same tables, columns and constraints exist in
-- migrations/postgres.

CREATE TABLE users (
    id                  INTEGER PRIMARY KEY,
    userid              TEXT    NOT NULL,        -- as signed up
    userid_key          TEXT    NOT NULL UNIQUE, -- lower case: userids ignore case
    password_hash       TEXT,                    -- PHC string; NULL: nobody can log in
    role                TEXT    NOT NULL,        -- player | admin
    state               TEXT    NOT NULL,        -- active | suspended | deleted
    created_at          INTEGER NOT NULL,
    broadcast_at        INTEGER,                 -- when they last wrote to everybody
    password_changed_at INTEGER                  -- mails sent before it name nobody any more
) STRICT;
CREATE INDEX administrators ON users (id) WHERE role = 'admin';
CREATE INDEX computer_players ON users (id) WHERE role = 'bot';

CREATE TABLE addresses (
    id           INTEGER PRIMARY KEY,
    user_id      INTEGER NOT NULL REFERENCES users (id),
    address      TEXT    NOT NULL,
    address_key  TEXT    NOT NULL, -- lower case
    verified_at  INTEGER,          -- NULL: nobody has proven to read it
    leaving      INTEGER NOT NULL, -- goes as soon as another one is proven
    created_at   INTEGER NOT NULL,
    stop_told_at INTEGER,          -- when the user was told elsewhere that it gets no mail
    UNIQUE (user_id, address_key)
) STRICT;
CREATE INDEX addresses_by_address ON addresses (address_key);

CREATE TABLE confirmations (
    address_key TEXT    PRIMARY KEY,
    sent_at     INTEGER NOT NULL
) STRICT;
CREATE INDEX confirmations_by_time ON confirmations (sent_at);

CREATE TABLE board_numbers (
    game TEXT    PRIMARY KEY,
    next INTEGER NOT NULL
) STRICT;

CREATE TABLE boards (
    id            INTEGER PRIMARY KEY,
    game          TEXT    NOT NULL,
    number        INTEGER NOT NULL,
    options       TEXT    NOT NULL, -- canonical, defaults left out
    rules_version INTEGER NOT NULL,
    seed          BLOB    NOT NULL,
    state         TEXT    NOT NULL, -- active | over | removed
    rated         INTEGER NOT NULL,
    ply           INTEGER NOT NULL, -- number of the last move
    position      TEXT    NOT NULL,
    scores        TEXT    NOT NULL,
    winners       TEXT,             -- seats, comma-separated; NULL while active
    reason        TEXT,             -- score | resign | forfeit ...; NULL while active
    started_at    INTEGER NOT NULL,
    last_move_at  INTEGER,
    ended_at      INTEGER,
    nag_ms        INTEGER,          -- limits of this board; NULL: the server's
    forfeit_ms    INTEGER,
    total_ms      INTEGER,
    due_at        INTEGER,          -- when the clock must look at it: for a reminder, or because time is up
    nagged_at     INTEGER,
    paused_at     INTEGER,          -- since when an administrator keeps it from going on
    UNIQUE (game, number)
) STRICT;
CREATE INDEX boards_by_state ON boards (game, state, number);
CREATE INDEX boards_by_end ON boards (game, ended_at) WHERE ended_at IS NOT NULL;
CREATE INDEX boards_in_state ON boards (state, id);
CREATE INDEX boards_due ON boards (due_at) WHERE due_at IS NOT NULL;

CREATE TABLE seats (
    board_id       INTEGER NOT NULL REFERENCES boards (id),
    seat           INTEGER NOT NULL,
    user_id        INTEGER NOT NULL REFERENCES users (id),
    state          TEXT    NOT NULL, -- playing | resigned | forfeited
    to_move        INTEGER NOT NULL,
    resign_pending INTEGER NOT NULL, -- resigned out of turn: happens on turn
    PRIMARY KEY (board_id, seat)
) STRICT, WITHOUT ROWID;
CREATE INDEX seats_by_user ON seats (user_id, board_id);

CREATE TABLE moves (
    board_id INTEGER NOT NULL REFERENCES boards (id),
    number   INTEGER NOT NULL, -- from 1; unique: a move is made once
    seat     INTEGER NOT NULL,
    kind     TEXT    NOT NULL, -- move | pass | swap | resign | forfeit
    text     TEXT    NOT NULL, -- canonical
    auto     INTEGER NOT NULL, -- made by the server
    at       INTEGER NOT NULL,
    PRIMARY KEY (board_id, number)
) STRICT, WITHOUT ROWID;

CREATE TABLE remarks (
    id       INTEGER PRIMARY KEY,
    board_id INTEGER NOT NULL REFERENCES boards (id),
    ply      INTEGER NOT NULL,
    user_id  INTEGER REFERENCES users (id), -- NULL: whoever sent the challenge
    kind     TEXT    NOT NULL,              -- comment | chat
    text     TEXT    NOT NULL,
    at       INTEGER NOT NULL
) STRICT;
CREATE INDEX remarks_by_board ON remarks (board_id, ply);

CREATE TABLE subscribers (
    board_id INTEGER NOT NULL REFERENCES boards (id),
    user_id  INTEGER NOT NULL REFERENCES users (id),
    PRIMARY KEY (board_id, user_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX subscribers_by_user ON subscribers (user_id);

CREATE TABLE inbox (
    id          INTEGER PRIMARY KEY,
    received_at INTEGER NOT NULL,
    way         TEXT    NOT NULL,           -- smtp | lmtp | pipe | maildir | http
    peer        TEXT,
    mail_from   TEXT,                       -- envelope sender; NULL: the null sender
    recipients  TEXT    NOT NULL,           -- one a line
    size        INTEGER NOT NULL,
    sender      TEXT,                       -- address in From
    message_id  TEXT,
    subject     TEXT,                       -- passwords masked
    text        TEXT,                       -- passwords masked
    raw         BLOB,                       -- sealed with the server's key; NULL once processed
    state       TEXT    NOT NULL,           -- new | done | failed
    reason      TEXT,                       -- named outcome
    attempts    INTEGER NOT NULL,
    due_at      INTEGER NOT NULL,           -- when a worker may take it (again)
    done_at     INTEGER,
    verdicts    TEXT,                       -- JSON: what SPF, DKIM and DMARC said; NULL: nobody looked
    host        TEXT,                       -- the connecting host it counts for, behind known relays
    turn        INTEGER NOT NULL DEFAULT 0, -- waiting mails are processed by turn, then as they came
    flow        TEXT,                       -- its sender, domain or host, with which it takes turns
    from_domain TEXT,                       -- lower case
    share       INTEGER NOT NULL DEFAULT 0  -- of the queue: 0 unproven, 1 proven, 2 a known sender's
) STRICT;
CREATE INDEX inbox_due ON inbox (due_at) WHERE state = 'new';
CREATE INDEX inbox_kept ON inbox (done_at) WHERE raw IS NOT NULL AND state <> 'new';
CREATE INDEX inbox_turn ON inbox (turn, id) WHERE state = 'new';
CREATE INDEX inbox_flow ON inbox (flow, turn) WHERE state = 'new';
CREATE INDEX inbox_share ON inbox (share, from_domain) WHERE state = 'new';

CREATE TABLE inbox_seen (
    dedupe_key TEXT    PRIMARY KEY, -- keyed digest of Message-ID, sender, Subject and text
    inbox_id   INTEGER NOT NULL,
    at         INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX inbox_seen_by_time ON inbox_seen (at);

CREATE TABLE answer_budget (
    address_key TEXT    PRIMARY KEY,
    hour        INTEGER NOT NULL,
    answers     INTEGER NOT NULL,
    bytes       INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;
CREATE INDEX answer_budget_by_hour ON answer_budget (hour);

CREATE TABLE outbox (
    id              INTEGER PRIMARY KEY,
    kind            TEXT    NOT NULL,
    recipient       TEXT    NOT NULL,
    user_id         INTEGER REFERENCES users (id),
    board_id        INTEGER REFERENCES boards (id),
    ply             INTEGER,
    facts           TEXT,                       -- JSON: what it says, of a board mail beside the board
    on_reply        TEXT,                       -- JSON: what a reply is about; NULL: the board of a board mail, or nothing
    message_id      TEXT    NOT NULL UNIQUE,
    date            INTEGER NOT NULL,
    state           TEXT    NOT NULL,           -- queued | sent | failed | dropped
    attempts        INTEGER NOT NULL,
    due_at          INTEGER NOT NULL,
    done_at         INTEGER,
    error           TEXT,
    webhook_id      INTEGER,                    -- an event for a webhook, whose row may be gone
    unsure_attempts INTEGER NOT NULL DEFAULT 0, -- attempts that may have delivered it
    tried_at        INTEGER
) STRICT;
CREATE INDEX outbox_by_board ON outbox (board_id) WHERE state = 'queued';
CREATE INDEX outbox_due ON outbox (due_at) WHERE state = 'queued' AND webhook_id IS NULL;
CREATE INDEX outbox_events_due ON outbox (due_at) WHERE state = 'queued' AND webhook_id IS NOT NULL;
CREATE INDEX outbox_by_webhook ON outbox (webhook_id, due_at) WHERE state = 'queued' AND webhook_id IS NOT NULL;
CREATE INDEX outbox_by_recipient ON outbox (recipient) WHERE state = 'queued' AND webhook_id IS NULL;

CREATE TABLE idempotency (
    key_digest     TEXT    PRIMARY KEY,
    request_digest TEXT    NOT NULL,
    status         INTEGER NOT NULL,
    content_type   TEXT    NOT NULL,
    body           TEXT    NOT NULL,
    at             INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX idempotency_by_time ON idempotency (at);

CREATE TABLE board_counts (
    game     TEXT    NOT NULL,
    shard    INTEGER NOT NULL, -- boards.id % 16
    active   INTEGER NOT NULL,
    finished INTEGER NOT NULL,
    PRIMARY KEY (game, shard)
) STRICT, WITHOUT ROWID;

CREATE TABLE preferences (
    user_id INTEGER NOT NULL REFERENCES users (id),
    game    TEXT    NOT NULL,
    name    TEXT    NOT NULL,
    value   TEXT    NOT NULL,
    PRIMARY KEY (user_id, game, name)
) STRICT;

CREATE TABLE user_games (
    user_id     INTEGER NOT NULL REFERENCES users (id),
    game        TEXT    NOT NULL,
    accepts     INTEGER NOT NULL, -- takes challenges
    board_limit INTEGER,          -- at most so many active boards
    subscribes  INTEGER NOT NULL, -- watches all boards, future ones too
    notifies    INTEGER NOT NULL, -- hears when any board ends
    PRIMARY KEY (user_id, game)
) STRICT;
CREATE INDEX user_games_subscribed ON user_games (game, user_id) WHERE subscribes;
CREATE INDEX user_games_notified ON user_games (game, user_id) WHERE notifies;

CREATE TABLE notifications (
    board_id INTEGER NOT NULL REFERENCES boards (id),
    user_id  INTEGER NOT NULL REFERENCES users (id),
    PRIMARY KEY (board_id, user_id)
) STRICT;
CREATE INDEX notifications_by_user ON notifications (user_id);

CREATE TABLE seeks (
    user_id    INTEGER NOT NULL REFERENCES users (id),
    game       TEXT    NOT NULL,
    wanted     INTEGER NOT NULL, -- so many more boards
    options    TEXT    NOT NULL, -- canonical, defaults left out
    rated      INTEGER NOT NULL,
    nag_ms     INTEGER,
    forfeit_ms INTEGER,
    total_ms   INTEGER,
    place      INTEGER NOT NULL, -- who has looked longest is paired first
    at         INTEGER NOT NULL,
    PRIMARY KEY (user_id, game)
) STRICT;
CREATE INDEX seeks_by_game ON seeks (game, place);

CREATE TABLE seek_orders (
    game TEXT    PRIMARY KEY,
    next INTEGER NOT NULL
) STRICT;

CREATE TABLE proposals (
    board_id INTEGER PRIMARY KEY REFERENCES boards (id),
    kind     TEXT    NOT NULL, -- draw | undo
    seat     INTEGER NOT NULL, -- who made it
    ply      INTEGER NOT NULL, -- of the board then: a further move makes it void
    accepted TEXT    NOT NULL, -- seats that agreed, comma-separated
    at       INTEGER NOT NULL
) STRICT;

CREATE TABLE queued_moves (
    board_id  INTEGER NOT NULL REFERENCES boards (id),
    seat      INTEGER NOT NULL,
    place     INTEGER NOT NULL, -- from 1
    condition TEXT,             -- the move of another seat it waits for, as typed
    text      TEXT    NOT NULL, -- as typed
    number    INTEGER,          -- which move of the board it is to be
    ply       INTEGER NOT NULL, -- of the board when it was queued
    at        INTEGER NOT NULL,
    PRIMARY KEY (board_id, seat, place)
) STRICT;

CREATE TABLE submissions (
    board_id INTEGER NOT NULL REFERENCES boards (id),
    seat     INTEGER NOT NULL,
    ply      INTEGER NOT NULL, -- of the board it was made for
    text     TEXT    NOT NULL, -- as typed
    comment  TEXT    NOT NULL,
    at       INTEGER NOT NULL,
    PRIMARY KEY (board_id, seat)
) STRICT;

CREATE TABLE vacations (
    user_id  INTEGER NOT NULL REFERENCES users (id),
    from_at  INTEGER NOT NULL,
    until_at INTEGER NOT NULL,
    PRIMARY KEY (user_id, from_at)
) STRICT;

CREATE TABLE outages (
    from_at  INTEGER PRIMARY KEY,
    until_at INTEGER NOT NULL
) STRICT;

CREATE TABLE board_pauses (
    board_id INTEGER NOT NULL REFERENCES boards (id),
    from_at  INTEGER NOT NULL,
    until_at INTEGER NOT NULL,
    PRIMARY KEY (board_id, from_at)
) STRICT;

CREATE TABLE duties (
    name     TEXT    PRIMARY KEY,
    holder   TEXT    NOT NULL,
    until_at INTEGER NOT NULL,
    alive_at INTEGER NOT NULL -- when it was last done
) STRICT;

CREATE TABLE ratings (
    user_id    INTEGER NOT NULL REFERENCES users (id),
    game       TEXT    NOT NULL,
    rating     REAL    NOT NULL,
    value_sum  REAL    NOT NULL, -- of the values of their games while provisional
    games      INTEGER NOT NULL, -- rated ones
    won        INTEGER NOT NULL,
    lost       INTEGER NOT NULL,
    tied       INTEGER NOT NULL,
    glicko     REAL    NOT NULL,
    deviation  REAL    NOT NULL,
    volatility REAL    NOT NULL,
    active     INTEGER NOT NULL, -- as far as rating_orders has heard
    ended_at   INTEGER NOT NULL, -- when their last board ended, rated or not
    PRIMARY KEY (user_id, game)
) STRICT;
CREATE INDEX ratings_by_end ON ratings (game, ended_at) WHERE active AND games >= 20;
CREATE INDEX ratings_by_rank ON ratings (game, active, rating DESC, user_id, ended_at);
CREATE INDEX ratings_established ON ratings (game, active, rating DESC, user_id, ended_at)
    WHERE active = TRUE AND games >= 20;
CREATE INDEX ratings_provisional ON ratings (game, active, rating DESC, user_id, ended_at)
    WHERE active = TRUE AND games < 20;

CREATE TABLE rating_changes (
    board_id INTEGER NOT NULL REFERENCES boards (id),
    user_id  INTEGER NOT NULL REFERENCES users (id),
    game     TEXT    NOT NULL,
    place    INTEGER NOT NULL, -- in the order in which the game's boards were rated
    before   REAL    NOT NULL,
    after    REAL    NOT NULL,
    active   INTEGER NOT NULL, -- whether they count as active after it
    at       INTEGER NOT NULL,
    PRIMARY KEY (board_id, user_id)
) STRICT;
CREATE INDEX rating_changes_by_place ON rating_changes (game, place);
CREATE INDEX rating_changes_by_user ON rating_changes (user_id, game, at);

CREATE TABLE rating_activity (
    game    TEXT    NOT NULL,
    place   INTEGER NOT NULL,
    user_id INTEGER NOT NULL REFERENCES users (id),
    active  INTEGER NOT NULL,
    at      INTEGER NOT NULL,
    PRIMARY KEY (game, place, user_id)
) STRICT;

CREATE TABLE rating_orders (
    game    TEXT    PRIMARY KEY,
    next    INTEGER NOT NULL,
    players INTEGER NOT NULL,
    sum     INTEGER NOT NULL
) STRICT;

CREATE TABLE digest_boards (
    user_id  INTEGER NOT NULL REFERENCES users (id),
    board_id INTEGER NOT NULL REFERENCES boards (id),
    since    INTEGER NOT NULL, -- what was said from then on goes along
    PRIMARY KEY (user_id, board_id)
) STRICT;

CREATE TABLE digests (
    user_id INTEGER PRIMARY KEY REFERENCES users (id),
    due_at  INTEGER NOT NULL
) STRICT;
CREATE INDEX digests_due ON digests (due_at);

CREATE TABLE imports (
    board_id INTEGER PRIMARY KEY REFERENCES boards (id),
    digest   TEXT    NOT NULL UNIQUE, -- of the record: the same one is not taken twice
    tags     TEXT    NOT NULL,        -- tags that mean nothing here, as JSON, to be written again
    at       INTEGER NOT NULL
) STRICT;

CREATE TABLE broadcasts (
    id         INTEGER PRIMARY KEY,
    user_id    INTEGER NOT NULL REFERENCES users (id),
    text       TEXT    NOT NULL,
    at         INTEGER NOT NULL,
    after_user INTEGER NOT NULL, -- users up to this key have it
    done_at    INTEGER
) STRICT;
CREATE INDEX broadcasts_waiting ON broadcasts (id) WHERE done_at IS NULL;

CREATE TABLE held_answers (
    id       INTEGER PRIMARY KEY,
    user_id  INTEGER NOT NULL REFERENCES users (id),
    board_id INTEGER NOT NULL REFERENCES boards (id),
    sight    TEXT    NOT NULL, -- JSON: what the sender had before them
    words    BLOB    NOT NULL, -- what they wrote, sealed
    until_at INTEGER NOT NULL
) STRICT;
CREATE INDEX held_answers_by_time ON held_answers (until_at);

CREATE TABLE bounces (
    outbox_id   INTEGER NOT NULL, -- the mail; its row may be gone
    kind        TEXT    NOT NULL, -- hard | soft
    address_key TEXT    NOT NULL, -- to whom it went, lower case
    status      TEXT    NOT NULL, -- enhanced status code; empty: none was told
    said        TEXT    NOT NULL, -- what the other side said, one line
    at          INTEGER NOT NULL,
    PRIMARY KEY (outbox_id, kind)
) STRICT, WITHOUT ROWID;
CREATE INDEX bounces_by_address ON bounces (address_key, at);
CREATE INDEX bounces_by_time ON bounces (at);

CREATE TABLE failing_addresses (
    address_key TEXT    PRIMARY KEY,
    last_at     INTEGER NOT NULL, -- when something came back last
    stopped_at  INTEGER,          -- NULL: mail still goes there
    why         TEXT              -- what was said last before the stop
) STRICT, WITHOUT ROWID;
CREATE INDEX failing_addresses_by_time ON failing_addresses (last_at);

CREATE TABLE web_sessions (
    digest        TEXT    PRIMARY KEY, -- of the token
    user_id       INTEGER NOT NULL REFERENCES users (id),
    password_mark TEXT    NOT NULL,    -- of the password hash then: another password ends it
    user_agent    TEXT    NOT NULL,    -- what the browser calls itself, shortened
    created_at    INTEGER NOT NULL,
    seen_at       INTEGER NOT NULL,
    expires_at    INTEGER NOT NULL,    -- even if it is used every day
    password_at   INTEGER              -- when it was last given; NULL: the session began with a link
) STRICT;
CREATE INDEX web_sessions_by_user ON web_sessions (user_id);
CREATE INDEX web_sessions_by_use ON web_sessions (seen_at);

CREATE TABLE magic_links (
    user_id INTEGER PRIMARY KEY REFERENCES users (id),
    at      INTEGER NOT NULL
) STRICT;
CREATE INDEX magic_links_by_age ON magic_links (at);

CREATE TABLE server_facts (
    name  TEXT PRIMARY KEY, -- key: fingerprint of the secret key
    value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE audit (
    id           INTEGER PRIMARY KEY,
    at           INTEGER NOT NULL,
    door         TEXT    NOT NULL, -- shell | web | api
    actor        TEXT    NOT NULL, -- the userid; of the shell, the user of the machine
    actor_key    TEXT    NOT NULL, -- the same in lower case
    deed         TEXT    NOT NULL, -- board.pause, user.grant, ...
    subject      TEXT    NOT NULL, -- ann, osbox 101, inbox 17
    subject_user TEXT,             -- the userid it was about, lower case
    outcome      TEXT    NOT NULL, -- done | the code of a refusal
    detail       TEXT    NOT NULL  -- a few words, never a secret
) STRICT;
CREATE INDEX audit_by_actor ON audit (actor_key, id);
CREATE INDEX audit_by_user ON audit (subject_user, id) WHERE subject_user IS NOT NULL;

CREATE TABLE api_tokens (
    id            INTEGER PRIMARY KEY,
    digest        TEXT    NOT NULL UNIQUE, -- of the token
    user_id       INTEGER NOT NULL REFERENCES users (id),
    name          TEXT    NOT NULL,        -- what its owner calls it
    scopes        TEXT    NOT NULL,        -- read, play, admin, comma-separated
    password_mark TEXT    NOT NULL,        -- of the password hash then: another password ends it
    created_at    INTEGER NOT NULL,
    used_at       INTEGER,                 -- to the hour
    expires_at    INTEGER NOT NULL
) STRICT;
CREATE INDEX api_tokens_by_user ON api_tokens (user_id);
CREATE INDEX api_tokens_by_end ON api_tokens (expires_at);

CREATE TABLE webhooks (
    id            INTEGER PRIMARY KEY,
    user_id       INTEGER NOT NULL REFERENCES users (id),
    url           TEXT    NOT NULL,                  -- as its owner wrote it
    events        TEXT    NOT NULL,                  -- turn, move, chat, proposal, over, comma-separated
    secret        BLOB    NOT NULL,                  -- sealed: what its events are signed with
    created_at    INTEGER NOT NULL,
    sent_at       INTEGER,                           -- when it last took an event
    failures      INTEGER NOT NULL,                  -- attempts that failed since
    failing_since INTEGER,                           -- when the first of them was
    stopped_at    INTEGER,                           -- since when it is told nothing
    error         TEXT,                              -- why the last attempt failed
    form          TEXT    NOT NULL DEFAULT 'signed', -- signed | discord | slack | ntfy | matrix | push
    label         TEXT,                              -- the browser, of form push
    session       TEXT                               -- its digest, of form push
) STRICT;
CREATE INDEX webhooks_by_user ON webhooks (user_id);
CREATE INDEX webhooks_of_browsers ON webhooks (url) WHERE form = 'push';
CREATE INDEX webhooks_of_sessions ON webhooks (session) WHERE session IS NOT NULL;

CREATE TABLE feed_keys (
    user_id INTEGER PRIMARY KEY REFERENCES users (id),
    salt    TEXT    NOT NULL, -- random; another one makes another address
    at      INTEGER NOT NULL  -- when it was made
) STRICT;

CREATE TABLE boards_in_play (
    user_id  INTEGER NOT NULL REFERENCES users (id),
    game     TEXT    NOT NULL,
    board_id INTEGER NOT NULL REFERENCES boards (id),
    PRIMARY KEY (user_id, game, board_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE do_not_mail (
    target TEXT    PRIMARY KEY,
    reason TEXT    NOT NULL,
    at     INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE login_hosts (
    user_id INTEGER NOT NULL REFERENCES users (id),
    host    TEXT    NOT NULL,
    seen_at INTEGER NOT NULL, -- to the day
    PRIMARY KEY (user_id, host)
) STRICT, WITHOUT ROWID;
CREATE INDEX login_hosts_by_time ON login_hosts (seen_at);

CREATE TABLE password_warnings (
    user_id INTEGER PRIMARY KEY REFERENCES users (id),
    at      INTEGER NOT NULL
) STRICT;

CREATE TABLE stranger_challenges (
    user_id    INTEGER PRIMARY KEY REFERENCES users (id),
    day        INTEGER NOT NULL, -- days since 1970
    challenges INTEGER NOT NULL
) STRICT;

CREATE TABLE confirmation_mails (
    id          INTEGER PRIMARY KEY,
    address_key TEXT    NOT NULL,
    sent_at     INTEGER NOT NULL,
    user_id     INTEGER NOT NULL REFERENCES users (id),
    aligned     INTEGER NOT NULL -- the address itself had asked, by a mail its domain vouches for
) STRICT;
CREATE INDEX confirmation_mails_by_address ON confirmation_mails (address_key, sent_at);
CREATE INDEX confirmation_mails_by_time ON confirmation_mails (sent_at);
CREATE INDEX confirmation_mails_by_user ON confirmation_mails (user_id);

CREATE TABLE address_changes (
    id        INTEGER PRIMARY KEY,
    user_id   INTEGER NOT NULL REFERENCES users (id),
    at        INTEGER NOT NULL,
    addresses TEXT    NOT NULL, -- the proven ones before it, one a line
    undone_at INTEGER
) STRICT;
CREATE INDEX address_changes_by_user ON address_changes (user_id, at);
CREATE INDEX address_changes_by_time ON address_changes (at);

CREATE TABLE password_resets (
    user_id     INTEGER NOT NULL REFERENCES users (id),
    at          INTEGER NOT NULL,
    code_digest TEXT    NOT NULL,
    tries       INTEGER NOT NULL,
    PRIMARY KEY (user_id, at)
) STRICT;

CREATE TABLE board_origins (
    board_id   INTEGER PRIMARY KEY REFERENCES boards (id),
    sought     INTEGER NOT NULL,              -- all its players looked for these terms
    rematch_of INTEGER REFERENCES boards (id) -- the board of which it is another game
) STRICT;
CREATE INDEX board_origins_by_rematch ON board_origins (rematch_of) WHERE rematch_of IS NOT NULL;

CREATE TABLE bot_leases (
    board_id INTEGER PRIMARY KEY REFERENCES boards (id),
    until_at INTEGER NOT NULL
) STRICT;

CREATE TABLE passkeys (
    id         INTEGER PRIMARY KEY,
    user_id    INTEGER NOT NULL REFERENCES users (id),
    credential TEXT    NOT NULL UNIQUE, -- its id, base64url
    algorithm  INTEGER NOT NULL,        -- as COSE numbers them: -7 ES256, -8 EdDSA
    public_key TEXT    NOT NULL,        -- base64url: an uncompressed point of P-256, or 32 bytes of Ed25519
    counter    INTEGER NOT NULL,        -- of signatures, as it was shown last; 0 where it does not count
    name       TEXT    NOT NULL,        -- what its owner calls it
    created_at INTEGER NOT NULL,
    used_at    INTEGER
) STRICT;
CREATE INDEX passkeys_by_user ON passkeys (user_id);

CREATE TABLE passkey_challenges (
    nonce      TEXT    NOT NULL PRIMARY KEY,
    expires_at INTEGER NOT NULL
) STRICT;
CREATE INDEX passkey_challenges_by_end ON passkey_challenges (expires_at);

CREATE TABLE puzzle_mails (
    user_id INTEGER PRIMARY KEY REFERENCES users (id),
    due_at  INTEGER NOT NULL
) STRICT;
CREATE INDEX puzzle_mails_due ON puzzle_mails (due_at, user_id);

CREATE TABLE board_notes (
    user_id  INTEGER NOT NULL REFERENCES users (id),
    board_id INTEGER NOT NULL REFERENCES boards (id),
    text     TEXT    NOT NULL,
    at       INTEGER NOT NULL,
    PRIMARY KEY (user_id, board_id)
) STRICT;
CREATE INDEX board_notes_by_board ON board_notes (board_id);

CREATE TABLE invitations (
    id         INTEGER PRIMARY KEY,
    user_id    INTEGER NOT NULL REFERENCES users (id),
    game       TEXT    NOT NULL,
    options    TEXT    NOT NULL, -- canonical
    rated      INTEGER NOT NULL,
    begins     INTEGER NOT NULL, -- whether the maker has the first seat
    created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL
) STRICT;
CREATE INDEX invitations_by_user ON invitations (user_id);
CREATE INDEX invitations_by_end ON invitations (expires_at);

CREATE TABLE servers (
    name       TEXT    PRIMARY KEY,
    host       TEXT    NOT NULL, -- the name of its machine
    version    TEXT    NOT NULL,
    started_at INTEGER NOT NULL,
    alive_at   INTEGER NOT NULL,
    errors     INTEGER NOT NULL, -- lines of level ERROR in its log, of the last 24 hours
    error      TEXT,             -- the latest of them
    error_at   INTEGER
) STRICT;

CREATE TABLE refused_offers (
    board_id INTEGER NOT NULL REFERENCES boards (id),
    user_id  INTEGER NOT NULL REFERENCES users (id), -- who made it
    kind     TEXT    NOT NULL,                       -- draw | undo | substitute
    ply      INTEGER NOT NULL,                       -- of the board then
    PRIMARY KEY (board_id, user_id, kind)
) STRICT;

CREATE TABLE bot_shares (
    user_id    INTEGER PRIMARY KEY,
    served_at  INTEGER NOT NULL,
    used_until INTEGER NOT NULL
) STRICT;

CREATE TRIGGER boards_counted_in AFTER INSERT ON boards BEGIN
    INSERT INTO board_counts (game, shard, active, finished)
        VALUES (NEW.game, NEW.id % 16, NEW.state = 'active', NEW.state = 'over')
        ON CONFLICT (game, shard) DO UPDATE
        SET active = active + excluded.active, finished = finished + excluded.finished;
END;

CREATE TRIGGER boards_counted_on AFTER UPDATE OF state ON boards WHEN OLD.state <> NEW.state BEGIN
    UPDATE board_counts
        SET active = active - (OLD.state = 'active') + (NEW.state = 'active'),
            finished = finished - (OLD.state = 'over') + (NEW.state = 'over')
        WHERE game = NEW.game AND shard = NEW.id % 16;
END;

CREATE TRIGGER seats_in_play AFTER INSERT ON seats BEGIN
    INSERT OR IGNORE INTO boards_in_play (user_id, game, board_id)
        SELECT NEW.user_id, b.game, b.id FROM boards b WHERE b.id = NEW.board_id AND b.state = 'active';
END;

CREATE TRIGGER seats_out_of_play AFTER DELETE ON seats BEGIN
    DELETE FROM boards_in_play
        WHERE user_id = OLD.user_id AND board_id = OLD.board_id
        AND game = (SELECT game FROM boards WHERE id = OLD.board_id)
        AND NOT EXISTS (SELECT 1 FROM seats WHERE board_id = OLD.board_id AND user_id = OLD.user_id);
END;

CREATE TRIGGER seats_passed_on AFTER UPDATE OF user_id ON seats WHEN OLD.user_id <> NEW.user_id BEGIN
    DELETE FROM boards_in_play
        WHERE user_id = OLD.user_id AND board_id = OLD.board_id
        AND game = (SELECT game FROM boards WHERE id = OLD.board_id)
        AND NOT EXISTS (SELECT 1 FROM seats WHERE board_id = OLD.board_id AND user_id = OLD.user_id);
    INSERT OR IGNORE INTO boards_in_play (user_id, game, board_id)
        SELECT NEW.user_id, b.game, b.id FROM boards b WHERE b.id = NEW.board_id AND b.state = 'active';
END;

CREATE TRIGGER boards_out_of_play AFTER UPDATE OF state ON boards WHEN OLD.state <> NEW.state BEGIN
    DELETE FROM boards_in_play
        WHERE NEW.state <> 'active' AND board_id = NEW.id AND game = NEW.game
        AND user_id IN (SELECT user_id FROM seats WHERE board_id = NEW.id);
    INSERT OR IGNORE INTO boards_in_play (user_id, game, board_id)
        SELECT user_id, NEW.game, NEW.id FROM seats WHERE board_id = NEW.id AND NEW.state = 'active';
END;
