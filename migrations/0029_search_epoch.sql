-- While items only come into the search indexes, what a search matched before still matches, and
-- only what came since has to be asked for. This counts the times when that was not so.
CREATE TABLE search_epoch (
    id    INTEGER PRIMARY KEY CHECK (id = 1),
    epoch INTEGER NOT NULL
) STRICT;
INSERT INTO search_epoch (id, epoch) VALUES (1, 0);
