-- REFUSED: the outcomes of what was refused and may count when it comes again, later or mended: it leaves no id. What an actor did or undid
-- before is an answer, which stays.
local REFUSED = 'rmvgxfoeb'
