-- Items that were shown and that nobody described: what their pages say is read when it is due. `due_at` is in Unix milliseconds.

CREATE TABLE IF NOT EXISTS page_reads (
  site TEXT NOT NULL,
  id TEXT NOT NULL,
  tries INTEGER NOT NULL,
  due_at INTEGER NOT NULL,
  PRIMARY KEY (site, id)
);

CREATE INDEX IF NOT EXISTS page_reads_by_due ON page_reads (due_at);
