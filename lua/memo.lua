-- memo: how often a deployment asked this since the library was loaded, as far as Redis keeps what functions keep from call to call.
-- Upkeep asks it each day: `ready`, which tells the same, runs three commands more.
--
-- @key deployment                a key of the deployment, which is not read
-- @returns OK                    so often
-- @field calls           count   at least 1; 1 at each call where nothing is kept

return { 'OK', count_call(deployment) }
