-- most_of_network: how many may come from the i-th network that an address is in, where `most` may from the smallest: four times as many as
-- from the one before. So a /56 and a /48 of IPv6 count 4 and 16 times as many as a /64; of IPv4 there is the address alone.
local function most_of_network(most, i) return most * 4 ^ (i - 1) end
