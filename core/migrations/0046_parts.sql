-- Adds the numbers of items per author, and the titles and artists of files.
-- Number of present items per library, kind and author. Triggers maintain the numbers, so that the
-- list of authors needs no counting.
CREATE TABLE author_count (
    library_id INTEGER NOT NULL REFERENCES library (id) ON DELETE CASCADE,
    kind       TEXT    NOT NULL,
    person_id  INTEGER NOT NULL REFERENCES person (id) ON DELETE CASCADE,
    n          INTEGER NOT NULL,
    PRIMARY KEY (library_id, kind, person_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX author_count_by_person ON author_count (person_id);
CREATE TRIGGER author_count_insert AFTER INSERT ON item_person
WHEN new.role = 'author'
 AND (SELECT count(*) FROM item_person
       WHERE person_id = new.person_id AND item_id = new.item_id AND role = 'author') = 1 BEGIN
    INSERT INTO author_count (library_id, kind, person_id, n)
    SELECT library_id, kind, new.person_id, 1 FROM item WHERE id = new.item_id AND missing = 0
        ON CONFLICT DO UPDATE SET n = n + 1;
END;
-- SQLite deletes an item's row before its credits, so this trigger finds no library then.
-- `author_count_item` counts the deleted item.
CREATE TRIGGER author_count_delete AFTER DELETE ON item_person
WHEN old.role = 'author'
 AND NOT EXISTS (SELECT 1 FROM item_person
                  WHERE person_id = old.person_id AND item_id = old.item_id
                    AND role = 'author') BEGIN
    UPDATE author_count SET n = n - 1
     WHERE person_id = old.person_id
       AND (library_id, kind) = (SELECT library_id, kind FROM item
                                  WHERE id = old.item_id AND missing = 0);
    DELETE FROM author_count WHERE person_id = old.person_id AND n = 0;
END;
CREATE TRIGGER author_count_item BEFORE DELETE ON item WHEN old.missing = 0 BEGIN
    UPDATE author_count SET n = n - 1
     WHERE library_id = old.library_id AND kind = old.kind
       AND person_id IN (SELECT person_id FROM item_person
                          WHERE item_id = old.id AND role = 'author');
    DELETE FROM author_count
     WHERE person_id IN (SELECT person_id FROM item_person WHERE item_id = old.id) AND n = 0;
END;
CREATE TRIGGER author_count_lost AFTER UPDATE OF missing ON item
WHEN old.missing = 0 AND new.missing = 1 BEGIN
    UPDATE author_count SET n = n - 1
     WHERE library_id = old.library_id AND kind = old.kind
       AND person_id IN (SELECT person_id FROM item_person
                          WHERE item_id = old.id AND role = 'author');
    DELETE FROM author_count
     WHERE person_id IN (SELECT person_id FROM item_person WHERE item_id = old.id) AND n = 0;
END;
CREATE TRIGGER author_count_found AFTER UPDATE OF missing ON item
WHEN old.missing = 1 AND new.missing = 0 BEGIN
    INSERT INTO author_count (library_id, kind, person_id, n)
    SELECT DISTINCT new.library_id, new.kind, person_id, 1
      FROM item_person
     WHERE item_id = new.id AND role = 'author'
        ON CONFLICT DO UPDATE SET n = n + 1;
END;

-- Titles and artists of files, for kinds whose files are parts with artists of their own. The index
-- `part_word` contains them folded, without storing them.
CREATE TABLE part (
    file_id    INTEGER PRIMARY KEY REFERENCES file (id) ON DELETE CASCADE,
    -- Copy of the file's library, which never changes.
    library_id INTEGER NOT NULL,
    title      TEXT    NOT NULL,
    artists    TEXT    NOT NULL,
    -- Copy of the file's column, which a trigger maintains.
    missing    INTEGER NOT NULL CHECK (missing IN (0, 1))
) STRICT;
CREATE INDEX part_present ON part (library_id, file_id) WHERE missing = 0;
CREATE VIRTUAL TABLE part_word USING fts5 (
    title, artists,
    content = '', contentless_delete = 1,
    tokenize = 'unicode61 remove_diacritics 2', prefix = '1 2 3'
);
CREATE TRIGGER part_missing AFTER UPDATE OF missing ON file WHEN old.missing <> new.missing BEGIN
    UPDATE part SET missing = new.missing WHERE file_id = new.id;
END;
CREATE TRIGGER part_delete AFTER DELETE ON part BEGIN
    DELETE FROM part_word WHERE rowid = old.file_id;
END;

INSERT INTO author_count (library_id, kind, person_id, n)
SELECT item.library_id, item.kind, link.person_id, count(DISTINCT item.id)
  FROM item_person AS link
  JOIN item ON item.id = link.item_id
 WHERE link.role = 'author' AND item.missing = 0
 GROUP BY 1, 2, 3;

-- Only recordings have parts in this version. The next read of a file writes its row again. The
-- server writes `part_word` in the background, because its words depend on Unicode tables that
-- SQLite lacks.
INSERT INTO part (file_id, library_id, title, artists, missing)
SELECT file.id, item.library_id, coalesce(file.title, item.title),
       coalesce((SELECT group_concat(value, ', ')
                   FROM json_each(iif(json_valid(file.kind_data), file.kind_data, '{}'), '$.ar')),
                ''),
       file.missing
  FROM file
  JOIN item ON item.id = file.item_id
 WHERE item.kind = 'audio';
INSERT OR REPLACE INTO search_backlog (id, next_item)
SELECT 1, max(id) FROM item HAVING max(id) IS NOT NULL;
