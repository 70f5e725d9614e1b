-- From which hosts users logged in, so that whoever guesses passwords from elsewhere locks nobody out. Text as
-- `domain::Host` writes it.
CREATE TABLE login_hosts (
    user_id BIGINT  NOT NULL REFERENCES users (id),
    host    TEXT    NOT NULL,
    seen_at BIGINT  NOT NULL,                  -- to the day
    PRIMARY KEY (user_id, host)
);
CREATE INDEX login_hosts_by_time ON login_hosts (seen_at);

-- When somebody was last told of many wrong passwords.
CREATE TABLE password_warnings (
    user_id BIGINT  PRIMARY KEY REFERENCES users (id),
    at      BIGINT  NOT NULL
);

-- How many challenges somebody got in one day from people who did not prove who they are.
CREATE TABLE stranger_challenges (
    user_id    BIGINT  PRIMARY KEY REFERENCES users (id),
    day        BIGINT  NOT NULL,               -- days since 1970
    challenges BIGINT  NOT NULL
);
