-- The best of those who are established and of those who are not, without walking past the others.
CREATE INDEX ratings_established ON ratings (game, active, rating) WHERE active = TRUE AND games >= 20;
CREATE INDEX ratings_provisional ON ratings (game, active, rating) WHERE active = TRUE AND games < 20;
