-- other_window: a decaying window of another configuration, by its mark in a record, see window_mark; nil where the state does not know it.
local function other_window(c, mark)
  c.other_windows = c.other_windows or decaying_windows(c, c.others or '')
  for _, window in ipairs(c.other_windows) do
    if window_mark(window) == mark then return window end
  end
end
