/** Statements of analysts by what they use, which Trino and the local engine answer alike. */
export const sharedStatements: Readonly<Record<string, string>> = {
  demo: `SELECT medication.display, count(DISTINCT medication.patient_id) AS patients FROM medication
    JOIN sequence ON sequence.patient_id = medication.patient_id JOIN variant ON variant.sample_id = sequence.id
    WHERE variant.gene = 'BRAF' GROUP BY medication.display ORDER BY patients DESC, medication.display`,
  aggregates: `SELECT impact, count(*) AS n, count(DISTINCT gene) AS genes, approx_distinct(sample_id) AS samples FROM variant
    GROUP BY impact ORDER BY n DESC, impact`,
  region: `SELECT sample_id, chromosome, position, reference, alternate, gene, clinical_significance FROM variant
    WHERE position BETWEEN 140700000 AND 140950000 ORDER BY sample_id, position, alternate`,
  places: `SELECT gene, count(*) AS n FROM variant WHERE impact IN ('HIGH', 'MODERATE') GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT 20`,
  ages: `SELECT date_diff('year', dob, DATE '2024-06-01') / 10 * 10 AS decade, count(*) AS n FROM patient GROUP BY 1 ORDER BY 1`,
  having: `SELECT c.display, count(DISTINCT c.patient_id) AS patients, min(c.onset_date) AS first, max(c.onset_date) AS last
    FROM condition c GROUP BY c.display HAVING count(DISTINCT c.patient_id) > 1 ORDER BY patients DESC, c.display`,
  numbers: `SELECT code, display, count(*) AS n, round(avg(value_quantity), 3) AS mean, min(value_quantity) AS low,
    max(value_quantity) AS high FROM observation WHERE value_quantity IS NOT NULL GROUP BY code, display ORDER BY n DESC, code`,
  months: `SELECT date_format(effective_date, '%Y-%m') AS month, count(*) AS n FROM observation WHERE effective_date IS NOT NULL
    GROUP BY 1 ORDER BY 1 LIMIT 24`,
  documents: `SELECT patient_id, json_extract_scalar(data, '$.name[0].family') AS family FROM patient ORDER BY patient_id LIMIT 25`,
  windows: `SELECT patient_id, display, onset_date,
    row_number() OVER (PARTITION BY patient_id ORDER BY onset_date, display) AS nr,
    lag(display) OVER (PARTITION BY patient_id ORDER BY onset_date, display) AS before
    FROM condition ORDER BY patient_id, nr LIMIT 60`,
  lists: `SELECT patient_id, array_join(array_sort(array_agg(DISTINCT display)), '; ') AS drugs,
    cardinality(array_agg(DISTINCT code)) AS n FROM medication GROUP BY patient_id ORDER BY patient_id LIMIT 30`,
  patterns: `SELECT regexp_extract(amino_acid_change, 'p\\.([A-Z][a-z]{2})(\\d+)', 1) AS residue, count(*) AS n FROM variant
    WHERE regexp_like(amino_acid_change, '^p\\.[A-Z][a-z]{2}\\d+') GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT 15`,
  carriers: `WITH carriers AS (SELECT DISTINCT s.patient_id, v.gene FROM variant v JOIN sequence s ON s.id = v.sample_id
    WHERE v.clinical_significance LIKE 'Pathogenic%'),
    treated AS (SELECT patient_id, count(*) AS n FROM medication GROUP BY 1)
    SELECT c.gene, count(*) AS patients, sum(t.n) AS medications FROM carriers c LEFT JOIN treated t ON t.patient_id = c.patient_id
    GROUP BY c.gene ORDER BY patients DESC, c.gene`,
  sets: `SELECT patient_id FROM condition INTERSECT SELECT patient_id FROM medication
    EXCEPT SELECT patient_id FROM procedure ORDER BY 1`,
  rollup: `SELECT gender, is_deceased, count(*) AS n, grouping(gender, is_deceased) AS g FROM demographic
    GROUP BY ROLLUP (gender, is_deceased) ORDER BY 4, 1, 2`,
  filters: `SELECT chromosome, count(*) FILTER (WHERE genotype = '0/1') AS het, count_if(genotype = '1/1') AS hom,
    round(sum(population_allele_frequency) / count(*), 6) AS af, bool_or(is_canonical) AS canonical FROM variant
    GROUP BY chromosome ORDER BY chromosome`,
  casts: `SELECT CAST(value_quantity * 1000 AS BIGINT) AS big, TRY_CAST(value_unit AS INTEGER) AS nothing,
    CAST(effective_date AS TIMESTAMP) AS at FROM observation WHERE value_quantity IS NOT NULL ORDER BY patient_id, id, 1 LIMIT 20`,
  exists: `SELECT p.patient_id FROM patient p WHERE EXISTS (SELECT 1 FROM condition c WHERE c.patient_id = p.patient_id)
    AND p.patient_id NOT IN (SELECT patient_id FROM procedure WHERE patient_id IS NOT NULL) ORDER BY 1`,
  unnest: `SELECT s, count(*) AS n FROM (SELECT split(gene, '-') AS parts FROM variant WHERE gene IS NOT NULL)
    CROSS JOIN UNNEST(parts) AS t(s) GROUP BY s ORDER BY n DESC, s LIMIT 10`,
  percentages: `SELECT impact, round(100.0 * sum(CASE WHEN genotype = '0/1' THEN 1 ELSE 0 END) / count(*), 2) AS percent,
    1.0 * count(*) / 3 AS third, count_if(is_canonical) * 100.0 / count(*) AS canonical, count(*) / 7 AS weeks,
    avg(position) AS mean, avg(CASE WHEN is_canonical THEN 1.0 ELSE 0.0 END) AS share
    FROM variant GROUP BY impact ORDER BY impact`,
  conversions: `SELECT id, CAST(value_quantity AS INTEGER) AS whole, TRY_CAST(value_unit AS DOUBLE) AS none,
    round(value_quantity, 1) AS rounded, value_quantity / 0 AS divided, upper(code) AS upper
    FROM observation WHERE value_quantity BETWEEN -1000000 AND 1000000 ORDER BY id, component_index`,
  letters: `SELECT upper(patient_id || 'ß') AS u, count(*) AS n FROM patient GROUP BY 1 ORDER BY 1`,
  copies: `SELECT gene, count(*) AS n, round(avg(copy_number), 2) AS mean FROM copynumber GROUP BY gene ORDER BY n DESC, gene LIMIT 10`,
  nothing: `SELECT count(*) FROM fusion f JOIN sequence s ON s.id = f.sample_id JOIN patient p USING (patient_id)`,
  wide: `SELECT * FROM variant WHERE chromosome = 'chr17'
    ORDER BY sample_id, position, reference, alternate, gene, transcript_id LIMIT 200`,
};

/** Statements that stay on the local engine, by the reason. */
export const localStatements: Readonly<Record<string, string>> = {
  'a percentile that Trino estimates': 'SELECT approx_percentile(value_quantity, 0.5) FROM observation',
  'a sum of DOUBLE': 'SELECT sum(value_quantity) FROM observation',
  'a mean of DOUBLE': 'SELECT code, avg(value_quantity) FROM observation GROUP BY code ORDER BY code',
  'rows that LIMIT chooses': 'SELECT gene FROM variant LIMIT 10',
  'a number as a text': 'SELECT CAST(value_quantity AS VARCHAR) FROM observation ORDER BY 1',
  'the name of a type': 'SELECT typeof(value_quantity) FROM observation LIMIT 1',
  'a nested result': 'SELECT array_agg(display ORDER BY display) FROM condition',
  'the local engine’s own grammar': 'SELECT * EXCLUDE (data) FROM patient ORDER BY patient_id',
};
