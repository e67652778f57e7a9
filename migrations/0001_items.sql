-- What items and actors are: what rankings show beside ids. `details` is a JSON object; its fields are in docs/http.md.
-- `revision` is a digest of it. Instants are Unix milliseconds.

CREATE TABLE IF NOT EXISTS items (
  site TEXT NOT NULL,
  id TEXT NOT NULL,
  details TEXT NOT NULL,
  revision TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  category TEXT GENERATED ALWAYS AS (details ->> '$.category') VIRTUAL,
  author TEXT GENERATED ALWAYS AS (details ->> '$.author') VIRTUAL,
  published_at TEXT GENERATED ALWAYS AS (details ->> '$.published_at') VIRTUAL,
  PRIMARY KEY (site, id)
);

CREATE INDEX IF NOT EXISTS items_by_update ON items (site, updated_at, id);

CREATE TABLE IF NOT EXISTS actors (
  site TEXT NOT NULL,
  id TEXT NOT NULL,
  details TEXT NOT NULL,
  revision TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  PRIMARY KEY (site, id)
);
