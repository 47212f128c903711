-- When a file or item went missing; set at that transition only, cleared when it is found again.
ALTER TABLE item ADD COLUMN missing_since TEXT;
ALTER TABLE file ADD COLUMN missing_since TEXT;
