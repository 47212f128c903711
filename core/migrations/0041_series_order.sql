-- Orders the items of a series by number in an index.

DROP INDEX item_of_series;
-- The items of a series in order. Items without a number are read as a range of their own.
CREATE INDEX item_of_series
    ON item (series_id, series_index, sort_title, id, library_id, missing, added_at)
 WHERE series_id IS NOT NULL;
