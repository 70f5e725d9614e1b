-- For each user whom computer players have answered: when last, and when the processor time that this took has come back.
CREATE TABLE bot_shares (
    user_id    BIGINT PRIMARY KEY,
    served_at  BIGINT NOT NULL,
    used_until BIGINT NOT NULL
);
