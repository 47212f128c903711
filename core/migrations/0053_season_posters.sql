-- Adds the role `season` of pictures. SQLite cannot change a constraint, so that the table is created
-- again. All rows stay.

CREATE TABLE picture_before AS SELECT * FROM picture;
-- Ids of deleted rows are not used again.
CREATE TABLE picture_sequence AS SELECT seq FROM sqlite_sequence WHERE name = 'picture';
DROP TABLE picture;

CREATE TABLE picture (
    id        INTEGER PRIMARY KEY AUTOINCREMENT,
    item_id   INTEGER REFERENCES item (id) ON DELETE CASCADE,
    person_id INTEGER REFERENCES person (id) ON DELETE CASCADE,
    role      TEXT    NOT NULL
              CHECK (role IN ('backdrop', 'logo', 'season', 'still', 'portrait')),
    season    INTEGER NOT NULL DEFAULT 0,
    number    INTEGER NOT NULL DEFAULT 0,
    provider  TEXT    NOT NULL,
    url       TEXT,
    -- Failed attempts to fetch the picture.
    failures  INTEGER NOT NULL DEFAULT 0,
    cover_id  INTEGER REFERENCES cover (id) ON DELETE SET NULL,
    CHECK ((item_id IS NULL) <> (person_id IS NULL))
) STRICT;
INSERT INTO picture
       (id, item_id, person_id, role, season, number, provider, url, failures, cover_id)
SELECT id, item_id, person_id, role, season, number, provider, url, failures, cover_id
  FROM picture_before;
DROP TABLE picture_before;
DELETE FROM sqlite_sequence WHERE name = 'picture';
INSERT INTO sqlite_sequence (name, seq) SELECT 'picture', seq FROM picture_sequence;
DROP TABLE picture_sequence;

CREATE UNIQUE INDEX picture_of_item ON picture (item_id, role, season, number)
 WHERE item_id IS NOT NULL;
CREATE UNIQUE INDEX picture_of_person ON picture (person_id) WHERE person_id IS NOT NULL;
CREATE INDEX picture_of_cover ON picture (cover_id) WHERE cover_id IS NOT NULL;
CREATE INDEX picture_to_fetch ON picture (item_id, id)
 WHERE cover_id IS NULL AND item_id IS NOT NULL;

CREATE TRIGGER cover_unshown_update AFTER UPDATE OF cover_id ON picture
WHEN old.cover_id IS NOT NULL AND old.cover_id IS NOT new.cover_id BEGIN
    DELETE FROM cover
     WHERE id = old.cover_id
       AND NOT EXISTS (SELECT 1 FROM cover_use WHERE cover_id = old.cover_id);
END;
CREATE TRIGGER cover_unshown_delete AFTER DELETE ON picture WHEN old.cover_id IS NOT NULL BEGIN
    DELETE FROM cover
     WHERE id = old.cover_id
       AND NOT EXISTS (SELECT 1 FROM cover_use WHERE cover_id = old.cover_id);
END;
