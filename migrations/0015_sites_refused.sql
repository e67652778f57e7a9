-- Why this version of the worker refuses the configuration of a site; empty: it does not. Upkeep writes it.

ALTER TABLE sites ADD COLUMN refused TEXT NOT NULL DEFAULT '';

CREATE INDEX IF NOT EXISTS sites_refused ON sites (name) WHERE refused <> '';
