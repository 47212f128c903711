-- The counts of items by codecs are read from the index, and the search cache needs no counter.
DROP TRIGGER item_profile_count_insert;
DROP TRIGGER item_profile_count_delete;
DROP TRIGGER item_profile_count_update;
DROP TABLE item_profile_count;
DROP TABLE item_profile_total;
DROP TABLE search_epoch;
