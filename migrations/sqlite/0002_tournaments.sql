-- Tournaments: their players, who meets whom, the seats of each board, and the log.

CREATE TABLE tournaments (
    id           INTEGER PRIMARY KEY,           -- t12 is 12
    game         TEXT    NOT NULL,
    form         TEXT    NOT NULL,              -- roundrobin | swiss | ladder | league
    rules        TEXT    NOT NULL,              -- by which pairings are made: berger
    title        TEXT    NOT NULL,
    description  TEXT    NOT NULL,
    terms        TEXT    NOT NULL,              -- JSON
    state        TEXT    NOT NULL,              -- open | running | over | cancelled
    announcer_id INTEGER REFERENCES users (id), -- NULL: the server, which repeats another one
    director_id  INTEGER REFERENCES users (id), -- NULL: administrators direct
    created_at   INTEGER NOT NULL,
    starts_at    INTEGER,                       -- NULL: when it is full
    delays       INTEGER NOT NULL,              -- starts put off, as too few had entered
    started_at   INTEGER,
    ended_at     INTEGER,
    round        INTEGER NOT NULL,              -- 0 before the start
    deadline     INTEGER,                       -- of the round
    extended     INTEGER NOT NULL,              -- the director has put it off
    reminders    INTEGER NOT NULL,              -- of this deadline, so far
    due_at       INTEGER,                       -- when the server must look at it
    rests_until  INTEGER,                       -- after a failure it is left alone until then
    next_id      INTEGER                        -- its repetition
) STRICT;
CREATE INDEX tournaments_by_state ON tournaments (state, id);
CREATE INDEX tournaments_by_game ON tournaments (game, state, id);
CREATE INDEX tournaments_by_director ON tournaments (director_id) WHERE state IN ('open', 'running');
CREATE INDEX tournaments_by_announcer ON tournaments (announcer_id, created_at);
CREATE INDEX tournaments_due ON tournaments (due_at) WHERE due_at IS NOT NULL;

CREATE TABLE tournament_players (
    tournament_id INTEGER NOT NULL REFERENCES tournaments (id),
    entry         INTEGER NOT NULL, -- from 1, as they entered
    user_id       INTEGER NOT NULL REFERENCES users (id),
    number        INTEGER,          -- from 1, the highest rating first; NULL before the start
    pool          TEXT,             -- the group they play in: a, b, ...
    state         TEXT    NOT NULL, -- in | withdrawn
    entered_at    INTEGER NOT NULL,
    left_at       INTEGER,
    left_why      TEXT,             -- withdrew | time | expelled | suspended | deleted
    counts        INTEGER NOT NULL, -- false: their games count for nobody
    leaving       INTEGER NOT NULL, -- their open boards are still to be ended
    PRIMARY KEY (tournament_id, entry)
) STRICT;
CREATE INDEX tournament_players_by_user ON tournament_players (user_id, tournament_id);
CREATE INDEX tournament_players_leaving ON tournament_players (tournament_id) WHERE leaving;

CREATE TABLE tournament_pairings (
    id            INTEGER PRIMARY KEY,
    tournament_id INTEGER NOT NULL REFERENCES tournaments (id),
    round         INTEGER NOT NULL,
    pool          TEXT    NOT NULL,
    number        INTEGER NOT NULL, -- in the group and round, from 1
    deadline      INTEGER,
    opened        INTEGER NOT NULL, -- its boards have begun
    UNIQUE (tournament_id, round, pool, number)
) STRICT;
CREATE INDEX tournament_pairings_waiting ON tournament_pairings (tournament_id, id) WHERE NOT opened;

ALTER TABLE boards ADD COLUMN pairing_id INTEGER REFERENCES tournament_pairings (id);

CREATE TABLE tournament_seats (
    pairing_id    INTEGER NOT NULL REFERENCES tournament_pairings (id),
    game          INTEGER NOT NULL,               -- the board of the pairing, from 1
    seat          INTEGER NOT NULL,
    tournament_id INTEGER NOT NULL REFERENCES tournaments (id),
    entry         INTEGER NOT NULL,               -- of the player
    board_id      INTEGER REFERENCES boards (id), -- NULL before it begins
    points        INTEGER,                        -- in halves: 2 is a win; NULL while it is played
    played        INTEGER NOT NULL,               -- false: decided before the loser had moved
    on_time       INTEGER NOT NULL,               -- lost on time
    PRIMARY KEY (pairing_id, game, seat)
) STRICT;
CREATE INDEX tournament_seats_by_player ON tournament_seats (tournament_id, entry);
CREATE INDEX tournament_seats_open ON tournament_seats (tournament_id, entry) WHERE points IS NULL;

CREATE TABLE tournament_log (
    id            INTEGER PRIMARY KEY,
    tournament_id INTEGER NOT NULL REFERENCES tournaments (id),
    at            INTEGER NOT NULL,
    user_id       INTEGER REFERENCES users (id),  -- who did it; NULL: the server
    action          TEXT    NOT NULL,               -- announce | start | extend | out | over ...
    subject_id    INTEGER REFERENCES users (id),  -- to whom
    board_id      INTEGER REFERENCES boards (id), -- on which board
    words         TEXT    NOT NULL,               -- the reason, or what was said
    told_after    INTEGER                         -- players up to this entry are told of it; NULL: none are to be told any more
) STRICT;
CREATE INDEX tournament_log_by_tournament ON tournament_log (tournament_id, id);
CREATE INDEX tournament_log_by_user ON tournament_log (user_id) WHERE user_id IS NOT NULL;
CREATE INDEX tournament_log_by_subject ON tournament_log (subject_id) WHERE subject_id IS NOT NULL;
CREATE INDEX tournament_log_to_tell ON tournament_log (tournament_id, id) WHERE told_after IS NOT NULL;
