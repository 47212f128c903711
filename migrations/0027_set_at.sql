-- A clock that was ahead and is put right leaves jobs behind that wait for a time far away: when
-- that time was set tells them from those that wait because they are to. NULL: when it was queued.
ALTER TABLE job ADD COLUMN set_at TEXT;
