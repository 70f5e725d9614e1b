-- Who plays on which boards now, kept by triggers: players of many years have far more boards behind them.
CREATE TABLE boards_in_play (
    user_id  BIGINT NOT NULL REFERENCES users (id),
    game     TEXT   NOT NULL,
    board_id BIGINT NOT NULL REFERENCES boards (id),
    PRIMARY KEY (user_id, game, board_id)
);

CREATE FUNCTION take_into_play(taken_user BIGINT, taken_board BIGINT) RETURNS void LANGUAGE sql AS $$
    INSERT INTO boards_in_play (user_id, game, board_id)
        SELECT taken_user, b.game, b.id FROM boards b WHERE b.id = taken_board AND b.state = 'active'
        ON CONFLICT DO NOTHING;
$$;

CREATE FUNCTION take_out_of_play(gone_user BIGINT, gone_board BIGINT) RETURNS void LANGUAGE sql AS $$
    DELETE FROM boards_in_play
        WHERE user_id = gone_user AND board_id = gone_board
        AND game = (SELECT game FROM boards WHERE id = gone_board)
        AND NOT EXISTS (SELECT 1 FROM seats WHERE board_id = gone_board AND user_id = gone_user);
$$;

CREATE FUNCTION follow_seat() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP <> 'INSERT' THEN
        PERFORM take_out_of_play(OLD.user_id, OLD.board_id);
    END IF;
    IF TG_OP <> 'DELETE' THEN
        PERFORM take_into_play(NEW.user_id, NEW.board_id);
    END IF;
    RETURN NULL;
END $$;

CREATE FUNCTION follow_board() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.state = 'active' THEN
        INSERT INTO boards_in_play (user_id, game, board_id)
            SELECT user_id, NEW.game, NEW.id FROM seats WHERE board_id = NEW.id ON CONFLICT DO NOTHING;
    ELSE
        DELETE FROM boards_in_play WHERE board_id = NEW.id AND game = NEW.game
            AND user_id IN (SELECT user_id FROM seats WHERE board_id = NEW.id);
    END IF;
    RETURN NULL;
END $$;

CREATE TRIGGER seats_in_play AFTER INSERT OR DELETE ON seats
    FOR EACH ROW EXECUTE FUNCTION follow_seat();

CREATE TRIGGER seats_passed_on AFTER UPDATE OF user_id ON seats
    FOR EACH ROW WHEN (OLD.user_id <> NEW.user_id) EXECUTE FUNCTION follow_seat();

CREATE TRIGGER boards_out_of_play AFTER UPDATE OF state ON boards
    FOR EACH ROW WHEN (OLD.state <> NEW.state) EXECUTE FUNCTION follow_board();

-- Last: the triggers keep other servers, which may be at work meanwhile, from changing seats and boards until all of
-- this is committed. Before them, what was changed between the reading and the triggers would be missed.
INSERT INTO boards_in_play (user_id, game, board_id)
    SELECT DISTINCT s.user_id, b.game, b.id FROM boards b JOIN seats s ON s.board_id = b.id WHERE b.state = 'active';
