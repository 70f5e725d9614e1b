-- Webhooks are told in the form of their host; browsers that are told of turns are one more form.
ALTER TABLE webhooks ADD COLUMN form TEXT NOT NULL DEFAULT 'signed'; -- signed, discord, slack, ntfy, matrix, push
ALTER TABLE webhooks ADD COLUMN label TEXT;                          -- the browser, of form push
CREATE INDEX webhooks_of_browsers ON webhooks (url) WHERE form = 'push';
