-- MAX_IDS: how many ids a set holds, about, so that a flood of them does not fill the memory.
local MAX_IDS = 1000000
