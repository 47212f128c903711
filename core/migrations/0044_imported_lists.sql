-- Adds the connection of imported lists with their source.

-- Lists that an import created. The row of a deleted list stays, so that a repeated import does not
-- create the list again.
CREATE TABLE imported_list (
    id            INTEGER PRIMARY KEY AUTOINCREMENT,
    -- Id of the other program, and of the list in it.
    source        TEXT    NOT NULL,
    source_key    TEXT    NOT NULL,
    user_id       INTEGER NOT NULL REFERENCES user (id) ON DELETE CASCADE,
    kind          TEXT    NOT NULL CHECK (kind IN ('playlist', 'collection')),
    playlist_id   INTEGER REFERENCES playlist (id) ON DELETE SET NULL,
    collection_id INTEGER REFERENCES collection (id) ON DELETE SET NULL,
    -- Version of the list after the last import. Another version means a change in Ledge.
    version       INTEGER NOT NULL,
    UNIQUE (source, source_key, user_id, kind)
) STRICT;
CREATE INDEX imported_list_by_user ON imported_list (user_id);
CREATE INDEX imported_list_of_playlist ON imported_list (playlist_id)
 WHERE playlist_id IS NOT NULL;
CREATE INDEX imported_list_of_collection ON imported_list (collection_id)
 WHERE collection_id IS NOT NULL;
