-- once_digest: what marks in the set of a period that somebody did something that counts once in it. It begins with who did it, so that
-- an erasure can find what an actor did.
local function once_digest(who, what) return string.sub(redis.sha1hex(who), 1, 16) .. what end
