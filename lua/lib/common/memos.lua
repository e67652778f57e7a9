-- memos: what the library keeps from call to call, by texts or numbers: { count, most, of }.

-- keep_memo: keeps a value for a text or number, and answers it. A memo with more than `most` begins anew.
local function keep_memo(memo, key, value)
  if memo.count > memo.most then
    memo.count, memo.of = 0, {}
  end
  memo.count, memo.of[key] = memo.count + 1, value
  return value
end
