-- Who plays on which boards now, kept by triggers: players of many years have far more boards behind them.
CREATE TABLE boards_in_play (
    user_id  INTEGER NOT NULL REFERENCES users (id),
    game     TEXT    NOT NULL,
    board_id INTEGER NOT NULL REFERENCES boards (id),
    PRIMARY KEY (user_id, game, board_id)
) STRICT, WITHOUT ROWID;

INSERT INTO boards_in_play (user_id, game, board_id)
    SELECT DISTINCT s.user_id, b.game, b.id FROM boards b JOIN seats s ON s.board_id = b.id WHERE b.state = 'active';

CREATE TRIGGER seats_in_play AFTER INSERT ON seats BEGIN
    INSERT OR IGNORE INTO boards_in_play (user_id, game, board_id)
        SELECT NEW.user_id, b.game, b.id FROM boards b WHERE b.id = NEW.board_id AND b.state = 'active';
END;

CREATE TRIGGER seats_out_of_play AFTER DELETE ON seats BEGIN
    DELETE FROM boards_in_play
        WHERE user_id = OLD.user_id AND board_id = OLD.board_id
        AND game = (SELECT game FROM boards WHERE id = OLD.board_id)
        AND NOT EXISTS (SELECT 1 FROM seats WHERE board_id = OLD.board_id AND user_id = OLD.user_id);
END;

CREATE TRIGGER seats_passed_on AFTER UPDATE OF user_id ON seats WHEN OLD.user_id <> NEW.user_id BEGIN
    DELETE FROM boards_in_play
        WHERE user_id = OLD.user_id AND board_id = OLD.board_id
        AND game = (SELECT game FROM boards WHERE id = OLD.board_id)
        AND NOT EXISTS (SELECT 1 FROM seats WHERE board_id = OLD.board_id AND user_id = OLD.user_id);
    INSERT OR IGNORE INTO boards_in_play (user_id, game, board_id)
        SELECT NEW.user_id, b.game, b.id FROM boards b WHERE b.id = NEW.board_id AND b.state = 'active';
END;

CREATE TRIGGER boards_out_of_play AFTER UPDATE OF state ON boards WHEN OLD.state <> NEW.state BEGIN
    DELETE FROM boards_in_play
        WHERE NEW.state <> 'active' AND board_id = NEW.id AND game = NEW.game
        AND user_id IN (SELECT user_id FROM seats WHERE board_id = NEW.id);
    INSERT OR IGNORE INTO boards_in_play (user_id, game, board_id)
        SELECT user_id, NEW.game, NEW.id FROM seats WHERE board_id = NEW.id AND NEW.state = 'active';
END;
