-- Adds the vocabulary of the search. The server indexes the existing items in the background, because
-- the words depend on Unicode tables that SQLite lacks.
CREATE TABLE search_vocabulary (
    is_reversed INTEGER NOT NULL CHECK (is_reversed IN (0, 1)),
    text        TEXT    NOT NULL,
    -- Not a foreign key: the words of a deleted library are deleted in the background.
    library_id  INTEGER NOT NULL,
    PRIMARY KEY (is_reversed, text, library_id)
) STRICT, WITHOUT ROWID;
CREATE TABLE search_backlog (
    id        INTEGER PRIMARY KEY CHECK (id = 1),
    next_item INTEGER NOT NULL
) STRICT;
INSERT INTO search_backlog (id, next_item)
SELECT 1, max(id) FROM item HAVING max(id) IS NOT NULL;
