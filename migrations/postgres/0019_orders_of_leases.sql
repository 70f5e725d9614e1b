-- What is due is taken in the order of its time and, within one moment, of its key. Many rows are due in the same moment
-- after a restart, or when a webhook answers again; all of them were sorted for each lease.
DROP INDEX inbox_due;
CREATE INDEX inbox_due ON inbox (due_at, id) WHERE state = 'new';
DROP INDEX outbox_due;
CREATE INDEX outbox_due ON outbox (due_at, id) WHERE state = 'queued' AND webhook_id IS NULL;
DROP INDEX outbox_events_due;
CREATE INDEX outbox_events_due ON outbox (due_at, id) WHERE state = 'queued' AND webhook_id IS NOT NULL;
