-- Shelves and lists of one user's items: the library stands in each row, so that what may be seen
-- is one range per library, and the row tells what to go on with.

CREATE TEMP TABLE kept_progress AS
SELECT p.user_id, p.item_id, item.library_id, p.file_id, p.finished, p.updated_at
  FROM item_progress AS p
  JOIN item ON item.id = p.item_id;
DROP TABLE item_progress;
-- One row per user and item, kept with each write: Continue never groups.
CREATE TABLE item_progress (
    user_id          INTEGER NOT NULL REFERENCES user (id) ON DELETE CASCADE,
    item_id          INTEGER NOT NULL REFERENCES item (id) ON DELETE CASCADE,
    -- The item's; it never changes, and goes with the item.
    library_id       INTEGER NOT NULL,
    -- The file with the newest place.
    file_id          INTEGER NOT NULL REFERENCES file (id) ON DELETE CASCADE,
    finished         INTEGER NOT NULL DEFAULT 0 CHECK (finished IN (0, 1)),
    -- How much of the item is done, 0 to 1; NULL where that cannot be told.
    fraction         REAL,
    -- The file to go on with; NULL where the item is finished or nothing is left.
    continue_file_id INTEGER REFERENCES file (id) ON DELETE SET NULL,
    updated_at       TEXT    NOT NULL,
    PRIMARY KEY (user_id, item_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX item_progress_by_item ON item_progress (item_id);
CREATE INDEX item_progress_by_file ON item_progress (file_id);
CREATE INDEX item_progress_by_next ON item_progress (continue_file_id);
CREATE INDEX item_progress_by_state ON item_progress (user_id, finished, library_id, item_id);
CREATE INDEX item_progress_by_time ON item_progress (user_id, library_id, updated_at, item_id);
CREATE INDEX item_progress_on_shelf
    ON item_progress (user_id, library_id, updated_at, item_id)
 WHERE continue_file_id IS NOT NULL;
INSERT INTO item_progress
       (user_id, item_id, library_id, file_id, finished, continue_file_id, updated_at)
SELECT user_id, item_id, library_id, file_id, finished, iif(finished, NULL, file_id), updated_at
  FROM temp.kept_progress;
DROP TABLE temp.kept_progress;

CREATE TEMP TABLE kept_view AS
SELECT v.user_id, v.item_id, item.library_id, v.n, v.viewed_at
  FROM item_view AS v
  JOIN item ON item.id = v.item_id;
DROP TABLE item_view;
CREATE TABLE item_view (
    user_id    INTEGER NOT NULL REFERENCES user (id) ON DELETE CASCADE,
    item_id    INTEGER NOT NULL REFERENCES item (id) ON DELETE CASCADE,
    -- The item's; it never changes, and goes with the item.
    library_id INTEGER NOT NULL,
    n          INTEGER NOT NULL,
    viewed_at  TEXT    NOT NULL,
    PRIMARY KEY (user_id, item_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX item_view_by_item ON item_view (item_id);
CREATE INDEX item_view_by_count ON item_view (user_id, library_id, n, viewed_at, item_id);
INSERT INTO item_view (user_id, item_id, library_id, n, viewed_at)
SELECT user_id, item_id, library_id, n, viewed_at FROM temp.kept_view;
DROP TABLE temp.kept_view;
