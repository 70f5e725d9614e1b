-- People: what users say about themselves, and how one stands to another.

CREATE TABLE profiles (
    user_id INTEGER PRIMARY KEY REFERENCES users (id),
    about   TEXT    NOT NULL,
    at      INTEGER NOT NULL
) STRICT;

CREATE TABLE relations (
    user_id  INTEGER NOT NULL REFERENCES users (id),
    other_id INTEGER NOT NULL REFERENCES users (id),
    kind     TEXT    NOT NULL, -- block | follow
    at       INTEGER NOT NULL,
    PRIMARY KEY (user_id, other_id)
) STRICT;
CREATE INDEX relations_by_other ON relations (other_id);
