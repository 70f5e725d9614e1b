-- A browser is told of turns as long as the session lasts in which it was added.
ALTER TABLE webhooks ADD COLUMN session TEXT; -- its digest, of form push
CREATE INDEX webhooks_of_sessions ON webhooks (session) WHERE session IS NOT NULL;
