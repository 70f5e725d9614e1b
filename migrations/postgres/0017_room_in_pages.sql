-- A row that is changed again and again finds room for its next version on its own page, and no index need be told.
ALTER TABLE boards SET (fillfactor = 70);
ALTER TABLE outbox SET (fillfactor = 70);
