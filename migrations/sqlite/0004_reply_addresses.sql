-- Mails sent before this name nobody any more: whoever answers them needs a password.
ALTER TABLE users ADD COLUMN password_changed_at INTEGER;

-- Answers to board mails from an address that is not the player's, until he confirms them.
CREATE TABLE held_answers (
    id       INTEGER PRIMARY KEY,
    user_id  INTEGER NOT NULL REFERENCES users (id),
    board_id INTEGER NOT NULL REFERENCES boards (id),
    sight    TEXT    NOT NULL,                 -- JSON: what the sender had before him
    words    BLOB    NOT NULL,                 -- what he wrote, sealed
    until_at INTEGER NOT NULL
) STRICT;
CREATE INDEX held_answers_by_time ON held_answers (until_at);
