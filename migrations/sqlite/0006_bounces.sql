-- Mail that came back. Each outgoing mail counts once as hard and once as soft trouble.
CREATE TABLE bounces (
    outbox_id   INTEGER NOT NULL,             -- the mail; its row may be gone
    kind        TEXT    NOT NULL,             -- hard | soft
    address_key TEXT    NOT NULL,             -- to whom it went, lower case
    status      TEXT    NOT NULL,             -- enhanced status code; empty: none was told
    said        TEXT    NOT NULL,             -- what the other side said, one line
    at          INTEGER NOT NULL,
    PRIMARY KEY (outbox_id, kind)
) STRICT, WITHOUT ROWID;
CREATE INDEX bounces_by_address ON bounces (address_key, at);
CREATE INDEX bounces_by_time ON bounces (at);

-- Addresses from which mail came back.
CREATE TABLE failing_addresses (
    address_key TEXT    PRIMARY KEY,
    last_at     INTEGER NOT NULL,             -- when something came back last
    stopped_at  INTEGER,                      -- NULL: mail still goes there
    why         TEXT                          -- what was said last before the stop
) STRICT, WITHOUT ROWID;
CREATE INDEX failing_addresses_by_time ON failing_addresses (last_at);

-- When the user was told, at another address, that this one gets no mail any more.
ALTER TABLE addresses ADD COLUMN stop_told_at INTEGER;

-- The few who look after the server.
CREATE INDEX administrators ON users (id) WHERE role = 'admin';
