/** Aggregates of a study are those of plain statements by the same person, whatever this person may see. */
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import fc from 'fast-check';
import { type Call, TestProject } from '../../../../../../test/inputs/project.ts';
import { type ReaderName, readerNames, readersOf } from '../../../../../../test/inputs/readers.ts';
import { describeOnSqlite } from '../../../../../../test/support/app.ts';
import { zip } from '../../../../../converters/src/study/archives.fixture.ts';
import { studyFolder } from '../../../../../converters/src/study/study-folder.fixture.ts';

const made = studyFolder(60);
const people = [...new Set(made.truth.samples.map((line) => line.split('|')[1] ?? ''))];

/** Rows of a table of the project's own, of samples or of their patients. */
const freezers = [
  'Patient ID,Sample ID,Freezer,Volume,Thawed',
  ...made.truth.samples.map((line, at) => {
    const [sample, patient] = line.split('|');
    return [patient, at % 5 === 0 ? '' : sample, ['A', 'B', 'C'][at % 3], (at * 7) % 11, at % 2 === 0].join();
  }),
].join('\n');

/** Order of lines of CSV does not matter. */
const sorted = (lines: readonly string[]): string[] => [...lines].sort();

type Condition = readonly [filter: object, patients: string];

const everyone: Condition = [{ and: [] }, 'SELECT DISTINCT patient_id FROM patient'];

/** Conditions of a study, each with the patients that a statement finds. */
const conditions: readonly Condition[] = [
  everyone,
  [
    { treatment: { agents: ['Cisplatin'], fromDay: 5, toDay: 20 } },
    `SELECT patient_id FROM timeline_event WHERE json_extract_scalar(attributes, '$.AGENT') = 'Cisplatin'
      AND coalesce(stop_day, start_day) >= 5 AND start_day <= 20`,
  ],
  [
    { profiled: { kind: 'mutation', panel: 'IMPACT' } },
    `SELECT s.patient_id FROM sample_profile p JOIN sequence s ON s.id = p.sample_id WHERE p.kind = 'mutation' AND p.panel_id = 'IMPACT'`,
  ],
  [
    { attribute: 'CASE_LIST', in: ['Responders'] },
    `SELECT s.patient_id FROM attribute_value v JOIN sequence s ON s.id = v.sample_id WHERE v.attribute_id = 'CASE_LIST' AND v.value = 'Responders'`,
  ],
  [
    { attribute: 'own.freezers.freezer', in: ['A', 'B'] },
    `SELECT coalesce(s.patient_id, f.patient_id) AS patient_id FROM freezers f LEFT JOIN sequence s ON s.id = f.sample_id WHERE f.freezer IN ('A', 'B')`,
  ],
  [
    { attribute: 'own.freezers.volume', ranges: [{ gt: 3, lte: 8 }] },
    `SELECT coalesce(s.patient_id, f.patient_id) AS patient_id FROM freezers f LEFT JOIN sequence s ON s.id = f.sample_id WHERE f.volume > 3 AND f.volume <= 8`,
  ],
];

/** Values of an attribute by patient. */
const volumes = `(SELECT DISTINCT coalesce(s.patient_id, f.patient_id) AS patient_id, CAST(f.volume AS DOUBLE) AS n, f.freezer AS v
  FROM freezers f LEFT JOIN sequence s ON s.id = f.sample_id)`;
const ages = `(SELECT patient_id, number AS n FROM attribute_value WHERE attribute_id = 'AGE' AND number IS NOT NULL)`;
const lists = `(SELECT DISTINCT s.patient_id, v.value AS v FROM attribute_value v JOIN sequence s ON s.id = v.sample_id
  WHERE v.attribute_id = 'CASE_LIST' AND v.value IS NOT NULL)`;

const whole = (number: string): string => `CAST(CAST(${number} AS BIGINT) AS VARCHAR)`;
const subjects = (column: string): string => whole(`count(DISTINCT ${column})`);
const profiled = `sample_profile p JOIN sequence s ON s.id = p.sample_id`;
const agent = "json_extract_scalar(e.attributes, '$.AGENT')";

/** Aggregates, each with a statement of lines about the patients `m`, and the lines of its result. */
const compared: readonly {
  aggregate: Record<string, unknown>;
  sql: string;
  lines: (result: Record<string, never>) => unknown[][];
}[] = [
  {
    aggregate: { kind: 'profiles' },
    sql: `SELECT p.kind || '//' || ${subjects('s.patient_id')} FROM ${profiled} JOIN m ON m.patient_id = s.patient_id GROUP BY p.kind
      UNION ALL SELECT p.kind || '/' || p.panel_id || '/' || ${subjects('s.patient_id')} FROM ${profiled}
      JOIN m ON m.patient_id = s.patient_id WHERE p.panel_id IS NOT NULL GROUP BY p.kind, p.panel_id`,
    lines: ({ profiles }) => itemsOf(profiles).map(({ kind, panel = '', count }) => [kind, panel, count]),
  },
  {
    aggregate: { kind: 'values', attribute: 'own.freezers.freezer' },
    sql: `SELECT f.v || '/' || ${subjects('m.patient_id')} FROM ${volumes} AS f JOIN m ON m.patient_id = f.patient_id
      WHERE f.v IS NOT NULL GROUP BY f.v`,
    lines: ({ values }) => itemsOf(values).map(({ value, count }) => [value, count]),
  },
  {
    aggregate: { kind: 'values', attribute: 'CASE_LIST' },
    sql: `SELECT f.v || '/' || ${subjects('m.patient_id')} FROM ${lists} AS f JOIN m ON m.patient_id = f.patient_id GROUP BY f.v`,
    lines: ({ values }) => itemsOf(values).map(({ value, count }) => [value, count]),
  },
  {
    aggregate: { kind: 'treatments' },
    sql: `SELECT ${agent} || '/' || ${subjects('e.patient_id')} FROM timeline_event e JOIN m ON m.patient_id = e.patient_id
      WHERE ${agent} IS NOT NULL GROUP BY ${agent}`,
    lines: ({ treatments }) => itemsOf(treatments).map(({ name, patients }) => [name, patients]),
  },
  {
    aggregate: { kind: 'density', x: 'own.freezers.volume', y: 'AGE', pointsMax: 5000 },
    sql: `SELECT ${whole('f.n')} || '/' || ${whole('a.n')} FROM (SELECT DISTINCT patient_id, n FROM ${volumes} AS v) AS f
      JOIN ${ages} AS a ON a.patient_id = f.patient_id JOIN m ON m.patient_id = f.patient_id WHERE f.n IS NOT NULL`,
    lines: ({ density }) => (Object(density).points as { x: number; y: number }[]).map(({ x, y }) => [x, y]),
  },
  {
    aggregate: { kind: 'table', row: 'own.freezers.freezer', column: 'CASE_LIST' },
    sql: `SELECT f.v || '/' || l.v || '/' || ${subjects('m.patient_id')} FROM ${volumes} AS f JOIN ${lists} AS l ON l.patient_id = f.patient_id
      JOIN m ON m.patient_id = f.patient_id WHERE f.v IS NOT NULL GROUP BY f.v, l.v`,
    lines: ({ table }) =>
      (Object(table).cells as Record<string, unknown>[]).map(({ row, column, count }) => [
        row,
        column,
        count,
      ]),
  },
];

const itemsOf = (result: unknown): Record<string, unknown>[] => Object(result).items;

describeOnSqlite('aggregates of a study and plain statements', (app) => {
  let project: TestProject;
  let readers: Record<ReaderName, Call>;

  before(async () => {
    project = await TestProject.make(app.call, 'Compared');
    await project.take('study.zip', zip(made.files), { type: 'cbioportal' });
    const columns = ['Freezer', 'Volume', 'Thawed'].map((name) => ({ name, mask: 'none' }));
    await project.take('freezers.csv', freezers, { type: 'table', table: { name: 'freezers', columns } });
    readers = await readersOf(app, people);
  });

  for (const name of readerNames)
    test(`each aggregate of ${name} is that of the statements`, async () => {
      const call = readers[name];
      const mine = project.as(call);
      let found = 0;
      const pairs = fc.tuple(fc.constantFrom(...conditions), fc.constantFrom(...conditions), fc.boolean());
      await fc.assert(
        fc.asyncProperty(pairs, async ([[one, ofOne], [other, ofOther], isAnd]) => {
          const filter = isAnd ? { and: [one, other] } : { or: [one, other] };
          const aggregates = compared.map(({ aggregate }, at) => ({ id: `a${at}`, ...aggregate }));
          const body = { datasetId: project.id, unit: 'patient', filter, aggregates };
          const answer = await call('POST', '/v1/analytics/study/query', { body });
          assert.equal(answer.status, 200, answer.text);
          const patients = `SELECT DISTINCT patient_id FROM (${ofOne} ${isAnd ? 'INTERSECT' : 'UNION'} ${ofOther}) AS x WHERE patient_id IS NOT NULL`;
          const parts = compared.map(
            ({ sql }, at) => `SELECT 'a${at}|' || line FROM (${sql}) AS t${at}(line)`,
          );
          const all = [`SELECT 'n|' || ${whole('count(*)')} FROM m`, ...parts].join(' UNION ALL ');
          const results = compared.flatMap(({ lines }, at) =>
            lines(answer.body.results[`a${at}`]).map((line) => `a${at}|${line.join('/')}`),
          );
          const expected = await mine.ask(`WITH m AS (${patients}) ${all}`);
          assert.deepEqual(
            sorted([`n|${answer.body.matched.patients}`, ...results]),
            sorted(expected),
            JSON.stringify(filter),
          );
          found += expected.length;
        }),
        { numRuns: 4, examples: [[[everyone, everyone, true]]] },
      );
      assert.ok(found > 20, `${found} lines`);
    });
});
