-- How many boards of a game are active and finished, kept by triggers so that nobody counts rows.
-- Several shards a game: boards that end at the same moment do not wait for one row.
CREATE TABLE board_counts (
    game   TEXT    NOT NULL,
    shard  INTEGER NOT NULL,                   -- boards.id % 16
    active INTEGER NOT NULL,
    finished INTEGER NOT NULL,
    PRIMARY KEY (game, shard)
) STRICT, WITHOUT ROWID;

INSERT INTO board_counts (game, shard, active, finished)
    SELECT game, id % 16, SUM(state = 'active'), SUM(state = 'over') FROM boards GROUP BY game, id % 16;

CREATE TRIGGER boards_counted_in AFTER INSERT ON boards BEGIN
    INSERT INTO board_counts (game, shard, active, finished)
        VALUES (NEW.game, NEW.id % 16, NEW.state = 'active', NEW.state = 'over')
        ON CONFLICT (game, shard) DO UPDATE
        SET active = active + excluded.active, finished = finished + excluded.finished;
END;

CREATE TRIGGER boards_counted_on AFTER UPDATE OF state ON boards WHEN OLD.state <> NEW.state BEGIN
    UPDATE board_counts
        SET active = active - (OLD.state = 'active') + (NEW.state = 'active'),
            finished = finished - (OLD.state = 'over') + (NEW.state = 'over')
        WHERE game = NEW.game AND shard = NEW.id % 16;
END;

-- Boards of all games in one state, page by page.
CREATE INDEX boards_in_state ON boards (state, id);

-- Kept messages of mails that are done with, oldest first.
CREATE INDEX inbox_kept ON inbox (done_at) WHERE raw IS NOT NULL AND state <> 'new';

-- Counters and pauses that have run out.
CREATE INDEX answer_budget_by_hour ON answer_budget (hour);
CREATE INDEX confirmations_by_time ON confirmations (sent_at);
