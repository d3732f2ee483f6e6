-- SPDX-License-Identifier: MIT
-- A day's work for an interpreter: reads a text and reports on it.  Strings,
-- patterns, tables, closures, coroutines, metatables, sorting, integer and
-- floating-point arithmetic.  The same output on every run.

local function read_all(path)
    local f <close> = assert(io.open(path, "rb"))
    return f:read("a")
end

-- Words by frequency, then alphabet.
local function word_counts(text)
    local counts = {}
    for word in text:gmatch("[%a_][%w_]*") do
        counts[word] = (counts[word] or 0) + 1
    end
    local words = {}
    for word in pairs(counts) do
        words[#words + 1] = word
    end
    table.sort(words, function(a, b)
        if counts[a] ~= counts[b] then return counts[a] > counts[b] end
        return a < b
    end)
    return words, counts
end

-- A tokenizer of C as a coroutine.
local function tokens(text)
    return coroutine.wrap(function()
        local at = 1
        while at <= #text do
            local c = text:sub(at, at)
            local from, to
            if c:find("%s") then
                from, to = text:find("^%s+", at)
            elseif text:find("^/%*", at) then
                from, to = text:find("%*/", at + 2)
                from = at
                to = to or #text
                coroutine.yield("comment", to - from + 1)
            elseif c:find("[%a_]") then
                from, to = text:find("^[%w_]+", at)
                coroutine.yield("word", to - from + 1)
            elseif c:find("%d") then
                from, to = text:find("^[%w%.]+", at)
                coroutine.yield("number", to - from + 1)
            else
                to = at
                coroutine.yield("other", 1)
            end
            at = to + 1
        end
    end)
end

-- A heap as an object.
local Heap = {}
Heap.__index = Heap
function Heap.new() return setmetatable({ n = 0 }, Heap) end
function Heap:push(x)
    self.n = self.n + 1
    local i = self.n
    while i > 1 and self[i // 2] > x do
        self[i] = self[i // 2]
        i = i // 2
    end
    self[i] = x
end
function Heap:pop()
    local top, last, i = self[1], self[self.n], 1
    self[self.n] = nil
    self.n = self.n - 1
    while 2 * i <= self.n do
        local child = 2 * i
        if child < self.n and self[child + 1] < self[child] then child = child + 1 end
        if last <= self[child] then break end
        self[i] = self[child]
        i = child
    end
    if self.n > 0 then self[i] = last end
    return top
end

local function queens(n)
    local found, columns, up, down = 0, {}, {}, {}
    local function place(row)
        if row > n then found = found + 1 return end
        for c = 1, n do
            if not (columns[c] or up[row + c] or down[row - c]) then
                columns[c], up[row + c], down[row - c] = true, true, true
                place(row + 1)
                columns[c], up[row + c], down[row - c] = nil, nil, nil
            end
        end
    end
    place(1)
    return found
end

local function mandelbrot(size)
    local inside = 0
    for y = 0, size - 1 do
        for x = 0, size - 1 do
            local cr, ci, zr, zi, k = 3.0 * x / size - 2.25, 2.5 * y / size - 1.25, 0.0, 0.0, 0
            while k < 50 and zr * zr + zi * zi < 4.0 do
                zr, zi, k = zr * zr - zi * zi + cr, 2.0 * zr * zi + ci, k + 1
            end
            if k == 50 then inside = inside + 1 end
        end
    end
    return inside
end

local text = read_all(arg[1])
local scale = #text // 100000

local words, counts = word_counts(text)
for i = 1, math.min(20, #words) do
    print(string.format("%7d %s", counts[words[i]], words[i]))
end

local kinds = {}
for kind, length in tokens(text:sub(1, #text // 2)) do
    local k = kinds[kind] or { n = 0, bytes = 0 }
    k.n, k.bytes = k.n + 1, k.bytes + length
    kinds[kind] = k
end
for _, kind in ipairs { "comment", "word", "number", "other" } do
    local k = kinds[kind] or { n = 0, bytes = 0 }
    print(kind, k.n, k.bytes, string.format("%.4f", k.bytes / math.max(1, k.n)))
end

local heap, seed = Heap.new(), 12345
for _ = 1, 2000 * scale do
    seed = (seed * 1103515245 + 12345) & 0x7fffffff
    heap:push(seed)
end
local sum = 0
for i = 1, 2000 * scale do
    sum = (sum * 31 + heap:pop() * i) & 0xffffffff
end
print("heap", sum)

print("queens", queens(scale > 10 and 8 or 6))
print("mandelbrot", mandelbrot(8 * scale))

local lines = {}
for line in text:gmatch("[^\n]+") do
    lines[#lines + 1] = line:upper():gsub("%s+", " "):reverse()
end
table.sort(lines)
print("lines", #lines, #table.concat(lines, "\n"))

-- Errors and their handlers unwind the interpreter's stack.
local caught = 0
for i = 1, 500 * scale do
    local fine, message = pcall(function(x)
        if x % 3 == 0 then error({ code = x }) end
        if x % 7 == 0 then error("seven") end
        return x
    end, i)
    if not fine then caught = caught + (type(message) == "table" and message.code or 1) end
end
print("caught", caught)
