import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { type Condition, literal, type TableConditions } from '@ploidy/engine';
import fc from 'fast-check';
import { DuckdbSql } from '../../../../../engine/src/duckdb.ts';
import { universeTables, withRelations } from './analytics.ts';
import { answering } from './answers.ts';
import { Compiler } from './compile.ts';
import { Naive } from './naive.fixture.ts';
import type { Query } from './query.ts';
import { type LakeRow, randomLake, relationsOf } from './random-lake.fixture.ts';
import { one, where } from './random-where.fixture.ts';
import { readQuery, readStringQuery } from './read/read-query.ts';
import { Parameters } from './sql-text.ts';

const lake = randomLake(7, 40);
const relations = relationsOf(lake);
const naive = new Naive(lake, new Date().toISOString().slice(0, 10));

/** Leaves out all rows that cannot matter, as if each were a file of its own. */
function whereNeeded(places: TableConditions[string] | undefined): string {
  if (!places) return '';
  leftOut += 1;
  const holds = (condition: Condition): string => {
    const { column } = condition;
    if ('of' in condition) {
      const { table, column: other, where } = condition.of;
      return `"${column}" IN (SELECT "${other}" FROM memory.main."${table}" WHERE ${where.map(holds).join(' AND ') || 'true'})`;
    }
    if ('among' in condition) return `"${column}" IN (${condition.among.map(literal).join(', ')})`;
    const { from, to } = condition;
    return `"${column}" BETWEEN ${from ?? "'-infinity'::DOUBLE"} AND ${to ?? "'infinity'::DOUBLE"}`;
  };
  return ` WHERE ${places.map((place) => `(${place.map(holds).join(' AND ')})`).join(' OR ')}`;
}

/** Statements of which rows were left out. */
let leftOut = 0;

describe('meaning of conditions', () => {
  let sql: DuckdbSql;
  const folder = mkdtempSync(join(tmpdir(), 'ploidy-meaning-'));
  before(async () => {
    sql = await DuckdbSql.open({
      memoryMaxBytes: 256 * 2 ** 20,
      threads: 1,
      temporaryFolder: folder,
      temporaryMaxBytes: 2 ** 20,
    });
    for (const { name, sql: rows } of relations) await sql.run(`CREATE TABLE "${name}" AS ${rows}`);
  });
  after(() => {
    sql.close();
    rmSync(folder, { recursive: true });
  });

  async function ask(query: Query, projects = 1): Promise<Record<string, unknown>> {
    const compiler = new Compiler(new Parameters());
    const { sql: body, data } = answering(query, compiler, 0);
    const names = [...new Set([...compiler.tables, ...universeTables])];
    const stored = relations.map(({ name }) => ({
      name,
      files: [],
      sql: `SELECT * FROM memory.main."${name}"${whereNeeded(universeTables.includes(name) ? undefined : compiler.conditions[name])}`,
    }));
    const all = Array.from({ length: projects }, () => stored);
    return data(await sql.jsonRows(withRelations(body, names, all), compiler.parameters.values));
  }

  test('any tree of conditions finds the same patients as the naive evaluation', async () => {
    let found = 0;
    await fc.assert(
      fc.asyncProperty(where, async (tree) => {
        const query = readQuery({ target: 'patient', where: tree }, 'query');
        const { patients } = (await ask(query)) as { patients: { id: string }[] };
        const expected = naive.patients(query.where);
        assert.deepEqual(patients.map(({ id }) => id).sort(), expected);
        found += expected.length;
      }),
      { numRuns: 1000 },
    );
    assert.ok(found > 1000, 'the trees find something');
    assert.ok(leftOut > 100, 'rows were left out');
  });

  test('target rows pass their own conditions, and their patients the others', async () => {
    for (const [target, key, list] of [
      ['variant', 'variant_id', 'variants'],
      ['observation', 'id', 'observations'],
    ] as const) {
      await fc.assert(
        fc.asyncProperty(where, async (tree) => {
          const query = readQuery({ target, where: tree }, 'query');
          const answer = (await ask(query))[list] as LakeRow[];
          const expected = naive.targetRows(query.where, target).map((row) => row[key]);
          assert.deepEqual(answer.map((row) => row[key]).sort(), expected.sort());
        }),
        { numRuns: 150 },
      );
    }
  });

  test('counts, samples and genes agree with the target rows', async () => {
    await fc.assert(
      fc.asyncProperty(where, async (tree) => {
        const query = (target: string, domain: string) => readQuery({ target, domain, where: tree }, 'query');
        const count = async (target: string) => (await ask(query(target, 'count')))['count'];
        const { where: tests } = query('patient', 'count');
        const variants = naive.targetRows(tests, 'variant');
        assert.equal(await count('patient'), naive.patients(tests).length);
        assert.equal(await count('variant'), variants.length);
        const inGene = new Set(variants.map((row) => row['gene']).filter((gene) => gene !== null));
        assert.equal(await count('gene'), inGene.size);
        const { genes: listed } = (await ask(query('gene', 'genes'))) as {
          genes: { gene: string; variantCount: number }[];
        };
        for (const { gene, variantCount } of listed) {
          const own = variants.filter((row) => row['gene'] === gene);
          const distinct = new Set(own.map((row) => `${row['position']} ${row['alternate']}`));
          assert.equal(variantCount, distinct.size);
        }
        assert.deepEqual(new Set(listed.map(({ gene }) => gene)), inGene);
        const { samples } = (await ask(query('variant', 'samples'))) as { samples: { id: string }[] };
        // Rows of sites have no sample.
        const named = variants.map((row) => row['sample_id']).filter((id) => typeof id === 'string');
        const wanted = [...new Set(named)];
        assert.deepEqual(samples.map(({ id }) => id).sort(), wanted.sort());
      }),
      { numRuns: 100 },
    );
  });

  test('the text form means the same as the JSON form', async () => {
    const pairs: [string, object][] = [
      [
        "patient.conditions.code = 'a' AND patient.conditions.onset_date > '2012-01-01'",
        { patient: { conditions: { code: [one('eq', 'a')], onset_date: [one('gt', '2012-01-01')] } } },
      ],
      [
        "(patient.conditions.code = 'a') AND (patient.conditions.code = 'b')",
        {
          and: [
            { patient: { conditions: { code: [one('eq', 'a')] } } },
            { patient: { conditions: { code: [one('eq', 'b')] } } },
          ],
        },
      ],
      [
        "patient.demographics.age BETWEEN 20, 60 OR variant.gene IN ('TTN', 'BRAF')",
        {
          or: [
            { patient: { demographics: { age: [one('between', [20, 60])] } } },
            { variant: { gene: [one('in', ['TTN', 'BRAF'])] } },
          ],
        },
      ],
      [
        "patient.demographics.deceased = true AND variant.gene IN ['TTN', 'BRAF']",
        {
          patient: { demographics: { is_deceased: [one('eq', true)] } },
          variant: { gene: [one('in', ['TTN', 'BRAF'])] },
        },
      ],
      [
        "variant.gene = 'TTN' XOR patient.all = true",
        { xor: [{ variant: { gene: [one('eq', 'TTN')] } }, { patient: { all: true } }] },
      ],
      [
        "NOT patient.observations.value_quantity >= 50 AND variant.impact != 'LOW'",
        {
          not: { patient: { observations: { value_quantity: [one('gte', 50)] } } },
          variant: { impact: [one('ne', 'LOW')] },
        },
      ],
      [
        "patient.dob IS NULL OR patient.demographics.gender NOT IN ('male')",
        {
          or: [
            { patient: { dob: [one('exists', false)] } },
            { patient: { demographics: { gender: [one('notIn', ['male'])] } } },
          ],
        },
      ],
      [
        "variant.gene = 'TTN' OR variant.gene = 'BRAF' AND patient.all = false",
        {
          or: [
            { variant: { gene: [one('eq', 'TTN')] } },
            { variant: { gene: [one('eq', 'BRAF')] }, patient: { all: false } },
          ],
        },
      ],
    ];
    for (const [filter, tree] of pairs) {
      const text = readStringQuery(`SELECT patients FROM patient WHERE ${filter}`, undefined, {
        text: 't',
        options: 'o',
      });
      assert.deepEqual(
        await ask(text),
        await ask(readQuery({ target: 'patient', where: tree }, 'query')),
        filter,
      );
    }
  });

  test('groups add up, and a histogram holds every value once', async () => {
    const metrics = [
      { op: 'histogram', field: 'value_quantity' },
      { op: 'histogram', field: 'value_quantity', interval: 25 },
      { op: 'count', field: 'value_quantity' },
      { op: 'sum', field: 'value_quantity' },
      { op: 'countDistinct', field: 'patient_id' },
    ];
    const query = readQuery(
      { target: 'observation', domain: 'aggregate', options: { groupBy: ['code'], metrics } },
      'query',
    );
    const { buckets } = (await ask(query)) as {
      buckets: { key: LakeRow; count: number; metrics: { value: never }[] }[];
    };
    const rows = lake['observation'] ?? [];
    assert.equal(
      buckets.reduce((sum, { count }) => sum + count, 0),
      rows.length,
    );
    for (const bucket of buckets) {
      const own = rows.filter((row) => (row['code'] ?? null) === bucket.key['code']);
      const values = own.map((row) => row['value_quantity']).filter((value) => typeof value === 'number');
      const [tenths, quarters, count, sum, patients] = bucket.metrics.map(
        ({ value }) => value,
      ) as unknown as [Bar[], Bar[], number, number, number];
      assert.equal(bucket.count, own.length);
      assert.equal(count, values.length);
      assert.equal(
        sum,
        values.reduce((total, value) => total + value, 0),
      );
      assert.equal(patients, new Set(own.map((row) => row['patient_id'])).size);
      for (const bars of [tenths, quarters])
        assert.equal(
          bars.reduce((total, bar) => total + bar.count, 0),
          values.length,
        );
      for (const bar of quarters) {
        assert.equal(bar.count, values.filter((value) => value >= bar.from && value < bar.to).length);
      }
    }
  });

  test('patients of several projects are distinct, also under one id', async () => {
    const query = readQuery({ target: 'patient', domain: 'count' }, 'query');
    assert.deepEqual(await ask(query, 2), { count: naive.patients(query.where).length * 2 });
  });

  test('groups and distinct counts separate ids of several projects and combine other values', async () => {
    const metrics = ['patient_id', 'id', 'code'].map((field) => ({ op: 'countDistinct', field }));
    const aggregate = async (groupBy: string[], projects: number) => {
      const options = { groupBy, metrics };
      const query = readQuery({ target: 'observation', domain: 'aggregate', options }, 'query');
      const { buckets } = (await ask(query, projects)) as {
        buckets: { key: LakeRow; count: number; metrics: { value: number }[] }[];
      };
      return buckets.map(
        ({ key, count, metrics: listed }) => [key, count, listed.map(({ value }) => value)] as const,
      );
    };
    const [one] = await aggregate([], 1);
    const [both] = await aggregate([], 2);
    const [patients = 0, ids = 0, codes = 0] = one?.[2] ?? [];
    assert.deepEqual(both, [{}, (one?.[1] ?? 0) * 2, [patients * 2, ids * 2, codes]]);
    const grouped = await aggregate(['patient_id'], 1);
    const twice = grouped.flatMap((bucket) => [bucket, bucket]);
    assert.deepEqual(await aggregate(['patient_id'], 2), twice);
  });
});

interface Bar {
  from: number;
  to: number;
  count: number;
}
