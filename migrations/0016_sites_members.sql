-- How many members a site has that has a quota of them, and when that was counted; 0: never. Upkeep writes it.

ALTER TABLE sites ADD COLUMN members INTEGER NOT NULL DEFAULT 0;

ALTER TABLE sites ADD COLUMN counted_at INTEGER NOT NULL DEFAULT 0;
