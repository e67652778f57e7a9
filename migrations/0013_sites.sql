-- Sites that are made while the deployment runs; see docs/http/sites.md and crates/serve/src/app/sites/sql.rs.
--
-- `tokens` holds SHA-256 of tokens and the generations of derived secrets, as JSON; no secret is here. `version` counts changes.
-- Instants are Unix milliseconds of the worker's clock.

CREATE TABLE IF NOT EXISTS sites (
  name TEXT NOT NULL PRIMARY KEY,
  version INTEGER NOT NULL,
  state TEXT NOT NULL,
  configuration TEXT NOT NULL,
  tokens TEXT NOT NULL,
  made_at INTEGER NOT NULL,
  changed_at INTEGER NOT NULL
);

CREATE INDEX IF NOT EXISTS sites_by_state ON sites (state, name);
