-- What a user notes to themselves on a board. Nobody else reads it.
CREATE TABLE board_notes (
    user_id  INTEGER NOT NULL REFERENCES users (id),
    board_id INTEGER NOT NULL REFERENCES boards (id),
    text     TEXT    NOT NULL,
    at       INTEGER NOT NULL,
    PRIMARY KEY (user_id, board_id)
) STRICT;
CREATE INDEX board_notes_by_board ON board_notes (board_id);

-- Invitations: whoever opens the link of one first plays with its maker. The link is signed, and not stored.
CREATE TABLE invitations (
    id         INTEGER PRIMARY KEY,
    user_id    INTEGER NOT NULL REFERENCES users (id),
    game       TEXT    NOT NULL,
    options    TEXT    NOT NULL,        -- canonical
    rated      INTEGER NOT NULL,
    begins     INTEGER NOT NULL,        -- whether the maker has the first seat
    created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL
) STRICT;
CREATE INDEX invitations_by_user ON invitations (user_id);
CREATE INDEX invitations_by_end ON invitations (expires_at);
