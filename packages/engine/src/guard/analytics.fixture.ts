/** Statements of analysts over the tables of `makeLake`. Each returns the same rows with and without the guard. */
export const analytics: readonly string[] = `
SELECT count(*) FROM variant
SELECT * FROM variant ORDER BY position LIMIT 10
SELECT * FROM main.variant ORDER BY position LIMIT 3 OFFSET 5
select GENE, Count(*) AS N from VARIANT group by gene order by N desc, gene
SELECT gene, count(*) AS n FROM variant GROUP BY ALL ORDER BY ALL
SELECT DISTINCT chromosome FROM variant ORDER BY 1
SELECT DISTINCT ON (gene) gene, position FROM variant ORDER BY gene, position DESC
SELECT v.gene, p.patient_id FROM variant v JOIN patient p ON v.sample_id = p.sample_id ORDER BY position LIMIT 5
SELECT v.gene, p.patient_id FROM variant v JOIN patient p USING (sample_id) ORDER BY position LIMIT 5
SELECT count(*) FROM variant NATURAL JOIN patient
SELECT count(*) FROM variant v LEFT JOIN patient p ON v.sample_id = p.sample_id AND p.dob > DATE '1955-01-01' WHERE p.patient_id IS NULL
SELECT count(*) FROM variant v RIGHT JOIN patient p USING (sample_id)
SELECT count(*) FROM patient a CROSS JOIN patient b
SELECT count(*) FROM patient a, patient b WHERE a.patient_id < b.patient_id
SELECT count(*) FROM variant v SEMI JOIN patient p USING (sample_id)
SELECT count(*) FROM variant v ANTI JOIN patient p USING (sample_id)
SELECT a.position, b.position FROM variant a ASOF JOIN variant b ON a.position >= b.position + 5 ORDER BY 1 LIMIT 5
SELECT * FROM patient POSITIONAL JOIN (SELECT 1 AS one) ORDER BY patient_id LIMIT 2
SELECT p.patient_id, t.n FROM patient p, LATERAL (SELECT count(*) AS n FROM variant v WHERE v.sample_id = p.sample_id) t ORDER BY 1
SELECT gene FROM variant WHERE sample_id IN (SELECT sample_id FROM patient WHERE patient_id = 'p1') ORDER BY position LIMIT 4
SELECT count(*) FROM variant v WHERE EXISTS (SELECT 1 FROM patient p WHERE p.sample_id = v.sample_id AND p.patient_id > 'p3')
SELECT count(*) FROM variant WHERE position > ALL (SELECT position FROM variant WHERE gene = 'GENE1' AND position < 100)
SELECT (SELECT max(position) FROM variant) - (SELECT min(position) FROM variant) AS span
WITH a AS (SELECT gene, count(*) AS n FROM variant GROUP BY gene) SELECT * FROM a WHERE n > 90 ORDER BY gene
WITH a AS (SELECT 1 AS x), b AS (SELECT x + 1 AS y FROM a) SELECT * FROM a, b
WITH variant AS (SELECT * FROM variant WHERE rare) SELECT count(*) FROM variant
WITH stats AS (SELECT avg(position) AS m FROM variant) SELECT count(*) FROM variant, stats WHERE position > m
WITH RECURSIVE r AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM r WHERE n < 10) SELECT sum(n) FROM r
SELECT gene FROM variant WHERE rare UNION SELECT patient_id FROM patient ORDER BY 1
SELECT gene FROM variant INTERSECT SELECT gene FROM variant WHERE rare ORDER BY 1
SELECT gene FROM variant EXCEPT ALL SELECT gene FROM variant WHERE rare ORDER BY 1
SELECT 1 AS a UNION ALL BY NAME SELECT 2 AS b ORDER BY ALL
SELECT gene, row_number() OVER (PARTITION BY gene ORDER BY position) AS k FROM variant ORDER BY position LIMIT 30
SELECT position, lag(position, 1, 0) OVER w, sum(position) OVER (ORDER BY position ROWS BETWEEN 2 PRECEDING AND CURRENT ROW) FROM variant WINDOW w AS (ORDER BY position) ORDER BY 1 LIMIT 10
SELECT gene, position FROM variant QUALIFY rank() OVER (PARTITION BY gene ORDER BY position) = 1 ORDER BY gene
SELECT gene, count(*) FILTER (WHERE rare) AS rare, count(*) FILTER (rare AND frequency > 0.5) AS more FROM variant GROUP BY gene ORDER BY gene
SELECT chromosome, gene, count(*) FROM variant GROUP BY GROUPING SETS ((chromosome), (gene), ()) ORDER BY ALL
SELECT chromosome, rare, count(*), grouping(rare) FROM variant GROUP BY ROLLUP (chromosome, rare) ORDER BY ALL
SELECT chromosome, rare, count(*) FROM variant GROUP BY CUBE (chromosome, rare) HAVING count(*) > 10 ORDER BY ALL
SELECT quantile_cont(frequency, 0.5), median(position), stddev(position), mode(gene) FROM variant WHERE gene = 'GENE3'
SELECT percentile_cont(0.9) WITHIN GROUP (ORDER BY frequency) FROM variant
SELECT string_agg(DISTINCT gene, ',' ORDER BY gene) FROM variant
SELECT list(position ORDER BY position)[1:3], array_agg(DISTINCT rare ORDER BY rare) FROM variant
SELECT approx_count_distinct(gene) > 5, arg_max(gene, position), any_value(chromosome ORDER BY position) FROM variant
SELECT CASE WHEN frequency < 0.1 THEN 'rare' WHEN frequency < 0.5 THEN 'low' ELSE 'common' END AS bin, count(*) FROM variant GROUP BY 1 ORDER BY 1
SELECT CASE chromosome WHEN 'chr1' THEN 1 ELSE 0 END AS c, count(*) FROM variant GROUP BY c ORDER BY c
SELECT count(*) FROM variant WHERE position BETWEEN 100 AND 200 AND gene LIKE 'GENE_' AND gene NOT ILIKE 'gene2%' OR gene SIMILAR TO 'GENE1[01]'
SELECT count(*) FROM variant WHERE regexp_matches(gene, '^GENE\\d$') AND gene ~ 'GENE.' AND gene GLOB 'G*'
SELECT upper(gene) || '-' || lower(chromosome), length(gene), substring(gene FROM 1 FOR 4), split_part(gene, 'E', 2) FROM variant ORDER BY position LIMIT 3
SELECT position / 7, position // 7, position % 7, position ** 2, -position, @(-position), round(frequency, 1), 7 / 2 FROM variant ORDER BY position LIMIT 5
SELECT 1e5 / 3, 1e0, typeof(1e5), 0.1 + 0.2, 1e-8, 1.5e300, 100000.0, typeof(1.0), 1_000, 9223372036854775807, 170141183460469231731687303715884105727
SELECT CAST(position AS DOUBLE), position::VARCHAR, TRY_CAST(gene AS INTEGER), '7'::DECIMAL(10, 2), gene::ENUM ('GENE0') FROM variant ORDER BY position LIMIT 1
SELECT extract(year FROM dob), date_trunc('month', dob), dob + INTERVAL 1 MONTH, age(DATE '2020-01-01', dob), date_diff('day', dob, DATE '2020-01-01'), strftime(dob, '%d.%m.%Y') FROM patient ORDER BY dob
SELECT TIMESTAMP '2020-01-02 03:04:05' AT TIME ZONE 'Europe/Berlin', TIMESTAMPTZ '2020-01-02 03:04:05+02', epoch(TIMESTAMP '2020-01-02 03:04:05')
SELECT coalesce(name, 'none'), nullif(patient_id, 'p1'), ifnull(name, 'x'), if(name IS NULL, 1, 2), name IS NOT DISTINCT FROM NULL FROM patient ORDER BY patient_id
SELECT depths[1], list_transform(depths, x -> x * 2), list_filter(depths, lambda x: x > 5), [d + 1 FOR d IN depths IF d > 1], len(depths), list_contains(depths, 3) FROM variant ORDER BY position LIMIT 5
SELECT unnest(depths) AS depth, gene FROM variant ORDER BY position, depth LIMIT 6
SELECT u.d, count(*) FROM variant, unnest(depths) AS u(d) WHERE u.d < 5 GROUP BY u.d ORDER BY u.d
SELECT {'a': 1, 'b c': [1, 2]}, {'a': {'b': 5}}.a.b, map {'k': 1}['k'], row(1, 'x'), struct_pack(q := 1)
SELECT '{"a": {"b": [1, 2]}}'::JSON -> '$.a.b[0]', '{"a": 1}' ->> '$.a', json_extract_string('{"a":"x"}', '$.a'), json_array_length('[1,2]')
SELECT * FROM json_each('{"a": 1, "b": [2]}') ORDER BY key
SELECT * FROM range(3) AS r(i), generate_series(1, 2) AS g(j) ORDER BY ALL
SELECT * FROM (VALUES (1, 'a'), (2, NULL)) AS v(n, t) ORDER BY n
VALUES (1, 'x'), (2, 'y')
SELECT 1, 'it''s', 'ünï', E'a\\tb', '"', true, NULL, DATE '2020-02-29', INTERVAL '2 days 3 hours', TIME '01:02:03', 'ab'::BLOB
FROM variant SELECT gene, max(position) GROUP BY gene ORDER BY gene
FROM patient ORDER BY patient_id LIMIT 2
SELECT * EXCLUDE (depths, rare) REPLACE (position + 1 AS position) FROM variant ORDER BY position LIMIT 2
SELECT * RENAME (gene AS symbol) FROM variant ORDER BY position LIMIT 2
SELECT min(COLUMNS('pos.*|freq.*')) FROM variant
SELECT COLUMNS(c -> c LIKE '%id') FROM patient ORDER BY ALL
SELECT coalesce(*COLUMNS(* EXCLUDE (dob))) FROM patient ORDER BY 1
SELECT * FROM variant PIVOT (count(*) FOR chromosome IN ('chr1', 'chr2') GROUP BY gene) ORDER BY gene
PIVOT (SELECT gene, rare FROM variant) ON rare IN (true, false) USING count(*) GROUP BY gene ORDER BY gene
SELECT * FROM (SELECT patient_id, sample_id FROM patient) UNPIVOT (v FOR k IN (patient_id, sample_id)) ORDER BY ALL
SELECT count(*) FROM (SELECT * FROM variant USING SAMPLE reservoir(10 ROWS) REPEATABLE (1))
SELECT a AS "odd ""name", b AS "select" FROM (SELECT 1 AS a, 2 AS b) AS "t t" -- remark
SELECT gene, position FROM variant ORDER BY gene DESC NULLS LAST, 2 ASC LIMIT 2 /* remark */;
SELECT gene COLLATE NOCASE AS g FROM variant ORDER BY g, position LIMIT 2
SELECT gene FROM variant ORDER BY position LIMIT 1%
SELECT md5(gene), sha256(gene), hash(gene) IS NOT NULL, to_base64('ab'::BLOB), levenshtein(gene, 'GENE') FROM variant ORDER BY position LIMIT 2
SELECT gene, histogram(chromosome), max_by(position, frequency), bool_or(rare) FROM variant GROUP BY gene ORDER BY gene LIMIT 3
`
  .trim()
  .split('\n');
