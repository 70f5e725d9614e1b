-- What SPF, DKIM and DMARC said of a received mail (JSON), unless nobody looked.
ALTER TABLE inbox ADD COLUMN verdicts TEXT;
