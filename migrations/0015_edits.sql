-- Edits: what the scan says about a field that a person or a provider wrote is kept beneath it, so
-- that the field can be given back.
ALTER TABLE item ADD COLUMN beneath TEXT;
