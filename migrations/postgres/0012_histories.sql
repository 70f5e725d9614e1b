-- A digest of all moves of a board, so that what a process remembers of a long one can be told from what is stored.
ALTER TABLE boards ADD COLUMN history BIGINT;
