-- What people decide about matches, and what providers keep between requests.

-- Whether a person chose this match, and whether its words stand in the item's fields.
ALTER TABLE item_provider
  ADD COLUMN is_chosen INTEGER NOT NULL DEFAULT 0 CHECK (is_chosen IN (0, 1));
ALTER TABLE item_provider
  ADD COLUMN is_source INTEGER NOT NULL DEFAULT 0 CHECK (is_source IN (0, 1));

-- Matches that a person has undone: none of them is made again by itself.
CREATE TABLE match_refused (
    item_id     INTEGER NOT NULL REFERENCES item (id) ON DELETE CASCADE,
    provider    TEXT    NOT NULL,
    external_id TEXT    NOT NULL,
    PRIMARY KEY (item_id, provider, external_id)
) STRICT, WITHOUT ROWID;

-- Tokens and the like, which outlive a restart.
CREATE TABLE provider_state (
    provider   TEXT NOT NULL,
    key        TEXT NOT NULL,
    value      TEXT NOT NULL,
    expires_at TEXT NOT NULL,
    PRIMARY KEY (provider, key)
) STRICT, WITHOUT ROWID;
