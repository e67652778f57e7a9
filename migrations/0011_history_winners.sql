-- The first entry of a frozen period: `[rank, id, score]` as text, or null. It follows `entries` by itself, and is stored in an index alone.

ALTER TABLE history ADD COLUMN winner TEXT GENERATED ALWAYS AS (entries -> 0) VIRTUAL;
