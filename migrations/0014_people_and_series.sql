-- How many items of each library a person is credited with, and how many a series has; kept by the
-- triggers below, so that lists of people and series count nothing. An item that is credited to a
-- person in two roles counts once.
CREATE TABLE person_count (
    person_id  INTEGER NOT NULL REFERENCES person (id) ON DELETE CASCADE,
    library_id INTEGER NOT NULL,
    n          INTEGER NOT NULL,
    PRIMARY KEY (person_id, library_id)
) STRICT, WITHOUT ROWID;
CREATE TRIGGER person_count_insert AFTER INSERT ON item_person
WHEN (SELECT count(*) FROM item_person
       WHERE person_id = new.person_id AND item_id = new.item_id) = 1 BEGIN
    INSERT INTO person_count (person_id, library_id, n)
    SELECT new.person_id, library_id, 1 FROM item WHERE id = new.item_id
        ON CONFLICT DO UPDATE SET n = n + 1;
END;
-- When an item goes, its row is gone before its credits are: they count down nothing here.
CREATE TRIGGER person_count_delete AFTER DELETE ON item_person
WHEN NOT EXISTS (SELECT 1 FROM item_person
                  WHERE person_id = old.person_id AND item_id = old.item_id) BEGIN
    UPDATE person_count SET n = n - 1
     WHERE person_id = old.person_id
       AND library_id = (SELECT library_id FROM item WHERE id = old.item_id);
    DELETE FROM person_count WHERE person_id = old.person_id AND n = 0;
END;
CREATE TRIGGER person_count_item BEFORE DELETE ON item BEGIN
    UPDATE person_count SET n = n - 1
     WHERE library_id = old.library_id
       AND person_id IN (SELECT person_id FROM item_person WHERE item_id = old.id);
    DELETE FROM person_count
     WHERE person_id IN (SELECT person_id FROM item_person WHERE item_id = old.id)
       AND n = 0;
END;

CREATE TABLE series_count (
    series_id  INTEGER NOT NULL REFERENCES series (id) ON DELETE CASCADE,
    library_id INTEGER NOT NULL,
    n          INTEGER NOT NULL,
    PRIMARY KEY (series_id, library_id)
) STRICT, WITHOUT ROWID;
CREATE TRIGGER series_count_insert AFTER INSERT ON item WHEN new.series_id IS NOT NULL BEGIN
    INSERT INTO series_count (series_id, library_id, n)
    VALUES (new.series_id, new.library_id, 1)
        ON CONFLICT DO UPDATE SET n = n + 1;
END;
CREATE TRIGGER series_count_delete AFTER DELETE ON item WHEN old.series_id IS NOT NULL BEGIN
    UPDATE series_count SET n = n - 1
     WHERE series_id = old.series_id AND library_id = old.library_id;
    DELETE FROM series_count WHERE series_id = old.series_id AND n = 0;
END;
CREATE TRIGGER series_count_leave AFTER UPDATE OF series_id ON item
WHEN old.series_id IS NOT NULL AND old.series_id IS NOT new.series_id BEGIN
    UPDATE series_count SET n = n - 1
     WHERE series_id = old.series_id AND library_id = old.library_id;
    DELETE FROM series_count WHERE series_id = old.series_id AND n = 0;
END;
CREATE TRIGGER series_count_join AFTER UPDATE OF series_id ON item
WHEN new.series_id IS NOT NULL AND old.series_id IS NOT new.series_id BEGIN
    INSERT INTO series_count (series_id, library_id, n)
    VALUES (new.series_id, new.library_id, 1)
        ON CONFLICT DO UPDATE SET n = n + 1;
END;
CREATE INDEX series_by_name ON series (name_key, id);

INSERT INTO person_count (person_id, library_id, n)
SELECT p.person_id, item.library_id, count(DISTINCT p.item_id)
  FROM item_person AS p
  JOIN item ON item.id = p.item_id
 GROUP BY p.person_id, item.library_id;
INSERT INTO series_count (series_id, library_id, n)
SELECT series_id, library_id, count(*)
  FROM item
 WHERE series_id IS NOT NULL
 GROUP BY series_id, library_id;
