-- What keeps an account with its owner.

-- When the password was last given in a session; NULL: never, it began with a link.
ALTER TABLE web_sessions ADD COLUMN password_at INTEGER;

-- Mails that asked whether somebody reads an address. The row of the address in `confirmations` is locked while these
-- are counted.
CREATE TABLE confirmation_mails (
    id          INTEGER PRIMARY KEY,
    address_key TEXT    NOT NULL,
    sent_at     INTEGER NOT NULL,
    user_id     INTEGER NOT NULL REFERENCES users (id),
    aligned     INTEGER NOT NULL               -- the address itself had asked, by a mail its domain vouches for
) STRICT;
CREATE INDEX confirmation_mails_by_address ON confirmation_mails (address_key, sent_at);
CREATE INDEX confirmation_mails_by_time ON confirmation_mails (sent_at);
CREATE INDEX confirmation_mails_by_user ON confirmation_mails (user_id);

-- Changes of a user's addresses that the earlier ones can take back for some days.
CREATE TABLE address_changes (
    id        INTEGER PRIMARY KEY,
    user_id   INTEGER NOT NULL REFERENCES users (id),
    at        INTEGER NOT NULL,
    addresses TEXT    NOT NULL,                -- the proven ones before it, one a line
    undone_at INTEGER
) STRICT;
CREATE INDEX address_changes_by_user ON address_changes (user_id, at);
CREATE INDEX address_changes_by_time ON address_changes (at);

-- A second code does not end the first one.
CREATE TABLE reset_codes (
    user_id     INTEGER NOT NULL REFERENCES users (id),
    at          INTEGER NOT NULL,
    code_digest TEXT    NOT NULL,
    tries       INTEGER NOT NULL,
    PRIMARY KEY (user_id, at)
) STRICT;
INSERT INTO reset_codes (user_id, at, code_digest, tries) SELECT user_id, at, code_digest, tries FROM password_resets;
DROP TABLE password_resets;
ALTER TABLE reset_codes RENAME TO password_resets;
