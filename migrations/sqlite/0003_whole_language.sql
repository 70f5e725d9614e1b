-- What a user wants otherwise than the default. Game '' stands for all games.
CREATE TABLE preferences (
    user_id INTEGER NOT NULL REFERENCES users (id),
    game    TEXT    NOT NULL,
    name    TEXT    NOT NULL,
    value   TEXT    NOT NULL,
    PRIMARY KEY (user_id, game, name)
) STRICT;

-- How a user stands to a game; without a row he takes challenges without limit and watches nothing.
CREATE TABLE user_games (
    user_id     INTEGER NOT NULL REFERENCES users (id),
    game        TEXT    NOT NULL,
    accepts     INTEGER NOT NULL,              -- takes challenges
    board_limit INTEGER,                     -- at most so many active boards
    subscribes  INTEGER NOT NULL,              -- watches all boards, future ones too
    notifies    INTEGER NOT NULL,              -- hears when any board ends
    PRIMARY KEY (user_id, game)
) STRICT;
CREATE INDEX user_games_subscribed ON user_games (game, user_id) WHERE subscribes;
CREATE INDEX user_games_notified ON user_games (game, user_id) WHERE notifies;

-- Who hears when this board ends.
CREATE TABLE notifications (
    board_id INTEGER NOT NULL REFERENCES boards (id),
    user_id  INTEGER NOT NULL REFERENCES users (id),
    PRIMARY KEY (board_id, user_id)
) STRICT;
CREATE INDEX notifications_by_user ON notifications (user_id);

-- Which boards a user watches.
CREATE INDEX subscribers_by_user ON subscribers (user_id);

-- Who looks for opponents.
CREATE TABLE seeks (
    user_id    INTEGER NOT NULL REFERENCES users (id),
    game       TEXT    NOT NULL,
    wanted     INTEGER NOT NULL,             -- so many more boards
    options    TEXT    NOT NULL,             -- canonical, defaults left out
    rated      INTEGER NOT NULL,
    nag_ms     INTEGER,
    forfeit_ms INTEGER,
    total_ms   INTEGER,
    place      INTEGER NOT NULL,             -- who has looked longest is paired first
    at         INTEGER NOT NULL,
    PRIMARY KEY (user_id, game)
) STRICT;
CREATE INDEX seeks_by_game ON seeks (game, place);

-- Seeks of a game come one after the other, so that two at once pair only once.
CREATE TABLE seek_orders (
    game TEXT    PRIMARY KEY,
    next INTEGER NOT NULL
) STRICT;

-- An offer that the other players must agree to.
CREATE TABLE proposals (
    board_id INTEGER PRIMARY KEY REFERENCES boards (id),
    kind     TEXT    NOT NULL,               -- draw | undo
    seat     INTEGER NOT NULL,               -- who made it
    ply      INTEGER NOT NULL,               -- of the board then: a further move makes it void
    accepted TEXT    NOT NULL,               -- seats that agreed, comma-separated
    at       INTEGER NOT NULL
) STRICT;

-- Moves to be played as soon as it is the seat's turn.
CREATE TABLE queued_moves (
    board_id  INTEGER NOT NULL REFERENCES boards (id),
    seat      INTEGER NOT NULL,
    place     INTEGER NOT NULL,              -- from 1
    condition TEXT,                          -- the move of another seat it waits for, as typed
    text      TEXT    NOT NULL,              -- as typed
    number    INTEGER,                       -- which move of the board it is to be
    ply       INTEGER NOT NULL,              -- of the board when it was queued
    at        INTEGER NOT NULL,
    PRIMARY KEY (board_id, seat, place)
) STRICT;

-- First halves of two-step moves.
CREATE TABLE submissions (
    board_id INTEGER NOT NULL REFERENCES boards (id),
    seat     INTEGER NOT NULL,
    ply      INTEGER NOT NULL,               -- of the board it was made for
    text     TEXT    NOT NULL,               -- as typed
    comment  TEXT    NOT NULL,
    at       INTEGER NOT NULL,
    PRIMARY KEY (board_id, seat)
) STRICT;

-- Time off. A vacation that was ended early ends then.
CREATE TABLE vacations (
    user_id  INTEGER NOT NULL REFERENCES users (id),
    from_at  INTEGER NOT NULL,
    until_at INTEGER NOT NULL,
    PRIMARY KEY (user_id, from_at)
) STRICT;

-- When no server was running: time that is counted for nobody.
CREATE TABLE outages (
    from_at  INTEGER PRIMARY KEY,
    until_at INTEGER NOT NULL
) STRICT;

-- Time on one board that is counted for nobody: what went by before a move that was taken back.
CREATE TABLE board_pauses (
    board_id INTEGER NOT NULL REFERENCES boards (id),
    from_at  INTEGER NOT NULL,
    until_at INTEGER NOT NULL,
    PRIMARY KEY (board_id, from_at)
) STRICT;

-- Work that one process does for all. Who holds it does it until then.
CREATE TABLE duties (
    name     TEXT    PRIMARY KEY,
    holder   TEXT    NOT NULL,
    until_at INTEGER NOT NULL,
    alive_at INTEGER NOT NULL                -- when it was last done
) STRICT;

-- When the clock must look at a board: for a reminder, or because time is up.
ALTER TABLE boards ADD COLUMN due_at INTEGER;
ALTER TABLE boards ADD COLUMN nagged_at INTEGER;
CREATE INDEX boards_due ON boards (due_at) WHERE due_at IS NOT NULL;
UPDATE boards SET due_at = started_at WHERE state = 'active';

-- Ratings of a game: what the boards of rating_changes add up to.
CREATE TABLE ratings (
    user_id    INTEGER NOT NULL REFERENCES users (id),
    game       TEXT    NOT NULL,
    rating     REAL NOT NULL,
    value_sum  REAL NOT NULL,                -- of the values of his games while provisional
    games      INTEGER NOT NULL,             -- rated ones
    won        INTEGER NOT NULL,
    lost       INTEGER NOT NULL,
    tied       INTEGER NOT NULL,
    glicko     REAL NOT NULL,
    deviation  REAL NOT NULL,
    volatility REAL NOT NULL,
    active     INTEGER NOT NULL,             -- as far as rating_orders has heard
    ended_at   INTEGER NOT NULL,             -- when his last board ended, rated or not
    PRIMARY KEY (user_id, game)
) STRICT;
CREATE INDEX ratings_by_rank ON ratings (game, active, rating);
CREATE INDEX ratings_by_end ON ratings (game, ended_at) WHERE active AND games >= 20;

-- What a rated board did to its players' ratings.
CREATE TABLE rating_changes (
    board_id INTEGER NOT NULL REFERENCES boards (id),
    user_id  INTEGER NOT NULL REFERENCES users (id),
    game     TEXT    NOT NULL,
    place    INTEGER NOT NULL,               -- in the order in which the game's boards were rated
    before   REAL NOT NULL,
    after    REAL NOT NULL,
    active   INTEGER NOT NULL,               -- whether he counts as active after it
    at       INTEGER NOT NULL,
    PRIMARY KEY (board_id, user_id)
) STRICT;
CREATE INDEX rating_changes_by_place ON rating_changes (game, place);
CREATE INDEX rating_changes_by_user ON rating_changes (user_id, game, at);

-- That a rated player became active or inactive otherwise than by a rated board. Inside a place
-- these come before the board.
CREATE TABLE rating_activity (
    game    TEXT    NOT NULL,
    place   INTEGER NOT NULL,
    user_id INTEGER NOT NULL REFERENCES users (id),
    active  INTEGER NOT NULL,
    at      INTEGER NOT NULL,
    PRIMARY KEY (game, place, user_id)
) STRICT;

-- The order in which boards are rated, one after the other within a game, and what the next one
-- must know of all active established players: how many there are and the sum of their ratings in
-- units of 2^-30 points.
CREATE TABLE rating_orders (
    game    TEXT    PRIMARY KEY,
    next    INTEGER NOT NULL,
    players INTEGER NOT NULL,
    sum     INTEGER NOT NULL
) STRICT;

-- Codes for a forgotten password. Only their digests are kept.
CREATE TABLE password_resets (
    user_id     INTEGER PRIMARY KEY REFERENCES users (id),
    code_digest TEXT    NOT NULL,
    tries       INTEGER NOT NULL,
    at          INTEGER NOT NULL
) STRICT;

-- Boards that go into a user's next mail of the day.
CREATE TABLE digest_boards (
    user_id  INTEGER NOT NULL REFERENCES users (id),
    board_id INTEGER NOT NULL REFERENCES boards (id),
    since    INTEGER NOT NULL,               -- what was said from then on goes along
    PRIMARY KEY (user_id, board_id)
) STRICT;
CREATE TABLE digests (
    user_id INTEGER PRIMARY KEY REFERENCES users (id),
    due_at  INTEGER NOT NULL
) STRICT;
CREATE INDEX digests_due ON digests (due_at);

-- When somebody last wrote to everybody.
ALTER TABLE users ADD COLUMN broadcast_at INTEGER;

-- Boards that were played elsewhere and came in as records.
CREATE TABLE imports (
    board_id INTEGER PRIMARY KEY REFERENCES boards (id),
    digest   TEXT    NOT NULL UNIQUE,          -- of the record: the same one is not taken twice
    tags     TEXT    NOT NULL,                 -- tags that mean nothing here, as JSON, to be written again
    at       INTEGER NOT NULL
) STRICT;

-- What somebody writes to everybody: passed on to some users at a time, in the order of their keys.
CREATE TABLE broadcasts (
    id         INTEGER PRIMARY KEY,
    user_id    INTEGER NOT NULL REFERENCES users (id),
    text       TEXT    NOT NULL,
    at         INTEGER NOT NULL,
    after_user INTEGER NOT NULL,             -- users up to this key have it
    done_at    INTEGER
) STRICT;
CREATE INDEX broadcasts_waiting ON broadcasts (id) WHERE done_at IS NULL;
