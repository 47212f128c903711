-- Scans of some folders only: the next scan by schedule is counted from the last of the whole library.

ALTER TABLE scan_run
  ADD COLUMN is_whole INTEGER NOT NULL DEFAULT 1 CHECK (is_whole IN (0, 1));
CREATE INDEX scan_run_whole ON scan_run (library_id, id) WHERE is_whole = 1;
