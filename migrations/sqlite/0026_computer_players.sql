-- The server's own computer players are users with the role `bot`.
CREATE INDEX computer_players ON users (id) WHERE role = 'bot';

-- The boards on which a server is deciding on the move of a computer player, and until when it may take.
CREATE TABLE bot_leases (
    board_id INTEGER PRIMARY KEY REFERENCES boards (id),
    until_at INTEGER NOT NULL
) STRICT;
