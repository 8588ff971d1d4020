import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { keptSql } from '../../../../test/support/kept-sql.ts';
import {
  bindParameters,
  formatted,
  parameterFault,
  parameterNames,
  statementAt,
  statementsIn,
} from './index.ts';
import { tokensOf } from './tokens.ts';

/** Pieces of statements, with what separates and hides: semicolons, comments, dollar signs, quotes. */
const piece = fc.constantFrom(
  ...[
    'SELECT',
    'a',
    'from',
    't',
    ',',
    ';',
    '(',
    ')',
    "'x;y'",
    '"n;m"',
    '-- c;\n',
    '/* d; */',
    '$gene',
    '$$e;$$',
  ],
  ...[
    'and',
    'between',
    '1',
    '.5',
    '=',
    ' ',
    '\n',
    'left',
    'join',
    "E'\\''",
    'order',
    'by',
    'é',
    '::',
    '.',
    '$1',
  ],
);
const text = fc.array(piece, { maxLength: 40 }).map((pieces) => pieces.join(' '));
const words = (sql: string) => tokensOf(sql).map(({ kind, text: written }) => `${kind} ${written}`);

test('a text is split at semicolons alone, and each part keeps its words and place', () => {
  assert.deepEqual(
    statementsIn("SELECT ';' AS a; -- one; two\n\n SELECT 2 /* ; */ ;; ").map((part) => part.text),
    ["SELECT ';' AS a", 'SELECT 2'],
  );
  fc.assert(
    fc.property(text, (sql) => {
      const parts = statementsIn(sql);
      for (const { text: part, start, end } of parts) assert.equal(sql.slice(start, end), part);
      const withoutSigns = words(sql).filter((word) => word !== 'other ;');
      assert.deepEqual(
        parts.flatMap((part) => words(part.text)),
        withoutSigns,
      );
    }),
  );
});

test('the statement at a place is the one around it, or the one before it', () => {
  const sql = ' SELECT 1;\nSELECT 22;\n\n';
  const at = (place: number) => statementAt(sql, place)?.text;
  assert.deepEqual([0, 5, 10, 11, 15, sql.length].map(at), [
    ...['SELECT 1', 'SELECT 1', 'SELECT 1'],
    ...['SELECT 22', 'SELECT 22', 'SELECT 22'],
  ]);
  assert.equal(statementAt(' -- nothing', 3), undefined);
});

test('a laid-out statement has the same words, and is laid out', () => {
  fc.assert(
    fc.property(text, (sql) => {
      const laidOut = formatted(sql);
      assert.deepEqual(words(laidOut), words(sql));
      assert.equal(formatted(laidOut), laidOut);
    }),
  );
});

test('clauses, columns and conditions have lines of their own', () => {
  const sql = `with b as (select id, sex from patient where sex in ('f', 'm')) -- those
select v.gene, count(*) as n from variant v left join b on b.id = v.id and v.position between 1 and 2
where v.gene = $gene or (v.filter is null and not v.x) group by all order by n desc limit 5`;
  assert.equal(
    formatted(sql),
    [
      ...[
        'WITH b AS (',
        '  SELECT id,',
        '    sex',
        '  FROM patient',
        "  WHERE sex IN ('f', 'm')",
        ') -- those',
      ],
      ...['SELECT v.gene,', '  count(*) AS n', 'FROM variant v', 'LEFT JOIN b ON b.id = v.id'],
      ...['  AND v.position BETWEEN 1 AND 2', 'WHERE v.gene = $gene', '  OR (v.filter IS NULL AND NOT v.x)'],
      ...['GROUP BY ALL', 'ORDER BY n DESC', 'LIMIT 5'],
    ].join('\n'),
  );
});

test('names of parameters are words behind a dollar sign outside of texts and comments', () => {
  const sql = `SELECT $gene, '$no', "$no", $$ $no $$, $b$ $no $b$, a$no, $1 -- $no\n FROM t WHERE x=$x AND y>$gene /* $no */`;
  assert.deepEqual(parameterNames(sql), ['gene', 'x']);
});

test('a bound text is the value that the engine computes, whatever it holds', async () => {
  const duckdb = await keptSql(256 << 20);
  await fc.assert(
    fc.asyncProperty(
      fc.string({ unit: 'binary' }),
      // A literal without an exponent is an exact DECIMAL; as DOUBLE the engine rounds one of 16 digits otherwise than a parser.
      fc.double({ noNaN: true, min: -1e9, max: 1e9 }).map((one) => Number(one.toPrecision(15))),
      async (one, two) => {
        if (parameterFault({ type: 'text', value: one }) !== undefined) return;
        const number = String(two);
        if (parameterFault({ type: 'number', value: number }) !== undefined) return;
        const sql = bindParameters('SELECT $one AS one, 0-$two::DOUBLE AS two', [
          { name: 'one', type: 'text', value: one },
          { name: 'two', type: 'number', value: number },
        ]);
        const read = await duckdb.text(`SELECT json_array(one, two) FROM (${sql})`);
        assert.deepEqual(JSON.parse(read), [one, 0 - two + 0]);
      },
    ),
    { numRuns: 100 },
  );
});

test('values that do not fit their type are faults', () => {
  const fits = (type: 'number' | 'date' | 'boolean', value: string) =>
    parameterFault({ type, value }) === undefined;
  assert.deepEqual(
    ['1', '-1.5', '2e9'].filter((one) => !fits('number', one)),
    [],
  );
  assert.deepEqual(
    ['', '1 or 1', '1-1', '0x1', 'NaN', '--1'].filter((one) => fits('number', one)),
    [],
  );
  assert.deepEqual(
    ['2026-02-28', '2024-02-29'].filter((one) => !fits('date', one)),
    [],
  );
  assert.deepEqual(
    ['2026-02-29', '2026-1-1', "2026-01-01'"].filter((one) => fits('date', one)),
    [],
  );
  assert.ok(fits('boolean', 'true') && !fits('boolean', 'TRUE OR x'));
  assert.throws(() => bindParameters('SELECT $a', []), /no valid value/);
});
