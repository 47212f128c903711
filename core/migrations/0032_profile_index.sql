-- The index contains all columns that lists of playable items filter by.
DROP INDEX item_of_profile;
CREATE INDEX item_of_profile ON item (profile_id, library_id, kind, initial, subkind)
 WHERE profile_id IS NOT NULL;
