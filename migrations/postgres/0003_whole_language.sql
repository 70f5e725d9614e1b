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

-- When a user began or ceased to take challenges: who counts as active depends on it, also in hindsight.
CREATE TABLE willingness (
    user_id BIGINT  NOT NULL REFERENCES users (id),
    game    TEXT    NOT NULL,
    at      BIGINT  NOT NULL,
    accepts BOOLEAN NOT NULL,
    PRIMARY KEY (user_id, game, at)
);

-- Who hears when this board ends.
CREATE TABLE notifications (
    board_id BIGINT  NOT NULL REFERENCES boards (id),
    user_id  BIGINT  NOT NULL REFERENCES users (id),
    PRIMARY KEY (board_id, user_id)
);

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
    at         BIGINT  NOT NULL,
    PRIMARY KEY (user_id, game)
);
CREATE INDEX seeks_by_game ON seeks (game, at);

-- An offer that the other players must agree to.
CREATE TABLE proposals (
    board_id BIGINT  PRIMARY KEY REFERENCES boards (id),
    kind     TEXT    NOT NULL,               -- draw | undo
    seat     BIGINT  NOT NULL,               -- who made it
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

-- Ratings of a game. What they were made of is in rating_changes.
CREATE TABLE ratings (
    user_id    BIGINT  NOT NULL REFERENCES users (id),
    game       TEXT    NOT NULL,
    rating     DOUBLE PRECISION NOT NULL,
    games      BIGINT  NOT NULL,             -- rated ones
    won        BIGINT  NOT NULL,
    lost       BIGINT  NOT NULL,
    tied       BIGINT  NOT NULL,
    glicko     DOUBLE PRECISION NOT NULL,
    deviation  DOUBLE PRECISION NOT NULL,
    volatility DOUBLE PRECISION NOT NULL,
    ended_at   BIGINT  NOT NULL,             -- when his last rated board ended
    PRIMARY KEY (user_id, game)
);
CREATE INDEX ratings_by_game ON ratings (game, rating);

-- What a rated board did to its players' ratings.
CREATE TABLE rating_changes (
    board_id BIGINT  NOT NULL REFERENCES boards (id),
    user_id  BIGINT  NOT NULL REFERENCES users (id),
    game     TEXT    NOT NULL,
    place    BIGINT  NOT NULL,               -- in the order in which the game's boards were rated
    before   DOUBLE PRECISION NOT NULL,
    after    DOUBLE PRECISION NOT NULL,
    at       BIGINT  NOT NULL,
    PRIMARY KEY (board_id, user_id)
);
CREATE INDEX rating_changes_by_place ON rating_changes (game, place);
CREATE INDEX rating_changes_by_user ON rating_changes (user_id, game, at);

-- The order in which boards are rated: one after the other within a game.
CREATE TABLE rating_orders (
    game TEXT    PRIMARY KEY,
    next BIGINT  NOT NULL
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
    PRIMARY KEY (user_id, board_id)
);
CREATE TABLE digests (
    user_id BIGINT  PRIMARY KEY REFERENCES users (id),
    due_at  BIGINT  NOT NULL
);
CREATE INDEX digests_due ON digests (due_at);

-- When somebody last wrote to everybody.
ALTER TABLE users ADD COLUMN broadcast_at BIGINT ;

-- Reply addresses given out before this are no good any more.
ALTER TABLE users ADD COLUMN password_changed_at BIGINT;
