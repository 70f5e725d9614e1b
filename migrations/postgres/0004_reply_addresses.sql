-- Mails sent before this name nobody any more: whoever answers them needs a password.
ALTER TABLE users ADD COLUMN password_changed_at BIGINT;
