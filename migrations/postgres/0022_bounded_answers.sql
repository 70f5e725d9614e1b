-- Answers are counted in bytes as well as in mails.
ALTER TABLE answer_budget ADD COLUMN bytes BIGINT NOT NULL DEFAULT 0;

-- Where no mail goes, whatever causes it: an address in lower case, or a domain behind an `@`.
CREATE TABLE do_not_mail (
    target TEXT    PRIMARY KEY,
    reason TEXT    NOT NULL,
    at     BIGINT  NOT NULL
);
