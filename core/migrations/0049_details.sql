-- Adds the details that providers know about items: characters of cast members, ids of people,
-- episodes, and pictures other than covers.

-- Played character, for cast members.
ALTER TABLE item_person ADD COLUMN character TEXT;

-- Ids of people in external databases. A person whose name equals that of another person, but whose
-- id differs, is a separate row of `person`.
CREATE TABLE person_identity (
    database    TEXT    NOT NULL,
    external_id TEXT    NOT NULL,
    person_id   INTEGER NOT NULL REFERENCES person (id) ON DELETE CASCADE,
    PRIMARY KEY (database, external_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX person_identity_of_person ON person_identity (person_id, database);

-- Details of an item from the provider of its match, and its ids in external databases, as JSON.
CREATE TABLE item_detail (
    item_id      INTEGER PRIMARY KEY REFERENCES item (id) ON DELETE CASCADE,
    provider     TEXT    NOT NULL,
    details      TEXT    NOT NULL,
    external_ids TEXT    NOT NULL
) STRICT;

-- Episodes of an item from the provider of its match, including those without a file.
CREATE TABLE episode_detail (
    item_id     INTEGER NOT NULL REFERENCES item (id) ON DELETE CASCADE,
    season      INTEGER NOT NULL,
    number      INTEGER NOT NULL,
    -- Number in the whole series, if episodes are counted without seasons.
    absolute    INTEGER,
    title       TEXT,
    description TEXT,
    aired       TEXT,
    PRIMARY KEY (item_id, season, number)
) STRICT, WITHOUT ROWID;

-- Pictures other than covers: `backdrop` and `logo` of an item, `still` of an episode, `portrait`
-- of a person. `season` and `number` are 0 unless the picture shows an episode. A picture without
-- `cover_id` is not fetched yet.
CREATE TABLE picture (
    id        INTEGER PRIMARY KEY AUTOINCREMENT,
    item_id   INTEGER REFERENCES item (id) ON DELETE CASCADE,
    person_id INTEGER REFERENCES person (id) ON DELETE CASCADE,
    role      TEXT    NOT NULL CHECK (role IN ('backdrop', 'logo', 'still', 'portrait')),
    season    INTEGER NOT NULL DEFAULT 0,
    number    INTEGER NOT NULL DEFAULT 0,
    provider  TEXT    NOT NULL,
    url       TEXT,
    -- Failed attempts to fetch the picture.
    failures  INTEGER NOT NULL DEFAULT 0,
    cover_id  INTEGER REFERENCES cover (id) ON DELETE SET NULL,
    CHECK ((item_id IS NULL) <> (person_id IS NULL))
) STRICT;
CREATE UNIQUE INDEX picture_of_item ON picture (item_id, role, season, number)
 WHERE item_id IS NOT NULL;
CREATE UNIQUE INDEX picture_of_person ON picture (person_id) WHERE person_id IS NOT NULL;
CREATE INDEX picture_of_cover ON picture (cover_id) WHERE cover_id IS NOT NULL;
CREATE INDEX picture_to_fetch ON picture (item_id, id)
 WHERE cover_id IS NULL AND item_id IS NOT NULL;

-- Uses of covers. A cover is deleted with its last use.
CREATE VIEW cover_use AS
SELECT cover_id FROM item WHERE cover_id IS NOT NULL
 UNION ALL
SELECT cover_id FROM item_cover
 UNION ALL
SELECT cover_id FROM picture WHERE cover_id IS NOT NULL;
DROP TRIGGER cover_unused_update;
DROP TRIGGER cover_unused_delete;
DROP TRIGGER cover_unoffered;
CREATE TRIGGER cover_unused_update AFTER UPDATE OF cover_id ON item
WHEN old.cover_id IS NOT NULL AND old.cover_id IS NOT new.cover_id BEGIN
    DELETE FROM cover
     WHERE id = old.cover_id
       AND NOT EXISTS (SELECT 1 FROM cover_use WHERE cover_id = old.cover_id);
END;
CREATE TRIGGER cover_unused_delete AFTER DELETE ON item WHEN old.cover_id IS NOT NULL BEGIN
    DELETE FROM cover
     WHERE id = old.cover_id
       AND NOT EXISTS (SELECT 1 FROM cover_use WHERE cover_id = old.cover_id);
END;
CREATE TRIGGER cover_unoffered AFTER DELETE ON item_cover BEGIN
    DELETE FROM cover
     WHERE id = old.cover_id
       AND NOT EXISTS (SELECT 1 FROM cover_use WHERE cover_id = old.cover_id);
END;
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
