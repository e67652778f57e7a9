-- STEP_BACK_MS: how far a clock may go back without being believed, see hold_to_latest (milliseconds).
local STEP_BACK_MS = 60000
