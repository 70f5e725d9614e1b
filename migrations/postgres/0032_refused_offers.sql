-- Offers that were refused: the same player does not make them again before everybody has moved. An offer of somebody
-- else ends that.
CREATE TABLE refused_offers (
    board_id BIGINT NOT NULL REFERENCES boards (id),
    user_id  BIGINT NOT NULL REFERENCES users (id), -- who made it
    kind     TEXT   NOT NULL,                       -- draw | undo | substitute
    ply      BIGINT NOT NULL,                       -- of the board then
    PRIMARY KEY (board_id, user_id, kind)
);
