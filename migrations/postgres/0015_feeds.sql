-- What the private address of a user's feeds is derived from, together with the server's key and the password. Without
-- a row he has no feeds.
CREATE TABLE feed_keys (
    user_id BIGINT PRIMARY KEY REFERENCES users (id),
    salt    TEXT   NOT NULL,                   -- random; another one makes another address
    at      BIGINT NOT NULL                    -- when it was made
);
