import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { JsonObject } from '@ploidy/formats/fhir';
import { type ParameterKind, parametersOf, resourceTypes } from '@ploidy/formats/fhir-r4';
import fc from 'fast-check';
import { DuckdbSql } from '../../../../../engine/src/duckdb.ts';
import { naiveIds } from './naive.fixture.ts';
import { asked, randomTypes, resources } from './random-resources.fixture.ts';
import { readSearch } from './search.ts';
import { Statement } from './statement.ts';

/** Searches of each type over each lake; more by PLOIDY_SEARCHES. */
const searchesOfEach = Number(process.env['PLOIDY_SEARCHES'] ?? 60);
const now = Date.parse('2026-01-01');
const base = 'https://fhir.example.org/a/v1/fhir/p';

/** Gives the references of a resource whose id has the prefix `x-` that prefix too. */
const prefixed = (resource: JsonObject): JsonObject =>
  String(resource['id']).startsWith('x-')
    ? JSON.parse(
        JSON.stringify(resource)
          .replaceAll(/"reference":"urn:[^"]*"/g, '"reference":"#p"')
          .replaceAll(/"reference":"([^"]*[A-Z][a-z]+\/)(\w)/g, '"reference":"$1x-$2'),
      )
    : resource;

const escaped = (one: string): string => one.replace(/[\\,|$]/g, '\\$&');

/** Values that no resource of any shape has. */
const anyValues: Record<ParameterKind, string> = {
  ...{ token: 'nowhere', string: 'nowhere', date: '1066', number: '77' },
  ...{ quantity: '77', reference: 'Patient/none', uri: 'urn:none', composite: '' },
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
      const id = String(resource['id'] ?? at);
      const row = [patientOf(resource), id, String(resource['resourceType']), sentAs(resource)];
      await sql.jsonRows("INSERT INTO resources VALUES (nullif($1, ''), $2, $3, $4)", row);
    }
  }

  /** Returns the text of a resource before the ingestion gave its ids the prefix `x-`, also those of references. */
  function sentAs(resource: JsonObject): string {
    const text = JSON.stringify(resource);
    if (!String(resource['id']).startsWith('x-')) return text;
    return text.replaceAll(/"(id|reference)":"([^"]*?)x-(\w)/g, '"$1":"$2$3');
  }

  /** Returns the patient of the column, as an ingestion fills it. */
  function patientOf({ resourceType, id, subject, patient }: JsonObject): string {
    if (resourceType === 'Patient') return String(id);
    const text = String(Object(subject ?? patient).reference ?? '').replace(/\/_history.*/, '');
    return /^(?:.*\/)?Patient\/(.*)$|^urn:uuid:(.*)$/.exec(text)?.slice(1).find(Boolean) ?? '';
  }

  async function found(type: string, pairs: [string, string][]): Promise<string[]> {
    const statement = new Statement(base, now);
    const text = statement.page(readSearch(type, [...pairs, ['_count', '1000']], false), undefined);
    const rows = await sql.jsonRows(text, statement.parameters.values);
    return rows.map((row) => String(row['id'])).sort();
  }

  for (const type of randomTypes)
    test(`any search of ${type} finds what reading each resource finds`, async () => {
      let [hits, searches] = [0, 0];
      for (const drawn of fc.sample(resources, { numRuns: 3, seed: 11 })) {
        const lake = drawn.map((one) => prefixed(JSON.parse(JSON.stringify(one))));
        await fill(lake);
        await fc.assert(
          fc.asyncProperty(fc.array(asked(type), { minLength: 1, maxLength: 2 }), async (pairs) => {
            const expected = naiveIds(lake, type, pairs, now);
            assert.deepEqual(await found(type, pairs), expected, JSON.stringify(pairs));
            hits += expected.length;
            searches += 1;
          }),
          { numRuns: searchesOfEach, seed: 3 },
        );
      }
      assert.ok(hits > searches / 4, `${hits} found by ${searches} searches`);
    });

  test('a value with the separators of searches is found when they are escaped', async () => {
    await fill([
      { resourceType: 'Observation', code: { coding: [{ code: 'ä,b' }] } },
      { resourceType: 'Observation', code: { coding: [{ code: 'a|b' }] } },
    ]);
    assert.deepEqual(await found('Observation', [['code', escaped('ä,b')]]), ['0']);
    assert.deepEqual(await found('Observation', [['code', `x,${escaped('a|b')}`]]), ['1']);
  });

  test('a code is found in whatever way its resource writes it', async () => {
    const spellings: [code: string, ...written: string[]][] = [
      ['718-7', '"718-7"', '"\\u0037\\u0031\\u0038-7"'],
      ['a/b', '"a/b"', '"a\\/b"', '"a\\u002Fb"'],
      ['ä', '"ä"', '"\\u00e4"'],
      ['a"b', '"a\\"b"', '"a\\u0022b"'],
      ['a\tb', '"a\\tb"'],
      ['100.0', '"100.0"', '1e2', '100.0', '1E+2'],
      ['5', '5', '"5"'],
      ['[1,2]', '[1, 2]', '"[1,2]"'],
      ['{"a":1}', '{ "a" : 1 }'],
      ['true', 'true', '"true"'],
    ];
    for (const [code, ...written] of spellings) {
      await sql.run('DELETE FROM resources');
      for (const [at, text] of written.entries()) {
        const data = `{"resourceType":"Observation","code":{"coding":[{"code":${text}}]}}`;
        await sql.jsonRows("INSERT INTO resources VALUES (NULL, $1, 'Observation', $2)", [String(at), data]);
      }
      const all = [...written.keys()].map(String);
      assert.deepEqual(await found('Observation', [['code', escaped(code)]]), all, code);
      assert.deepEqual(await found('Observation', [['code:not', escaped(code)]]), [], code);
    }
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
      const sort: [string, string] = [
        '_sort',
        parameters.flatMap(({ name, kind }) => (kind === 'composite' ? [] : [name])).join(','),
      ];
      assert.equal((await found(type, [sort])).length, shapes.length, type);
      const criteria = parameters.map(({ name, kind, parts = [] }): [string, string] => [
        name,
        parts.map((part) => anyValues[part.kind]).join('$') || anyValues[kind],
      ]);
      for (let at = 0; at < criteria.length; at += 30)
        assert.deepEqual(await found(type, criteria.slice(at, at + 30)), [], type);
    }
  });

  test('pages by any keys have each match once, in the order of one page', async () => {
    const lake = fc
      .sample(resources, { numRuns: 7, seed: 5 })
      .flat()
      .filter(({ resourceType }) => resourceType === 'Observation')
      .map((one, at) => JSON.parse(JSON.stringify({ ...one, id: String(at) })));
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
            false,
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
      assert.equal(all.length, 42);
      assert.deepEqual(paged, all, keys);
    }
  });
});
