-- Addresses of users' own programs that are told what happens on their boards.
CREATE TABLE webhooks (
    id            INTEGER PRIMARY KEY,
    user_id       INTEGER NOT NULL REFERENCES users (id),
    url           TEXT    NOT NULL,            -- as its owner wrote it
    events        TEXT    NOT NULL,            -- turn, move, chat, proposal, over, comma-separated
    secret        BLOB    NOT NULL,            -- sealed: what its events are signed with
    created_at    INTEGER NOT NULL,
    sent_at       INTEGER,                     -- when it last took an event
    failures      INTEGER NOT NULL,            -- attempts that failed since
    failing_since INTEGER,                     -- when the first of them was
    stopped_at    INTEGER,                     -- since when it is told nothing
    error         TEXT                         -- why the last attempt failed
) STRICT;
CREATE INDEX webhooks_by_user ON webhooks (user_id);

-- What a webhook is to be told waits among the outgoing mails, but is sent by others: a slow host must not hold up
-- mail. The row of the webhook may be gone.
ALTER TABLE outbox ADD COLUMN webhook_id INTEGER;
DROP INDEX outbox_due;
CREATE INDEX outbox_due ON outbox (due_at) WHERE state = 'queued' AND webhook_id IS NULL;
CREATE INDEX outbox_events_due ON outbox (due_at) WHERE state = 'queued' AND webhook_id IS NOT NULL;
CREATE INDEX outbox_by_webhook ON outbox (webhook_id, due_at) WHERE state = 'queued' AND webhook_id IS NOT NULL;
