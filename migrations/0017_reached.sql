-- How far a deletion, a return or an alias is, on a site that has boards of templates: a random word of when it was begun, a space, and the
-- last board that is done. A run that goes on names what it read, so none goes on with a deletion that was begun anew meanwhile.

ALTER TABLE taken_down ADD COLUMN reached TEXT NOT NULL DEFAULT '';

ALTER TABLE aliases ADD COLUMN reached TEXT NOT NULL DEFAULT '';
