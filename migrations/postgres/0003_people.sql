-- People: what users say about themselves, and how one stands to another.

CREATE TABLE profiles (
    user_id BIGINT  PRIMARY KEY REFERENCES users (id),
    about   TEXT    NOT NULL,
    at      BIGINT  NOT NULL
);

CREATE TABLE relations (
    user_id  BIGINT NOT NULL REFERENCES users (id),
    other_id BIGINT NOT NULL REFERENCES users (id),
    kind     TEXT   NOT NULL, -- block | follow
    at       BIGINT NOT NULL,
    PRIMARY KEY (user_id, other_id)
);
CREATE INDEX relations_by_other ON relations (other_id);
