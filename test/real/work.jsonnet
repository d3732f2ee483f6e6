// SPDX-License-Identifier: MIT
// A configuration of @N@ services in three regions.  Objects that inherit, comprehensions,
// late binding, string formatting, sorting, JSON and YAML written and read.

local n = @N@;

local Service = {
  local service = self,
  name:: error 'a service has a name',
  replicas: 1,
  port: 8000 + std.length(service.name),
  labels: { app: service.name, tier: if service.replicas > 2 then 'hot' else 'cold' },
  env: {},
  args: ['--port=%d' % service.port] + ['--%s=%s' % [k, service.env[k]] for k in std.objectFields(service.env)],
  memory: '%dMi' % (64 * service.replicas),
};

local WithCache(size) = {
  env+: { CACHE: '%05.1f' % (size / 3) },
  replicas+: 1,
};

local region(name, shift) = {
  region: name,
  services: {
    ['%s-%03d' % [name, i]]: Service { name: '%s-%03d' % [name, i] } +
                             (if i % 3 == shift then WithCache(i) else {}) +
                             (if i % 7 == 0 then { env+: { DEBUG: 'yes', LEVEL: std.toString(i) } } else {})
    for i in std.range(1, n)
  },
};

local regions = [region('eu', 0), region('us', 1), region('ap', 2)];

local fib(k) = if k < 2 then k else fib(k - 1) + fib(k - 2);

local names = std.flattenArrays([std.objectFields(r.services) for r in regions]);

{
  regions: regions,
  sorted: std.sort(names, function(name) std.md5(name))[:5],
  unique: std.length(std.uniq(std.sort([std.length(name) * 31 % 7 for name in names]))),
  ports: std.foldl(function(sum, name) (sum * 31 + std.length(name)) % 65521, names, 1),
  fib: fib(12 + std.floor(n / 80)),
  upper: std.join('', [std.asciiUpper(std.char(97 + i % 26)) for i in std.range(1, n)]),
  yaml: std.length(std.manifestYamlDoc(regions[0].services['eu-001'])),
  parsed: std.parseJson('{"a": [1, 2, {"b": "\\u00e9", "n": %d}]}' % n),
  set: std.setInter(std.set([i * 7 % 101 for i in std.range(1, n)]), std.range(1, 50)),
}
