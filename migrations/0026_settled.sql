-- Until when nobody is to be asked about an item, so that a walk through a library need not read
-- what was answered about each. An item without a row is looked at.
CREATE TABLE item_settled (
    item_id   INTEGER PRIMARY KEY REFERENCES item (id) ON DELETE CASCADE,
    -- A number for the list of providers that were to be asked.
    providers INTEGER NOT NULL,
    until     TEXT    NOT NULL
) STRICT;

-- Whatever is answered or decided about an item has it looked at again.
CREATE TRIGGER metadata_fetch_added AFTER INSERT ON metadata_fetch
BEGIN
    DELETE FROM item_settled WHERE item_id = new.item_id;
END;
CREATE TRIGGER metadata_fetch_changed AFTER UPDATE ON metadata_fetch
BEGIN
    DELETE FROM item_settled WHERE item_id IN (old.item_id, new.item_id);
END;
CREATE TRIGGER item_provider_added AFTER INSERT ON item_provider
BEGIN
    DELETE FROM item_settled WHERE item_id = new.item_id;
END;
CREATE TRIGGER item_provider_changed AFTER UPDATE ON item_provider
BEGIN
    DELETE FROM item_settled WHERE item_id IN (old.item_id, new.item_id);
END;
CREATE TRIGGER item_provider_removed AFTER DELETE ON item_provider
BEGIN
    DELETE FROM item_settled WHERE item_id = old.item_id;
END;
