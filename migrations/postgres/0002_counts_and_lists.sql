-- How many boards of a game are active and finished, kept by triggers so that nobody counts rows.
-- Several shards a game: boards that end at the same moment do not wait for one row.
CREATE TABLE board_counts (
    game   TEXT   NOT NULL,
    shard  BIGINT NOT NULL,                    -- boards.id % 16
    active BIGINT NOT NULL,
    finished BIGINT NOT NULL,
    PRIMARY KEY (game, shard)
);

INSERT INTO board_counts (game, shard, active, finished)
    SELECT game, id % 16, SUM((state = 'active')::int), SUM((state = 'over')::int) FROM boards GROUP BY game, id % 16;

CREATE FUNCTION count_board_in() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO board_counts (game, shard, active, finished)
        VALUES (NEW.game, NEW.id % 16, (NEW.state = 'active')::int, (NEW.state = 'over')::int)
        ON CONFLICT (game, shard) DO UPDATE
        SET active = board_counts.active + excluded.active, finished = board_counts.finished + excluded.finished;
    RETURN NULL;
END $$;

CREATE FUNCTION count_board_on() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE board_counts
        SET active = active - (OLD.state = 'active')::int + (NEW.state = 'active')::int,
            finished = finished - (OLD.state = 'over')::int + (NEW.state = 'over')::int
        WHERE game = NEW.game AND shard = NEW.id % 16;
    RETURN NULL;
END $$;

CREATE TRIGGER boards_counted_in AFTER INSERT ON boards
    FOR EACH ROW EXECUTE FUNCTION count_board_in();

CREATE TRIGGER boards_counted_on AFTER UPDATE OF state ON boards
    FOR EACH ROW WHEN (OLD.state <> NEW.state) EXECUTE FUNCTION count_board_on();

-- Boards of all games in one state, page by page.
CREATE INDEX boards_in_state ON boards (state, id);

-- Kept messages of mails that are done with, oldest first.
CREATE INDEX inbox_kept ON inbox (done_at) WHERE raw IS NOT NULL AND state <> 'new';

-- Counters and pauses that have run out.
CREATE INDEX answer_budget_by_hour ON answer_budget (hour);
CREATE INDEX confirmations_by_time ON confirmations (sent_at);
