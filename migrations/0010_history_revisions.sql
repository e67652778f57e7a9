-- `revision` is how often a period was frozen: 1, and one more each time that it was frozen anew. `early` is 1 where it was frozen before its
-- end, by clocks that were ahead: it is not shown, and is frozen anew when it ends.

ALTER TABLE history ADD COLUMN revision INTEGER NOT NULL DEFAULT 1;

ALTER TABLE history ADD COLUMN early INTEGER NOT NULL DEFAULT 0;
