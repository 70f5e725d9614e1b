-- What the private address of a user's feeds is derived from, together with the server's key and the password. Without
-- a row he has no feeds.
CREATE TABLE feed_keys (
    user_id INTEGER PRIMARY KEY REFERENCES users (id),
    salt    TEXT    NOT NULL,                  -- random; another one makes another address
    at      INTEGER NOT NULL                   -- when it was made
) STRICT;

-- A statement that says `to_move` and is read on both databases is answered along it.
DROP INDEX seats_to_move;
CREATE INDEX seats_to_move ON seats (user_id, board_id) WHERE to_move;
