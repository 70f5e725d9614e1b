-- Who is logged in on the web. The token itself is in the browser alone.
CREATE TABLE web_sessions (
    digest        TEXT    PRIMARY KEY,       -- of the token
    user_id       INTEGER NOT NULL REFERENCES users (id),
    password_mark TEXT    NOT NULL,          -- of the password hash then: another password ends it
    user_agent    TEXT    NOT NULL,          -- what the browser calls itself, shortened
    created_at    INTEGER NOT NULL,
    seen_at       INTEGER NOT NULL,
    expires_at    INTEGER NOT NULL           -- even if it is used every day
) STRICT;
CREATE INDEX web_sessions_by_user ON web_sessions (user_id);
CREATE INDEX web_sessions_by_use ON web_sessions (seen_at);

-- The link by mail that logs its reader in: the latest one, until it is used.
CREATE TABLE magic_links (
    user_id INTEGER PRIMARY KEY REFERENCES users (id),
    at      INTEGER NOT NULL
) STRICT;
CREATE INDEX magic_links_by_age ON magic_links (at);
