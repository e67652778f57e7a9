-- stood_names: the lines of the state's `stood`, see note_stand, with the names of those who are curated, and without their scores.
local function stood_names(stood) return (string.gsub(string.gsub(stood, '^[^\n]*\n[^\n]*\n', ''), '\t[^\n]*', '\t')) end
