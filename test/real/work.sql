-- A shop: @N@ orders of @M@ customers.
PRAGMA journal_mode = MEMORY;
PRAGMA synchronous = OFF;
PRAGMA cache_size = 500;
-- Temporary files have random names, and line counts see how many digits they have.
PRAGMA temp_store = MEMORY;
CREATE TABLE customer(id INTEGER PRIMARY KEY, name TEXT, town TEXT, credit REAL);
CREATE TABLE purchase(id INTEGER PRIMARY KEY, customer INTEGER REFERENCES customer,
                      item TEXT, amount INTEGER, price REAL, day TEXT);
BEGIN;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < @M@)
INSERT INTO customer
SELECT i, printf('customer %05d', (i * 7919) % @M@), substr('AachenBergenCordobaDover', 1 + (i % 4) * 6, 6),
       (i * 37 % 1000) / 7.0 FROM n;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < @N@)
INSERT INTO purchase
SELECT i, 1 + (i * 31) % @M@, 'item ' || (i * 13 % 97), 1 + i % 9, (i * 101 % 5000) / 100.0,
       date('2001-01-01', '+' || (i % 1500) || ' days') FROM n;
COMMIT;
CREATE INDEX purchase_customer ON purchase(customer);
CREATE INDEX purchase_day ON purchase(day, item);
ANALYZE;
SELECT count(*), sum(amount), round(sum(amount * price), 2) FROM purchase;
SELECT c.town, count(*), round(avg(p.price), 4) FROM customer c JOIN purchase p ON p.customer = c.id
 GROUP BY c.town ORDER BY c.town;
SELECT item, sum(amount) AS s FROM purchase GROUP BY item HAVING s > 10 ORDER BY s DESC, item LIMIT 12;
SELECT substr(day, 1, 7) AS month, count(DISTINCT customer), max(price) FROM purchase
 WHERE day BETWEEN '2002-01-01' AND '2003-06-30' GROUP BY month ORDER BY month;
SELECT name, total FROM (
  SELECT c.name, round(sum(p.amount * p.price), 2) AS total,
         rank() OVER (ORDER BY sum(p.amount * p.price) DESC) AS place
    FROM customer c JOIN purchase p ON p.customer = c.id GROUP BY c.id)
 WHERE place <= 10 ORDER BY place, name;
SELECT count(*) FROM purchase a WHERE price > (SELECT avg(price) FROM purchase b WHERE b.customer = a.customer AND b.id < 2000);
SELECT count(*) FROM purchase WHERE item LIKE '%7_' OR item GLOB 'item [1-3]*' OR upper(item) = 'ITEM 55';
UPDATE purchase SET price = price * 1.07 WHERE customer % 3 = 1;
DELETE FROM purchase WHERE id % 11 = 5;
CREATE VIRTUAL TABLE words USING fts5(body);
INSERT INTO words SELECT c.name || ' of ' || c.town || ' bought ' || p.item FROM purchase p JOIN customer c ON c.id = p.customer
 WHERE p.id % 5 = 0;
SELECT count(*) FROM words WHERE words MATCH 'dover AND 55';
SELECT json_group_array(json_object('item', item, 'n', n)) FROM (SELECT item, count(*) AS n FROM purchase GROUP BY item ORDER BY n DESC, item LIMIT 5);
SELECT sum(length(hex(item || price))), sum(unicode(substr(item, -1))) FROM purchase;
VACUUM;
PRAGMA integrity_check;
SELECT count(*), round(sum(price), 3) FROM purchase;
