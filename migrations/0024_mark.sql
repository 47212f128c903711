-- What was read of a file bears a mark of its kind's readers and of the notes beside it: a file
-- whose mark would be another today is read again. Those without one are, once.

ALTER TABLE file ADD COLUMN mark INTEGER;
