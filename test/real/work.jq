# SPDX-License-Identifier: MIT
# A depot's day: reads parcels, one JSON object a line, and reports on them.  Parsing and
# printing, reduction, grouping, sorting, paths and updates, strings, recursion, try.

def tour: [limit(5; .stops | recurse(if length > 1 then .[1:] else empty end))] | length;

def checked:
  if .weight > 25 then error("heavy \(.id)")
  elif .note == null then . + {note: ""}
  else . end;

def histogram(f): reduce .[] as $x ({}; .[$x | f | tostring] += 1);

[inputs] as $all
| ($all | length),
  ($all | map(try checked catch {failed: .}) | group_by(has("failed")) | map(length)),
  ($all | histogram(.to.town) | to_entries | sort_by(-.value, .key) | map("\(.key): \(.value)")),
  ($all | map(select(.express)) | group_by(.to.town)[]
        | {town: .[0].to.town, n: length, weight: (map(.weight) | add | floor)}),
  ([$all[] | tour] | {min: min, max: max, sum: add}),
  ($all | map(.note | select(. != null) | ascii_upcase | explode | map(. % 7) | add) | add),
  ([$all[] | .to.name | ltrimstr("customer ") | tonumber] | unique | length),
  (reduce $all[] as $p ({}; .[$p.to.town][$p.weight | floor | tostring] |= (. // []) + [$p.id])
        | map_values(map_values(length)) | to_entries[] | [.key, (.value | add)]),
  ($all[:50] | map(.stops |= (sort | reverse) | .to.town |= ascii_downcase | del(.note))
        | .[range(0; 50; 10)]),
  ([$all[:200][] | paths(type == "number")] | length),
  ([$all[:100][] | @base64 "\(.to)"] | join(",") | length)
