-- load: what wrk sends and how it reports.
--
-- Arguments: none for GET, or a JSON body for POST in which each %d becomes the number of one of 1,000 items in turn.
-- Prints one line of JSON: requests, errors, and microseconds of the whole run and of the 50th and 99th percentile.

local ITEMS = 1000

function init(args)
  local template = args[1]
  if not template then return end
  local requests = {}
  for i = 1, ITEMS do
    requests[i] = wrk.format("POST", nil, { ["Content-Type"] = "text/plain" }, (template:gsub("%%d", i)))
  end
  local sent = 0
  request = function()
    sent = sent % ITEMS + 1
    return requests[sent]
  end
end

function done(summary, latency)
  local errors = 0
  for _, count in pairs(summary.errors) do errors = errors + count end
  local report = '{"requests":%d,"errors":%d,"duration_us":%d,"p50_us":%d,"p99_us":%d}\n'
  io.write(report:format(summary.requests, errors, summary.duration, latency:percentile(50), latency:percentile(99)))
end
