-- For each user whom computer players have answered: when last, and when the processor time that this took has come back.
CREATE TABLE bot_shares (
    user_id    INTEGER PRIMARY KEY,
    served_at  INTEGER NOT NULL,
    used_until INTEGER NOT NULL
) STRICT;
