-- From which hosts users logged in, so that whoever guesses passwords from elsewhere locks nobody out. Text as
-- `domain::Host` writes it.
CREATE TABLE login_hosts (
    user_id INTEGER NOT NULL REFERENCES users (id),
    host    TEXT    NOT NULL,
    seen_at INTEGER NOT NULL,                  -- to the day
    PRIMARY KEY (user_id, host)
) STRICT, WITHOUT ROWID;
CREATE INDEX login_hosts_by_time ON login_hosts (seen_at);

-- When somebody was last told of many wrong passwords.
CREATE TABLE password_warnings (
    user_id INTEGER PRIMARY KEY REFERENCES users (id),
    at      INTEGER NOT NULL
) STRICT;

-- How many challenges somebody got in one day from people who did not prove who they are.
CREATE TABLE stranger_challenges (
    user_id    INTEGER PRIMARY KEY REFERENCES users (id),
    day        INTEGER NOT NULL,               -- days since 1970
    challenges INTEGER NOT NULL
) STRICT;
