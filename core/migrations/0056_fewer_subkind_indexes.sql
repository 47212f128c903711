-- A list of one subkind by year, author or series filters a range of its kind. Without indexes of
-- their own for these orders, a first scan takes 3 to 11 % less CPU time.

DROP INDEX item_of_subkind_by_year;
DROP INDEX item_of_subkind_by_author;
DROP INDEX item_of_subkind_by_series;
DROP INDEX item_by_year;
CREATE INDEX item_by_year
    ON item (library_id, kind, sort_year, sort_title, id, missing, profile_id, subkind);
DROP INDEX item_by_author;
CREATE INDEX item_by_author
    ON item (library_id, kind, sort_authors, sort_title, id, missing, profile_id, subkind);
DROP INDEX item_by_series;
CREATE INDEX item_by_series
    ON item (library_id, kind, sort_series, sort_series_index, sort_title, id, missing, profile_id,
             subkind);
DROP INDEX item_by_duration;
CREATE INDEX item_by_duration
    ON item (library_id, kind, sort_duration, sort_title, id, missing, profile_id, subkind);
DROP INDEX item_by_pages;
CREATE INDEX item_by_pages
    ON item (library_id, kind, sort_pages, sort_title, id, missing, profile_id, subkind);
DROP INDEX item_by_size;
CREATE INDEX item_by_size
    ON item (library_id, kind, sort_size, sort_title, id, missing, profile_id, subkind);
DROP INDEX item_by_released;
CREATE INDEX item_by_released
    ON item (library_id, kind, sort_released, sort_title, id, missing, profile_id, subkind);
