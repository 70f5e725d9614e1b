-- News that wait for a user's mail of the day.
CREATE TABLE digest_news (
    id      INTEGER PRIMARY KEY,
    user_id INTEGER NOT NULL REFERENCES users (id),
    text    TEXT    NOT NULL, -- of the mail that would have been sent
    at      INTEGER NOT NULL
) STRICT;
CREATE INDEX digest_news_by_user ON digest_news (user_id);

-- What the page of a ladder counts stands in indexes.
CREATE INDEX tournament_seats_over ON tournament_seats (tournament_id, entry, points) WHERE points IS NOT NULL;
CREATE INDEX tournament_log_climbs ON tournament_log (tournament_id, at, user_id, subject_id) WHERE action = 'climb';
