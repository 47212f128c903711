-- Adds settings of metadata providers that administrators change while the server runs.

-- Settings of all providers. Without a row, the defaults apply.
CREATE TABLE metadata_setting (
    id          INTEGER PRIMARY KEY CHECK (id = 1),
    -- 0 if no remote provider may be queried, not even on request.
    remote      INTEGER NOT NULL DEFAULT 1 CHECK (remote IN (0, 1)),
    -- 1 if complete scans are followed by an enrichment of the library.
    after_scans INTEGER NOT NULL DEFAULT 0 CHECK (after_scans IN (0, 1)),
    -- Languages of texts as a JSON array of BCP 47 tags, most wanted first. Empty for the default.
    languages   TEXT    NOT NULL DEFAULT '[]'
) STRICT;

-- Providers that must not be queried.
CREATE TABLE provider_disabled (
    provider TEXT PRIMARY KEY
) STRICT, WITHOUT ROWID;

-- Values of a provider's settings: plain text, or a secret that is encrypted with a key outside of
-- the database.
CREATE TABLE provider_value (
    provider TEXT NOT NULL,
    name     TEXT NOT NULL,
    value    TEXT,
    nonce    BLOB,
    sealed   BLOB,
    PRIMARY KEY (provider, name),
    CHECK ((value IS NULL) = (sealed IS NOT NULL)),
    CHECK ((nonce IS NULL) = (sealed IS NULL))
) STRICT, WITHOUT ROWID;

-- Query order of the providers of a kind. Providers without a row follow by rank.
CREATE TABLE provider_order (
    kind     TEXT    NOT NULL,
    provider TEXT    NOT NULL,
    position INTEGER NOT NULL,
    PRIMARY KEY (kind, provider)
) STRICT, WITHOUT ROWID;
