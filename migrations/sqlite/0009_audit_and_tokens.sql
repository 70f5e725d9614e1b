-- What administrators did, or were refused. Written in the transaction that did it.
CREATE TABLE audit (
    id           INTEGER PRIMARY KEY,
    at           INTEGER NOT NULL,
    door         TEXT    NOT NULL,             -- shell | web | api
    actor        TEXT    NOT NULL,             -- the userid; of the shell, the user of the machine
    actor_key    TEXT    NOT NULL,             -- the same in lower case
    deed         TEXT    NOT NULL,             -- board.pause, user.grant, ...
    subject      TEXT    NOT NULL,             -- ann, osbox 101, inbox 17
    subject_user TEXT,                         -- the userid it was about, lower case
    outcome      TEXT    NOT NULL,             -- done | the code of a refusal
    detail       TEXT    NOT NULL              -- a few words, never a secret
) STRICT;
CREATE INDEX audit_by_actor ON audit (actor_key, id);
CREATE INDEX audit_by_user ON audit (subject_user, id) WHERE subject_user IS NOT NULL;

-- Since when an administrator keeps a board from going on.
ALTER TABLE boards ADD COLUMN paused_at INTEGER;

-- Keys of the API. The token itself is with its owner alone.
CREATE TABLE api_tokens (
    id            INTEGER PRIMARY KEY,
    digest        TEXT    NOT NULL UNIQUE,     -- of the token
    user_id       INTEGER NOT NULL REFERENCES users (id),
    name          TEXT    NOT NULL,            -- what its owner calls it
    scopes        TEXT    NOT NULL,            -- read, play, admin, comma-separated
    password_mark TEXT    NOT NULL,            -- of the password hash then: another password ends it
    created_at    INTEGER NOT NULL,
    used_at       INTEGER,                     -- to the hour
    expires_at    INTEGER NOT NULL
) STRICT;
CREATE INDEX api_tokens_by_user ON api_tokens (user_id);
CREATE INDEX api_tokens_by_end ON api_tokens (expires_at);
