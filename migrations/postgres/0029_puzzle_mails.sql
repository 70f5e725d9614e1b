-- When the next mail with puzzles is due, for each user who takes them.
CREATE TABLE puzzle_mails (
    user_id BIGINT PRIMARY KEY REFERENCES users (id),
    due_at  BIGINT NOT NULL
);
CREATE INDEX puzzle_mails_due ON puzzle_mails (due_at, user_id);
