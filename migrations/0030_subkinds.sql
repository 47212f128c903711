-- The sort of item within its kind, by which lists are filtered. Scans assign it: the next one
-- groups every folder again and finds it in what is stored, without reading a file.
ALTER TABLE item ADD COLUMN subkind TEXT;

-- It is the last column of this index, so that everything that is kept of items in memory is read
-- from one index.
DROP INDEX item_by_title;
CREATE INDEX item_by_title ON item (library_id, kind, sort_title, id, missing, profile_id, subkind);

-- A list of one subkind is one range of these per library, as a list of one kind is of the others.
CREATE INDEX item_of_subkind_by_title
    ON item (library_id, kind, subkind, sort_title, id, missing, profile_id)
 WHERE subkind IS NOT NULL;
CREATE INDEX item_of_subkind_by_added
    ON item (library_id, kind, subkind, added_at, id, missing, profile_id)
 WHERE subkind IS NOT NULL;
CREATE INDEX item_of_subkind_by_year
    ON item (library_id, kind, subkind, sort_year, sort_title, id, missing, profile_id)
 WHERE subkind IS NOT NULL;
CREATE INDEX item_of_subkind_by_author
    ON item (library_id, kind, subkind, sort_authors, sort_title, id, missing, profile_id)
 WHERE subkind IS NOT NULL;
CREATE INDEX item_of_subkind_by_series
    ON item (library_id, kind, subkind, sort_series, sort_series_index, sort_title, id, missing,
             profile_id)
 WHERE subkind IS NOT NULL;

-- The counts are kept by subkind, too; items without one are counted under the empty text.
DROP TRIGGER item_count_insert;
DROP TRIGGER item_count_delete;
DROP TRIGGER item_count_update;
DROP TABLE item_count;
CREATE TABLE item_count (
    library_id INTEGER NOT NULL REFERENCES library (id) ON DELETE CASCADE,
    kind       TEXT    NOT NULL,
    subkind    TEXT    NOT NULL,
    missing    INTEGER NOT NULL,
    initial    TEXT    NOT NULL,
    n          INTEGER NOT NULL,
    PRIMARY KEY (library_id, kind, subkind, missing, initial)
) STRICT, WITHOUT ROWID;
INSERT INTO item_count (library_id, kind, subkind, missing, initial, n)
SELECT library_id, kind, '', missing, initial, count(*)
  FROM item
 GROUP BY library_id, kind, missing, initial;
CREATE TRIGGER item_count_insert AFTER INSERT ON item BEGIN
    INSERT INTO item_count (library_id, kind, subkind, missing, initial, n)
    VALUES (new.library_id, new.kind, ifnull(new.subkind, ''), new.missing, new.initial, 1)
        ON CONFLICT DO UPDATE SET n = n + 1;
END;
CREATE TRIGGER item_count_delete AFTER DELETE ON item BEGIN
    UPDATE item_count SET n = n - 1
     WHERE library_id = old.library_id AND kind = old.kind
       AND subkind = ifnull(old.subkind, '')
       AND missing = old.missing AND initial = old.initial;
END;
CREATE TRIGGER item_count_update
AFTER UPDATE OF library_id, kind, subkind, missing, initial ON item
WHEN (old.library_id, old.kind, old.subkind, old.missing, old.initial)
  IS NOT (new.library_id, new.kind, new.subkind, new.missing, new.initial) BEGIN
    UPDATE item_count SET n = n - 1
     WHERE library_id = old.library_id AND kind = old.kind
       AND subkind = ifnull(old.subkind, '')
       AND missing = old.missing AND initial = old.initial;
    INSERT INTO item_count (library_id, kind, subkind, missing, initial, n)
    VALUES (new.library_id, new.kind, ifnull(new.subkind, ''), new.missing, new.initial, 1)
        ON CONFLICT DO UPDATE SET n = n + 1;
END;

DROP TRIGGER item_profile_count_insert;
DROP TRIGGER item_profile_count_delete;
DROP TRIGGER item_profile_count_update;
DROP TABLE item_profile_count;
DROP TABLE item_profile_total;
CREATE TABLE item_profile_count (
    library_id INTEGER NOT NULL REFERENCES library (id) ON DELETE CASCADE,
    kind       TEXT    NOT NULL,
    subkind    TEXT    NOT NULL,
    profile_id INTEGER NOT NULL,
    initial    TEXT    NOT NULL,
    n          INTEGER NOT NULL,
    PRIMARY KEY (library_id, kind, subkind, profile_id, initial)
) STRICT, WITHOUT ROWID;
CREATE TABLE item_profile_total (
    library_id INTEGER NOT NULL REFERENCES library (id) ON DELETE CASCADE,
    kind       TEXT    NOT NULL,
    subkind    TEXT    NOT NULL,
    profile_id INTEGER NOT NULL,
    n          INTEGER NOT NULL,
    PRIMARY KEY (library_id, kind, subkind, profile_id)
) STRICT, WITHOUT ROWID;
CREATE TRIGGER item_profile_total_insert AFTER INSERT ON item_profile_count BEGIN
    INSERT INTO item_profile_total (library_id, kind, subkind, profile_id, n)
    VALUES (new.library_id, new.kind, new.subkind, new.profile_id, new.n)
        ON CONFLICT DO UPDATE SET n = n + new.n;
END;
CREATE TRIGGER item_profile_total_update AFTER UPDATE OF n ON item_profile_count BEGIN
    UPDATE item_profile_total SET n = n + new.n - old.n
     WHERE library_id = new.library_id AND kind = new.kind AND subkind = new.subkind
       AND profile_id = new.profile_id;
END;
INSERT INTO item_profile_count (library_id, kind, subkind, profile_id, initial, n)
SELECT library_id, kind, '', profile_id, initial, count(*)
  FROM item
 WHERE profile_id IS NOT NULL
 GROUP BY library_id, kind, profile_id, initial;
CREATE TRIGGER item_profile_count_insert AFTER INSERT ON item
WHEN new.profile_id IS NOT NULL BEGIN
    INSERT INTO item_profile_count (library_id, kind, subkind, profile_id, initial, n)
    VALUES (new.library_id, new.kind, ifnull(new.subkind, ''), new.profile_id, new.initial, 1)
        ON CONFLICT DO UPDATE SET n = n + 1;
END;
CREATE TRIGGER item_profile_count_delete AFTER DELETE ON item
WHEN old.profile_id IS NOT NULL BEGIN
    UPDATE item_profile_count SET n = n - 1
     WHERE library_id = old.library_id AND kind = old.kind
       AND subkind = ifnull(old.subkind, '')
       AND profile_id = old.profile_id AND initial = old.initial;
END;
CREATE TRIGGER item_profile_count_update
AFTER UPDATE OF library_id, kind, subkind, initial, profile_id ON item
WHEN (old.library_id, old.kind, old.subkind, old.initial, old.profile_id)
  IS NOT (new.library_id, new.kind, new.subkind, new.initial, new.profile_id) BEGIN
    UPDATE item_profile_count SET n = n - 1
     WHERE library_id = old.library_id AND kind = old.kind
       AND subkind = ifnull(old.subkind, '')
       AND profile_id = old.profile_id AND initial = old.initial;
    INSERT INTO item_profile_count (library_id, kind, subkind, profile_id, initial, n)
    SELECT new.library_id, new.kind, ifnull(new.subkind, ''), new.profile_id, new.initial, 1
     WHERE new.profile_id IS NOT NULL
        ON CONFLICT DO UPDATE SET n = n + 1;
END;
