-- numbers: numbers as texts, and texts as numbers. Either way costs what fifty lines cost, so the library keeps those that it met: some 100 kB.

-- NUMBERS: the numbers of texts.
local NUMBERS = { count = 0, most = 2000, of = {} }

-- TEXTS: the texts of numbers.
local TEXTS = { count = 0, most = 2000, of = {} }

-- read_number: the number that a text says; nil where it says none.
local function read_number(text)
  local number = NUMBERS.of[text]
  if number then return number end
  number = tonumber(text)
  if number and #text < 11 then keep_memo(NUMBERS, text, number) end
  return number
end

-- text_of: a number with the 17 digits that tell it from every other one.
local function text_of(number)
  -- What faded below zero is found under the key of zero.
  if number == 0 then return '0' end
  local text = TEXTS.of[number]
  if text then return text end
  text = string.format('%.17g', number)
  if number % 1 == 0 then keep_memo(TEXTS, number, text) end
  return text
end
