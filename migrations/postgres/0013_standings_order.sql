-- Equal ratings are common among those who have played little: whoever signed up first comes first, and the best
-- are read off the index instead of sorting all who are equal. With the end of the last board in it, those of
-- another block are passed over without looking at their rows. SQLite takes the index made last, of equally good ones.
DROP INDEX ratings_by_rank;
DROP INDEX ratings_established;
DROP INDEX ratings_provisional;
CREATE INDEX ratings_by_rank ON ratings (game, active, rating DESC, user_id, ended_at);
CREATE INDEX ratings_established ON ratings (game, active, rating DESC, user_id, ended_at)
    WHERE active = TRUE AND games >= 20;
CREATE INDEX ratings_provisional ON ratings (game, active, rating DESC, user_id, ended_at)
    WHERE active = TRUE AND games < 20;
