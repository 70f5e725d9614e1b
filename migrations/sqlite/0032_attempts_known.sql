-- How many attempts may have delivered a mail that waits: those of which nothing was heard. Without any it may still give
-- way to a newer one, however often it was tried. And when it was last tried.
ALTER TABLE outbox ADD COLUMN unsure_attempts INTEGER NOT NULL DEFAULT 0;
ALTER TABLE outbox ADD COLUMN tried_at INTEGER;
UPDATE outbox SET unsure_attempts = attempts WHERE state = 'queued';
-- A recipient is written to in the order in which things happened.
CREATE INDEX outbox_by_recipient ON outbox (recipient) WHERE state = 'queued' AND webhook_id IS NULL;
