-- What a user wants otherwise than the default. Game '' stands for all games.
CREATE TABLE preferences (
    user_id BIGINT  NOT NULL REFERENCES users (id),
    game    TEXT    NOT NULL,
    name    TEXT    NOT NULL,
    value   TEXT    NOT NULL,
    PRIMARY KEY (user_id, game, name)
);

-- How a user stands to a game; without a row he takes challenges without limit and watches nothing.
CREATE TABLE user_games (
    user_id     BIGINT  NOT NULL REFERENCES users (id),
    game        TEXT    NOT NULL,
    accepts     BOOLEAN NOT NULL,              -- takes challenges
    board_limit BIGINT ,                     -- at most so many active boards
    subscribes  BOOLEAN NOT NULL,              -- watches all boards, future ones too
    notifies    BOOLEAN NOT NULL,              -- hears when any board ends
    PRIMARY KEY (user_id, game)
);
CREATE INDEX user_games_subscribed ON user_games (game, user_id) WHERE subscribes;
CREATE INDEX user_games_notified ON user_games (game, user_id) WHERE notifies;

-- Who hears when this board ends.
CREATE TABLE notifications (
    board_id BIGINT  NOT NULL REFERENCES boards (id),
    user_id  BIGINT  NOT NULL REFERENCES users (id),
    PRIMARY KEY (board_id, user_id)
);
CREATE INDEX notifications_by_user ON notifications (user_id);

-- Which boards a user watches.
CREATE INDEX subscribers_by_user ON subscribers (user_id);

-- Who looks for opponents.
CREATE TABLE seeks (
    user_id    BIGINT  NOT NULL REFERENCES users (id),
    game       TEXT    NOT NULL,
    wanted     BIGINT  NOT NULL,             -- so many more boards
    options    TEXT    NOT NULL,             -- canonical, defaults left out
    rated      BOOLEAN NOT NULL,
    nag_ms     BIGINT ,
    forfeit_ms BIGINT ,
    total_ms   BIGINT ,
    place      BIGINT  NOT NULL,             -- who has looked longest is paired first
    at         BIGINT  NOT NULL,
    PRIMARY KEY (user_id, game)
);
CREATE INDEX seeks_by_game ON seeks (game, place);

-- Seeks of a game come one after the other, so that two at once pair only once.
CREATE TABLE seek_orders (
    game TEXT    PRIMARY KEY,
    next BIGINT  NOT NULL
);

-- An offer that the other players must agree to.
CREATE TABLE proposals (
    board_id BIGINT  PRIMARY KEY REFERENCES boards (id),
    kind     TEXT    NOT NULL,               -- draw | undo
    seat     BIGINT  NOT NULL,               -- who made it
    ply      BIGINT NOT NULL,               -- of the board then: a further move makes it void
    accepted TEXT    NOT NULL,               -- seats that agreed, comma-separated
    at       BIGINT  NOT NULL
);

-- Moves to be played as soon as it is the seat's turn.
CREATE TABLE queued_moves (
    board_id  BIGINT  NOT NULL REFERENCES boards (id),
    seat      BIGINT  NOT NULL,
    place     BIGINT  NOT NULL,              -- from 1
    condition TEXT,                          -- the move of another seat it waits for, as typed
    text      TEXT    NOT NULL,              -- as typed
    number    BIGINT,                        -- which move of the board it is to be
    ply       BIGINT  NOT NULL,              -- of the board when it was queued
    at        BIGINT  NOT NULL,
    PRIMARY KEY (board_id, seat, place)
);

-- First halves of two-step moves.
CREATE TABLE submissions (
    board_id BIGINT  NOT NULL REFERENCES boards (id),
    seat     BIGINT  NOT NULL,
    ply      BIGINT  NOT NULL,               -- of the board it was made for
    text     TEXT    NOT NULL,               -- as typed
    comment  TEXT    NOT NULL,
    at       BIGINT  NOT NULL,
    PRIMARY KEY (board_id, seat)
);

-- Time off. A vacation that was ended early ends then.
CREATE TABLE vacations (
    user_id  BIGINT  NOT NULL REFERENCES users (id),
    from_at  BIGINT  NOT NULL,
    until_at BIGINT  NOT NULL,
    PRIMARY KEY (user_id, from_at)
);

-- When no server was running: time that is counted for nobody.
CREATE TABLE outages (
    from_at  BIGINT  PRIMARY KEY,
    until_at BIGINT  NOT NULL
);

-- Time on one board that is counted for nobody: what went by before a move that was taken back.
CREATE TABLE board_pauses (
    board_id BIGINT  NOT NULL REFERENCES boards (id),
    from_at  BIGINT  NOT NULL,
    until_at BIGINT  NOT NULL,
    PRIMARY KEY (board_id, from_at)
);

-- Work that one process does for all. Who holds it does it until then.
CREATE TABLE duties (
    name     TEXT    PRIMARY KEY,
    holder   TEXT    NOT NULL,
    until_at BIGINT  NOT NULL,
    alive_at BIGINT  NOT NULL                -- when it was last done
);

-- When the clock must look at a board: for a reminder, or because time is up.
ALTER TABLE boards ADD COLUMN due_at BIGINT ;
ALTER TABLE boards ADD COLUMN nagged_at BIGINT ;
CREATE INDEX boards_due ON boards (due_at) WHERE due_at IS NOT NULL;
UPDATE boards SET due_at = started_at WHERE state = 'active';

-- Ratings of a game: what the boards of rating_changes add up to.
CREATE TABLE ratings (
    user_id    BIGINT  NOT NULL REFERENCES users (id),
    game       TEXT    NOT NULL,
    rating     DOUBLE PRECISION NOT NULL,
    value_sum  DOUBLE PRECISION NOT NULL,                -- of the values of his games while provisional
    games      BIGINT  NOT NULL,             -- rated ones
    won        BIGINT  NOT NULL,
    lost       BIGINT  NOT NULL,
    tied       BIGINT  NOT NULL,
    glicko     DOUBLE PRECISION NOT NULL,
    deviation  DOUBLE PRECISION NOT NULL,
    volatility DOUBLE PRECISION NOT NULL,
    active     BOOLEAN NOT NULL,             -- as far as rating_orders has heard
    ended_at   BIGINT  NOT NULL,             -- when his last board ended, rated or not
    PRIMARY KEY (user_id, game)
);
CREATE INDEX ratings_by_rank ON ratings (game, active, rating);
CREATE INDEX ratings_by_end ON ratings (game, ended_at) WHERE active AND games >= 20;

-- What a rated board did to its players' ratings.
CREATE TABLE rating_changes (
    board_id BIGINT  NOT NULL REFERENCES boards (id),
    user_id  BIGINT  NOT NULL REFERENCES users (id),
    game     TEXT    NOT NULL,
    place    BIGINT  NOT NULL,               -- in the order in which the game's boards were rated
    before   DOUBLE PRECISION NOT NULL,
    after    DOUBLE PRECISION NOT NULL,
    active   BOOLEAN NOT NULL,               -- whether he counts as active after it
    at       BIGINT  NOT NULL,
    PRIMARY KEY (board_id, user_id)
);
CREATE INDEX rating_changes_by_place ON rating_changes (game, place);
CREATE INDEX rating_changes_by_user ON rating_changes (user_id, game, at);

-- That a rated player became active or inactive otherwise than by a rated board. Inside a place
-- these come before the board.
CREATE TABLE rating_activity (
    game    TEXT    NOT NULL,
    place   BIGINT  NOT NULL,
    user_id BIGINT  NOT NULL REFERENCES users (id),
    active  BOOLEAN NOT NULL,
    at      BIGINT  NOT NULL,
    PRIMARY KEY (game, place, user_id)
);

-- The order in which boards are rated, one after the other within a game, and what the next one
-- must know of all active established players: how many there are and the sum of their ratings in
-- units of 2^-30 points.
CREATE TABLE rating_orders (
    game    TEXT    PRIMARY KEY,
    next    BIGINT  NOT NULL,
    players BIGINT  NOT NULL,
    sum     BIGINT  NOT NULL
);

-- Codes for a forgotten password. Only their digests are kept.
CREATE TABLE password_resets (
    user_id     BIGINT  PRIMARY KEY REFERENCES users (id),
    code_digest TEXT    NOT NULL,
    tries       BIGINT  NOT NULL,
    at          BIGINT  NOT NULL
);

-- Boards that go into a user's next mail of the day.
CREATE TABLE digest_boards (
    user_id  BIGINT  NOT NULL REFERENCES users (id),
    board_id BIGINT  NOT NULL REFERENCES boards (id),
    since    BIGINT  NOT NULL,               -- what was said from then on goes along
    PRIMARY KEY (user_id, board_id)
);
CREATE TABLE digests (
    user_id BIGINT  PRIMARY KEY REFERENCES users (id),
    due_at  BIGINT  NOT NULL
);
CREATE INDEX digests_due ON digests (due_at);

-- When somebody last wrote to everybody.
ALTER TABLE users ADD COLUMN broadcast_at BIGINT ;

-- Boards that were played elsewhere and came in as records.
CREATE TABLE imports (
    board_id BIGINT PRIMARY KEY REFERENCES boards (id),
    digest   TEXT    NOT NULL UNIQUE,          -- of the record: the same one is not taken twice
    tags     TEXT    NOT NULL,                 -- tags that mean nothing here, as JSON, to be written again
    at       BIGINT  NOT NULL
);

-- What somebody writes to everybody: passed on to some users at a time, in the order of their keys.
CREATE TABLE broadcasts (
    id         BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
    user_id    BIGINT  NOT NULL REFERENCES users (id),
    text       TEXT    NOT NULL,
    at         BIGINT  NOT NULL,
    after_user BIGINT  NOT NULL,             -- users up to this key have it
    done_at    BIGINT
);
CREATE INDEX broadcasts_waiting ON broadcasts (id) WHERE done_at IS NULL;
