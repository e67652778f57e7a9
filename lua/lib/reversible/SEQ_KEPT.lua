-- SEQ_KEPT: for how long (seconds) the seq of an action is remembered at least: 14 days, as long as a Cloudflare Queue keeps a message.
local SEQ_KEPT = 14 * 86400
