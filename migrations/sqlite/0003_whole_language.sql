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

-- When a user began or ceased to take challenges: who counts as active depends on it, also in hindsight.
CREATE TABLE willingness (
    user_id INTEGER NOT NULL REFERENCES users (id),
    game    TEXT    NOT NULL,
    at      INTEGER NOT NULL,
    accepts INTEGER NOT NULL,
    PRIMARY KEY (user_id, game, at)
) STRICT;

-- Who hears when this board ends.
CREATE TABLE notifications (
    board_id INTEGER NOT NULL REFERENCES boards (id),
    user_id  INTEGER NOT NULL REFERENCES users (id),
    PRIMARY KEY (board_id, user_id)
) STRICT;

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
    at         INTEGER NOT NULL,
    PRIMARY KEY (user_id, game)
) STRICT;
CREATE INDEX seeks_by_game ON seeks (game, at);

-- An offer that the other players must agree to.
CREATE TABLE proposals (
    board_id INTEGER PRIMARY KEY REFERENCES boards (id),
    kind     TEXT    NOT NULL,               -- draw | undo
    seat     INTEGER NOT NULL,               -- who made it
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

-- Ratings of a game. What they were made of is in rating_changes.
CREATE TABLE ratings (
    user_id    INTEGER NOT NULL REFERENCES users (id),
    game       TEXT    NOT NULL,
    rating     REAL NOT NULL,
    games      INTEGER NOT NULL,             -- rated ones
    won        INTEGER NOT NULL,
    lost       INTEGER NOT NULL,
    tied       INTEGER NOT NULL,
    glicko     REAL NOT NULL,
    deviation  REAL NOT NULL,
    volatility REAL NOT NULL,
    ended_at   INTEGER NOT NULL,             -- when his last rated board ended
    PRIMARY KEY (user_id, game)
) STRICT;
CREATE INDEX ratings_by_game ON ratings (game, rating);

-- What a rated board did to its players' ratings.
CREATE TABLE rating_changes (
    board_id INTEGER NOT NULL REFERENCES boards (id),
    user_id  INTEGER NOT NULL REFERENCES users (id),
    game     TEXT    NOT NULL,
    place    INTEGER NOT NULL,               -- in the order in which the game's boards were rated
    before   REAL NOT NULL,
    after    REAL NOT NULL,
    at       INTEGER NOT NULL,
    PRIMARY KEY (board_id, user_id)
) STRICT;
CREATE INDEX rating_changes_by_place ON rating_changes (game, place);
CREATE INDEX rating_changes_by_user ON rating_changes (user_id, game, at);

-- The order in which boards are rated: one after the other within a game.
CREATE TABLE rating_orders (
    game TEXT    PRIMARY KEY,
    next INTEGER NOT NULL
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
    PRIMARY KEY (user_id, board_id)
) STRICT;
CREATE TABLE digests (
    user_id INTEGER PRIMARY KEY REFERENCES users (id),
    due_at  INTEGER NOT NULL
) STRICT;
CREATE INDEX digests_due ON digests (due_at);

-- When somebody last wrote to everybody.
ALTER TABLE users ADD COLUMN broadcast_at INTEGER;

-- Reply addresses given out before this are no good any more.
ALTER TABLE users ADD COLUMN password_changed_at INTEGER;
