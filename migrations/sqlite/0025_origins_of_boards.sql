-- How a board came about, where that is not by a plain challenge.
CREATE TABLE board_origins (
    board_id   INTEGER PRIMARY KEY REFERENCES boards (id),
    sought     INTEGER NOT NULL,               -- all its players looked for these terms
    rematch_of INTEGER REFERENCES boards (id)  -- the board of which it is another game
) STRICT;
CREATE INDEX board_origins_by_rematch ON board_origins (rematch_of) WHERE rematch_of IS NOT NULL;
