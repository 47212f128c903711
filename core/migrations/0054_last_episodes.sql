-- Adds the last number of files with several episodes. The next scan reads it from the names.

ALTER TABLE file ADD COLUMN last_episode INTEGER;
