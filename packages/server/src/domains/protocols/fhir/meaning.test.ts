import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { JsonObject } from '@ploidy/formats/fhir';
import { type ParameterKind, parametersOf, resourceTypes } from '@ploidy/formats/fhir-r4';
import fc from 'fast-check';
import { DuckdbSql } from '../../../../../engine/src/duckdb.ts';
import { matches } from './naive.fixture.ts';
import { asked, observation, patient } from './random-resources.fixture.ts';
import { readSearch } from './search.ts';
import { Statement } from './statement.ts';

const base = 'https://fhir.example.org/a/v1/fhir/p';

const escaped = (one: string): string => one.replace(/[\\,|$]/g, '\\$&');

/** Values that no resource of any shape has. */
const anyValues: Record<ParameterKind, string> = {
  ...{ token: 'nowhere', string: 'nowhere', date: '1066' },
  ...{ quantity: '77', reference: 'Patient/none', uri: 'urn:none' },
};

describe('meaning of searches', () => {
  let sql: DuckdbSql;
  const folder = mkdtempSync(join(tmpdir(), 'ploidy-fhir-'));
  before(async () => {
    const memoryMaxBytes = 256 * 2 ** 20;
    sql = await DuckdbSql.open({
      memoryMaxBytes,
      threads: 1,
      temporaryFolder: folder,
      temporaryMaxBytes: 2 ** 20,
    });
    await sql.run("SET TimeZone = 'UTC'");
    await sql.run(
      'CREATE TABLE resources (patient_id VARCHAR, id VARCHAR, resource_type VARCHAR, data VARCHAR)',
    );
  });
  after(() => {
    sql.close();
    rmSync(folder, { recursive: true });
  });

  async function fill(resources: readonly JsonObject[]): Promise<void> {
    await sql.run('DELETE FROM resources');
    for (const [at, resource] of resources.entries()) {
      const row = [
        patientOf(resource),
        String(at),
        String(resource['resourceType']),
        JSON.stringify(resource),
      ];
      await sql.jsonRows("INSERT INTO resources VALUES (nullif($1, ''), $2, $3, $4)", row);
    }
  }

  /** Returns the patient of the column, as an ingestion fills it. */
  function patientOf({ subject }: JsonObject): string {
    const text = String(Object(subject).reference ?? '').replace(/\/_history.*/, '');
    return /^(?:.*\/)?Patient\/(.*)$|^urn:uuid:(.*)$/.exec(text)?.slice(1).find(Boolean) ?? '';
  }

  async function found(type: string, pairs: [string, string][]): Promise<string[]> {
    const statement = new Statement(base, Date.now());
    const text = statement.page(readSearch(type, [...pairs, ['_count', '1000']], true), undefined);
    const rows = await sql.jsonRows(text, statement.parameters.values);
    return rows.map((row) => String(row['id'])).sort();
  }

  const kinds: Record<string, fc.Arbitrary<object>> = { Observation: observation, Patient: patient };
  for (const [type, resource] of Object.entries(kinds))
    test(`any search of ${type} finds what reading each resource finds`, async () => {
      const lake = fc
        .sample(resource, { numRuns: 60, seed: 11 })
        .map((one) => JSON.parse(JSON.stringify(one)));
      await fill(lake);
      let hits = 0;
      await fc.assert(
        fc.asyncProperty(fc.array(asked(type), { minLength: 1, maxLength: 3 }), async (criteria) => {
          const pairs = criteria.map(({ parameter, modifier, value }): [string, string] => [
            modifier === undefined ? parameter.name : `${parameter.name}:${modifier}`,
            value,
          ]);
          const expected = lake.flatMap((one, at) =>
            criteria.every((criterion) => matches(one, criterion)) ? [String(at)] : [],
          );
          assert.deepEqual(await found(type, pairs), expected.sort(), JSON.stringify(pairs));
          hits += expected.length;
        }),
        { numRuns: 250, seed: 3 },
      );
      assert.ok(hits > 500, String(hits));
    });

  test('a value with the separators of searches is found when they are escaped', async () => {
    await fill([
      { resourceType: 'Observation', code: { coding: [{ code: 'ä,b' }] } },
      { resourceType: 'Observation', code: { coding: [{ code: 'a|b' }] } },
    ]);
    assert.deepEqual(await found('Observation', [['code', escaped('ä,b')]]), ['0']);
    assert.deepEqual(await found('Observation', [['code', `x,${escaped('a|b')}`]]), ['1']);
  });

  test('statements of every search parameter run over resources of any shape', async () => {
    const shapes = [
      'x',
      5,
      true,
      null,
      {},
      [],
      [null],
      ['x', 5],
      [[{}]],
      { coding: { code: 1 }, system: [] },
    ];
    for (const type of resourceTypes) {
      const parameters = [...parametersOf(type).values()];
      const first = new Set(
        parameters.flatMap(({ places }) => places.map(({ steps }) => steps[0]?.name ?? '')),
      );
      await fill(
        shapes.map((shape) => ({
          resourceType: type,
          ...Object.fromEntries([...first].map((one) => [one, shape])),
        })),
      );
      const sort: [string, string] = ['_sort', parameters.map((one) => one.name).join(',')];
      assert.equal((await found(type, [sort])).length, shapes.length, type);
      const criteria = parameters.map(({ name, kind }): [string, string] => [name, anyValues[kind]]);
      for (let at = 0; at < criteria.length; at += 30)
        assert.deepEqual(await found(type, criteria.slice(at, at + 30)), [], type);
    }
  });

  test('pages by any keys have each match once, in the order of one page', async () => {
    const lake = fc
      .sample(observation, { numRuns: 40, seed: 5 })
      .map((one) => JSON.parse(JSON.stringify(one)));
    await fill(lake);
    for (const keys of [
      'date',
      '-date',
      'value-quantity,-date',
      'code,_id',
      '-performer,value-string',
      '-_id',
      '_lastUpdated',
    ]) {
      const ask = async (count: string, cursor?: (string | null)[]) => {
        const statement = new Statement(base, 0);
        const text = statement.page(
          readSearch(
            'Observation',
            [
              ['_sort', keys],
              ['_count', count],
            ],
            true,
          ),
          cursor,
        );
        return statement.parameters && (await sql.jsonRows(text, statement.parameters.values));
      };
      const all = (await ask('1000')).map((row) => row['id']);
      const paged: unknown[] = [];
      let cursor: (string | null)[] | undefined;
      for (;;) {
        const rows = await ask('7', cursor);
        const page = rows.slice(0, 7);
        paged.push(...page.map((row) => row['id']));
        if (rows.length <= 7) break;
        cursor = page.at(-1)?.['keys'] as (string | null)[];
      }
      assert.equal(all.length, 40);
      assert.deepEqual(paged, all, keys);
    }
  });
});
