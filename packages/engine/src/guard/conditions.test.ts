import assert from 'node:assert/strict';
import { test } from 'node:test';
import { useEngine } from '../engine.fixture.ts';
import type { Condition, TableConditions } from '../table-conditions.ts';

const opened = useEngine();

const gene = (...among: string[]) => ({ column: 'gene', among });
const position = (range: { from?: number; to?: number }) => ({ column: 'position', ...range });
const seventh = position({ from: 7, to: 7 });
const inVariants = (where: Condition[]) => ({
  ...{ column: 'sample_id', of: { table: 'variant', column: 'sample_id', where } },
});
const ofVariant = (...places: NonNullable<TableConditions[string]>): TableConditions => ({ variant: places });

const found: [string, TableConditions][] = [
  ["SELECT * FROM variant WHERE gene = 'A'", ofVariant([gene('A')])],
  ["SELECT * FROM Variant WHERE 'A' = GENE", ofVariant([gene('A')])],
  ["SELECT count(*) FROM variant v WHERE v.gene IN ('A', 'B') AND rare", ofVariant([gene('A', 'B')])],
  [
    "SELECT * FROM variant WHERE (gene = 'A' AND (position > 5 AND 9 >= position))",
    ofVariant([gene('A'), position({ from: 5 }), position({ to: 9 })]),
  ],
  ['SELECT * FROM variant WHERE position BETWEEN 5 AND 9', ofVariant([position({ from: 5, to: 9 })])],
  ['SELECT * FROM variant WHERE position = 7', ofVariant([position({ from: 7, to: 7 })])],
  [
    "SELECT * FROM variant v JOIN patient p ON p.sample_id = v.sample_id WHERE v.gene = 'A'",
    ofVariant([gene('A')]),
  ],
  [
    "SELECT * FROM variant v LEFT JOIN patient p ON p.sample_id = v.sample_id WHERE v.gene = 'A'",
    ofVariant([gene('A')]),
  ],
  [
    "SELECT * FROM variant a, variant b WHERE a.gene = 'A' AND b.gene = 'B'",
    ofVariant([gene('A')], [gene('B')]),
  ],
  [
    "WITH w AS (SELECT * FROM variant WHERE gene = 'A') SELECT * FROM w WHERE position > 5",
    ofVariant([gene('A')]),
  ],
  [
    "SELECT * FROM patient WHERE sample_id IN (SELECT v.sample_id FROM variant AS v WHERE v.gene = 'A')",
    { ...ofVariant([gene('A')]), patient: [[inVariants([gene('A')])]] },
  ],
  [
    'SELECT * FROM patient p WHERE p.sample_id IN (SELECT DISTINCT sample_id FROM variant)',
    { patient: [[inVariants([])]] },
  ],
  [
    'SELECT * FROM patient WHERE sample_id IN (SELECT sample_id FROM variant WHERE gene IN (SELECT gene FROM variant WHERE position = 7))',
    {
      patient: [
        [inVariants([{ column: 'gene', of: { table: 'variant', column: 'gene', where: [seventh] } }])],
      ],
      ...ofVariant(
        [{ column: 'gene', of: { table: 'variant', column: 'gene', where: [seventh] } }],
        [seventh],
      ),
    },
  ],
  [
    "SELECT gene FROM variant WHERE gene = 'A' UNION ALL SELECT gene FROM variant WHERE gene = 'B'",
    ofVariant([gene('A')], [gene('B')]),
  ],
];

const none = [
  'SELECT * FROM variant',
  "SELECT * FROM variant WHERE gene = 'A' OR position = 5",
  "SELECT * FROM variant WHERE NOT (gene = 'A')",
  "SELECT * FROM variant WHERE gene <> 'A'",
  "SELECT * FROM variant WHERE gene NOT IN ('A')",
  "SELECT * FROM variant WHERE gene IS NOT DISTINCT FROM 'A'",
  "SELECT * FROM variant WHERE coalesce(gene, 'A') = 'A'",
  "SELECT * FROM variant WHERE CASE WHEN rare THEN gene = 'A' ELSE true END",
  'SELECT * FROM variant WHERE position > 5.5',
  "SELECT * FROM variant WHERE gene > 'A'",
  "SELECT count(*) FILTER (WHERE gene = 'A') FROM variant",
  "SELECT gene FROM variant GROUP BY gene HAVING gene = 'A'",
  "SELECT * FROM (SELECT * FROM variant) WHERE gene = 'A'",
  "SELECT * FROM variant v(gene) WHERE gene = 'A'",
  "SELECT 'A' AS gene FROM variant WHERE gene = 'A'",
  "SELECT * FROM variant, patient WHERE gene = 'A'",
  "SELECT * FROM patient p LEFT JOIN variant v ON p.sample_id = v.sample_id WHERE v.gene = 'A'",
  "SELECT * FROM variant v FULL JOIN patient p ON p.sample_id = v.sample_id WHERE v.gene = 'A'",
  "SELECT * FROM patient p JOIN variant v ON p.sample_id = v.sample_id AND v.gene = 'A'",
  "SELECT * FROM variant a WHERE EXISTS (SELECT 1 FROM patient p WHERE a.gene = 'A')",
  "SELECT (SELECT count(*) FROM variant), count(*) FROM variant WHERE gene = 'A'",
  "WITH variant AS (SELECT * FROM variant WHERE gene = 'A') SELECT * FROM variant WHERE gene = 'A'",
  'SELECT * FROM patient WHERE sample_id NOT IN (SELECT sample_id FROM variant)',
  'SELECT * FROM patient WHERE sample_id > ANY (SELECT sample_id FROM variant)',
  'SELECT * FROM patient WHERE sample_id = ALL (SELECT sample_id FROM variant)',
  'SELECT * FROM patient WHERE sample_id IN (SELECT upper(sample_id) FROM variant)',
  'SELECT * FROM patient WHERE sample_id IN (SELECT a.sample_id FROM variant a, variant b)',
  'SELECT * FROM patient WHERE sample_id IN (SELECT sample_id FROM variant UNION SELECT sample_id FROM patient)',
  'WITH variant AS (SELECT * FROM patient) SELECT * FROM patient WHERE sample_id IN (SELECT sample_id FROM variant)',
  "SELECT * FROM variant TABLESAMPLE reservoir(5 ROWS) REPEATABLE (1) WHERE gene = 'A'",
];

test('conditions are those under which every row of a table is used', async () => {
  const { engine } = opened;
  for (const [statement, conditions] of found) {
    const checked = await engine.check(statement, ['variant', 'patient']);
    assert.deepEqual(checked.conditions, conditions, statement);
  }
});

test('a statement that may use other rows has no conditions', async () => {
  const { engine } = opened;
  for (const statement of none) {
    const checked = await engine.check(statement, ['variant', 'patient']).catch((error: unknown) => {
      assert.match(String(error), /not supported|SAMPLE/, statement);
    });
    assert.equal(checked?.conditions, undefined, statement);
  }
});
