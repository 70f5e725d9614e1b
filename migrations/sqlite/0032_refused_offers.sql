-- Offers that were refused: the same player does not make them again before everybody has moved. An offer of somebody
-- else ends that.
CREATE TABLE refused_offers (
    board_id INTEGER NOT NULL REFERENCES boards (id),
    user_id  INTEGER NOT NULL REFERENCES users (id), -- who made it
    kind     TEXT    NOT NULL,                       -- draw | undo | substitute
    ply      INTEGER NOT NULL,                       -- of the board then
    PRIMARY KEY (board_id, user_id, kind)
) STRICT;
