-- The order in which waiting mails are processed: by turn, and within a turn as they came. Mails that were waiting
-- before this step come first.
ALTER TABLE inbox ADD COLUMN turn INTEGER NOT NULL DEFAULT 0;
-- What a waiting mail takes turns with others by: its sender, its domain or its host.
ALTER TABLE inbox ADD COLUMN flow TEXT;
-- The domain in its From, in lower case.
ALTER TABLE inbox ADD COLUMN from_domain TEXT;
-- Whose share of the queue it takes: 0 unproven, 1 proven, 2 a known sender's.
ALTER TABLE inbox ADD COLUMN share INTEGER NOT NULL DEFAULT 0;
CREATE INDEX inbox_turn ON inbox (turn, id) WHERE state = 'new';
CREATE INDEX inbox_flow ON inbox (flow, turn) WHERE state = 'new';
CREATE INDEX inbox_share ON inbox (share, from_domain) WHERE state = 'new';
