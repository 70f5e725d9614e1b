-- The connecting host that a waiting mail counts for: behind relays that are known, the host that gave it to the first
-- of them. Text as `domain::Host` writes it.
ALTER TABLE inbox ADD COLUMN host TEXT;
