-- What all servers on this database must agree about.
CREATE TABLE server_facts (
    name  TEXT PRIMARY KEY,                    -- key: fingerprint of the secret key
    value TEXT NOT NULL
) STRICT, WITHOUT ROWID;
