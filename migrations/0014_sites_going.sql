-- How far deleting a site is that was made while the deployment runs, and who is at it; see crates/admin/src/app/sites/going.rs.
--
-- A site that is gone leaves its name and instants for as long as a queue may keep its messages.

ALTER TABLE sites ADD COLUMN going_at INTEGER NOT NULL DEFAULT 0;

ALTER TABLE sites ADD COLUMN owner TEXT NOT NULL DEFAULT '';

ALTER TABLE sites ADD COLUMN owned_until INTEGER NOT NULL DEFAULT 0;

ALTER TABLE sites ADD COLUMN deleted TEXT NOT NULL DEFAULT '{}';
