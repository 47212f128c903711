-- What a kind wants kept of a file's own words: shown to its grouping also when only neighbours of
-- the file are read again.

ALTER TABLE file ADD COLUMN said TEXT;
