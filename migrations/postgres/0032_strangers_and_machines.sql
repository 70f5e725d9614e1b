-- Offers that were refused: the same player does not make them again before everybody has moved. An offer of somebody
-- else ends that.
CREATE TABLE refused_offers (
    board_id BIGINT NOT NULL REFERENCES boards (id),
    user_id  BIGINT NOT NULL REFERENCES users (id), -- who made it
    kind     TEXT   NOT NULL,                       -- draw | undo | substitute
    ply      BIGINT NOT NULL,                       -- of the board then
    PRIMARY KEY (board_id, user_id, kind)
);
-- For each user whom computer players have answered: when last, and when the processor time that this took has come back.
CREATE TABLE bot_shares (
    user_id    BIGINT PRIMARY KEY,
    served_at  BIGINT NOT NULL,
    used_until BIGINT NOT NULL
);
-- How many attempts may have delivered a mail that waits: those of which nothing was heard. Without any it may still give
-- way to a newer one, however often it was tried. And when it was last tried.
ALTER TABLE outbox ADD COLUMN unsure_attempts BIGINT NOT NULL DEFAULT 0;
ALTER TABLE outbox ADD COLUMN tried_at BIGINT;
UPDATE outbox SET unsure_attempts = attempts WHERE state = 'queued';
-- A recipient is written to in the order in which things happened.
CREATE INDEX outbox_by_recipient ON outbox (recipient) WHERE state = 'queued' AND webhook_id IS NULL;
-- A browser is told of turns as long as the session lasts in which it was added.
ALTER TABLE webhooks ADD COLUMN session TEXT; -- its digest, of form push
CREATE INDEX webhooks_of_sessions ON webhooks (session) WHERE session IS NOT NULL;
