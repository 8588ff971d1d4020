import assert from 'node:assert/strict';
import { test } from 'node:test';
import { useEngine } from '../engine.fixture.ts';
import type { BoundStatement, TableShape } from '../engine.ts';
import { StatementRefused } from '../engine.ts';

const opened = useEngine({ query: { idleWorkers: 0 } });

const variant: TableShape = {
  name: 'variant',
  columns: [{ name: 'gene', type: 'VARCHAR' }],
  rowCount: 2847,
};

const bind = (sql: string, tables: TableShape[]): Promise<BoundStatement | undefined> =>
  opened.engine.bind(sql, sql, tables);

/** Queries the table of the previous statement in SQL that the guard refuses. */
async function assertNothingLeft(): Promise<void> {
  await assert.rejects(bind('SELECT * FROM variant', []), (problem) => {
    assert.ok(problem instanceof StatementRefused, String(problem));
    assert.match(problem.message, /Table with name variant does not exist/);
    return true;
  });
  await assert.rejects(bind('SELECT * FROM varian', []), (problem) => {
    assert.ok(problem instanceof StatementRefused && !problem.message.includes('"variant"'), String(problem));
    return true;
  });
}

test('a table of one statement is not there when the next one is planned', async () => {
  assert.equal((await bind('SELECT gene FROM variant', [variant]))?.estimatedRows, 2847);
  await assertNothingLeft();
});

test('a table of a statement with a fault is not there when the next one is planned', async () => {
  await assert.rejects(bind('SELECT genee FROM variant', [variant]), /genee/);
  await assertNothingLeft();
});

test('a table of a statement that cannot be planned is not there when the next one is planned', async () => {
  const broken: TableShape = { name: 'patient', columns: [{ name: 'x', type: 'STRUCT(' }], rowCount: 1 };
  await bind('SELECT gene FROM variant', [variant, broken]).catch(() => undefined);
  await assertNothingLeft();
  assert.equal((await bind('SELECT gene FROM variant', [variant]))?.estimatedRows, 2847);
});

test('a table of another shape under the same name is planned as what it is', async () => {
  await bind('SELECT gene FROM variant', [variant]);
  const other = { name: 'variant', columns: [{ name: 'position', type: 'BIGINT' }], rowCount: 5 };
  assert.deepEqual(await bind('SELECT * FROM variant', [other]), {
    columns: [{ name: 'position', type: 'BIGINT' }],
    estimatedRows: 5,
    plan: [{ depth: 0, step: 'Reads variant', estimatedRows: 5 }],
  });
});

test('a plan lists each step before those that it reads, in words, with the tables of its sources', async () => {
  const sample = { name: 'sequence', columns: [{ name: 'id', type: 'VARCHAR' }], rowCount: 20 };
  const sql = `SELECT v.gene, count(*) AS n FROM variant v JOIN sequence s ON s.id = v.gene
    WHERE v.gene <> 'A' GROUP BY v.gene ORDER BY n DESC LIMIT 3`;
  const plan = (await bind(sql, [variant, sample]))?.plan ?? [];
  const steps = plan.map(({ depth, step }) => `${depth} ${step}`);
  assert.deepEqual(steps.slice(0, 2), ['0 Sorts, and keeps the first rows', '1 Groups rows']);
  assert.match(steps[2] ?? '', /^2 Joins \(inner\) where /);
  assert.ok(
    steps.some((step) => step.endsWith('Reads variant')) &&
      steps.some((step) => step.endsWith('Reads sequence')),
  );
  assert.ok(!JSON.stringify(plan).includes('CAST'));
});

test('a statement that is only proved is refused in the same words, and one without a fault is not', async () => {
  const reported = (error: Error): string => error.message;
  for (const sql of [
    'SELECT genee FROM variant',
    'SELECT gene + 1 AS x, lower(1, 2) FROM variant',
    'SELECT * FROM varian',
  ]) {
    const bound = await bind(sql, [variant]).then(() => 'bound', reported);
    assert.match(bound, /The query is not valid: /);
    assert.equal(await opened.engine.prove(sql, sql, [variant]).then(() => 'proved', reported), bound);
  }
  assert.equal(
    await opened.engine.prove('SELECT gene FROM variant', 'SELECT gene FROM variant', [variant]),
    undefined,
  );
  await assertNothingLeft();
});

test('a number that JSON does not have is bound like others', async () => {
  const { sql } = await opened.engine.check('SELECT CAST(1e400 AS VARCHAR)', []);
  assert.equal((await opened.engine.bind('SELECT CAST(1e400 AS VARCHAR)', sql, []))?.estimatedRows, 1);
});

test('an error that is not of the statement is no answer, and the next statement gets one', async () => {
  // The guard would have printed it as a string.
  assert.equal(await opened.engine.bind('SELECT 1', 'SELECT 1e400', [variant]), undefined);
  await assertNothingLeft();
  assert.equal((await bind('SELECT gene FROM variant', [variant]))?.estimatedRows, 2847);
});

const patient: TableShape = {
  name: 'patient',
  columns: [{ name: 'patient_id', type: 'VARCHAR' }],
  rowCount: 5,
};

const faults: [string, RegExp][] = [
  ['SELECT p.* FROM patient', /FROM has no table "p", but "patient"/],
  ['SELECT 1 UNION SELECT 1, 2', /same number/],
  ['SELECT 1 FROM patient HAVING patient_id', /"patient_id" must be in GROUP BY or within an aggregate/],
  ['SELECT * EXCLUDE (foo) FROM patient', /"foo" in EXCLUDE/],
  ['SELECT 2 * 3, *', /without FROM/],
  ['SELECT * FROM (VALUES (1, 2), (1))', /same length/],
  ['SELECT 1 FROM patient GROUP BY 9', /out of range/],
  ['SELECT * FROM patient LIMIT x', /"x"/],
  ['SELECT x', /the FROM clause is missing/],
  ['SELECT 1 FROM patient WHERE EXISTS (SELECT *)', /without FROM/],
  ['WITH "Q q" AS (SELECT 1) SELECT * FROM "Q q"', /the name "Q q" of a WITH query/],
  [
    'SELECT gene FROM patient JOIN (SELECT 1 AS n) USING (gene)',
    /column 54: the table at the left of the join has no column "gene"/,
  ],
  [
    'SELECT patient_di FROM patient',
    /column 8: there is no column "patient_di" .* \(did you mean "patient_id"\?\)$/,
  ],
  [
    'SELECT p.patiend_id FROM patient p',
    /the table "p" has no column "patiend_id" \(did you mean "patient_id"\?\)$/,
  ],
  [
    'SELECT 1 FROM patient WHERE patient_id = "syn-0001"',
    /no column "syn-0001" .*; a text is written in single quotes: 'syn-0001'/,
  ],
  ['SELECT sum(patient_id) FROM patient', /"sum" does not take \(VARCHAR\); it takes .*use CAST\(… AS …\)/],
  [
    "SELECT patient_id + 'a' FROM patient",
    /operator \+ does not take \(VARCHAR, VARCHAR\); texts are joined by \|\|/,
  ],
  ['SELECT w.patient_id, sum(1) OVER w FROM patient w', /window "w" does not exist/],
];

for (const [sql, reason] of faults) {
  test(`a statement that cannot be planned is refused: ${sql}`, async () => {
    const start = async () => {
      const checked = await opened.engine.check(sql, ['patient']);
      return await opened.engine.bind(sql, checked.sql, [patient]);
    };
    await assert.rejects(start, (problem) => {
      assert.ok(problem instanceof StatementRefused, String(problem));
      assert.match(problem.reason, reason);
      return true;
    });
  });
}

const readable: [string, string[]][] = [
  ['WITH a AS (SELECT 1 AS n), b AS (SELECT * FROM a) SELECT * FROM b, a', []],
  ['WITH a AS (SELECT 1 AS n) SELECT * FROM (WITH a AS (SELECT n + 1 FROM a) SELECT * FROM a)', []],
  ['WITH variant AS (SELECT gene FROM variant) SELECT * FROM variant', ['variant']],
  ['WITH RECURSIVE a AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM a WHERE n < 3) SELECT * FROM a', []],
  [
    'WITH RECURSIVE a AS (SELECT 1 AS n UNION SELECT n + 1 FROM (WITH x AS (FROM a) FROM x) WHERE n < 3), b AS (FROM a) SELECT * FROM b',
    [],
  ],
  [
    'WITH RECURSIVE a AS (WITH x AS (SELECT 2 AS n) FROM x UNION ALL SELECT a.n + 1 FROM a, x WHERE a.n < 3) FROM a',
    [],
  ],
  ['WITH q AS (SELECT 1) SELECT * FROM q UNION ALL SELECT * FROM q WHERE EXISTS (FROM q)', []],
  ['WITH "Q" AS MATERIALIZED (SELECT 1 AS n) SELECT (SELECT n FROM q) FROM Q WHERE EXISTS (FROM "q")', []],
  ['WITH q AS (SELECT 1 AS n) PIVOT q ON n IN (1) USING count(*)', []],
];

for (const [sql, tables] of readable) {
  test(`WITH queries are read where the engine reads them: ${sql}`, async () => {
    const checked = await opened.engine.check(sql, ['variant']);
    assert.deepEqual(checked.tables, tables);
    assert.ok(await opened.engine.bind(sql, checked.sql, tables.length > 0 ? [variant] : []));
  });
}

for (const name of ['Q q', 'select', 'a""b', 'Ä.b']) {
  test(`a quoted name before a star stays quoted: "${name}".*`, async () => {
    const sql = `SELECT "${name}".*, "${name}".* EXCLUDE (patient_id) FROM patient "${name}", (SELECT 1 AS n) x`;
    const checked = await opened.engine.check(sql, ['patient']);
    const shape = { ...patient, columns: [...patient.columns, { name: 'sex', type: 'VARCHAR' }] };
    const bound = await opened.engine.bind(sql, checked.sql, [shape]);
    assert.deepEqual(
      bound?.columns.map((column) => column.name),
      ['patient_id', 'sex', 'sex_2'],
    );
  });
}

test('names of tables, types and maps in the wrong place are refused with what to write', async () => {
  const map =
    'FROM (SELECT MAP {1: 2} AS m) CROSS JOIN unnest(list_transform(m, lambda _ploidy_u: _ploidy_u))';
  for (const [sql, message] of [
    [`SELECT 1 ${map}`, /map_entries/],
    ["SELECT CAST('10.0.0.1' AS IPADDRESS)", /no type IPADDRESS: write VARCHAR/],
    ['SELECT * FROM (VALUES (1, 2)) AS t(a, b, c)', /"t" has 2 columns, and 3 names/],
  ] as const)
    await assert.rejects(bind(sql, [variant]), message, sql);
});
