-- Passkeys: with what a user logs in beside the password. A public key is no secret.
CREATE TABLE passkeys (
    id         INTEGER PRIMARY KEY,
    user_id    INTEGER NOT NULL REFERENCES users (id),
    credential TEXT    NOT NULL UNIQUE,        -- its id, base64url
    algorithm  INTEGER NOT NULL,               -- as COSE numbers them: -7 ES256, -8 EdDSA
    public_key TEXT    NOT NULL,               -- base64url: an uncompressed point of P-256, or 32 bytes of Ed25519
    counter    INTEGER NOT NULL,               -- of signatures, as it was shown last; 0 where it does not count
    name       TEXT    NOT NULL,               -- what its owner calls it
    created_at INTEGER NOT NULL,
    used_at    INTEGER
) STRICT;
CREATE INDEX passkeys_by_user ON passkeys (user_id);

-- Challenges that were answered, until they would have expired: each is answered once.
CREATE TABLE passkey_challenges (
    nonce      TEXT    NOT NULL PRIMARY KEY,
    expires_at INTEGER NOT NULL
) STRICT;
CREATE INDEX passkey_challenges_by_end ON passkey_challenges (expires_at);
