-- The servers that work on this database, each under the name of its leases. A server that is stopped takes its row away.
CREATE TABLE servers (
    name       TEXT    PRIMARY KEY,
    host       TEXT    NOT NULL,        -- the name of its machine
    version    TEXT    NOT NULL,
    started_at BIGINT  NOT NULL,
    alive_at   BIGINT  NOT NULL,
    errors     BIGINT  NOT NULL,        -- lines of level ERROR in its log, of the last 24 hours
    error      TEXT,                    -- the latest of them
    error_at   BIGINT
);
