import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { JsonObject } from '@ploidy/formats/fhir';
import { parametersOf } from '@ploidy/formats/fhir-r4';
import fc from 'fast-check';
import { DuckdbSql } from '../../../../../engine/src/duckdb.ts';
import { type Asked, matches } from './naive.fixture.ts';
import { readSearch } from './search.ts';
import { Statement } from './statement.ts';

const base = 'https://fhir.example.org/a/v1/fhir/p';

const dates = [
  ...['2023', '2024', '2024-02', '2024-02-29', '2024-03-01', '2023-12-31', '2024-02-29T23:59:59Z'],
  ...[
    '2024-03-01T00:00:00+02:00',
    '2024-02-29T23:59:59.999Z',
    '2024-03-01T00:30:00-01:00',
    '2024-12-31T24:00',
  ],
];
const date = fc.constantFrom(...dates.slice(0, -1));
const system = fc.constantFrom('http://loinc.org', 'urn:x', undefined);
const code = fc.constantFrom('a', 'A', 'b', "o'x", 'a|b', 'ä,b');
const coding = fc.record({ system, code: fc.option(code, { nil: undefined }) });
const concept = fc.record({ coding: fc.array(coding, { maxLength: 3 }), text: fc.constant('a') });
const text = fc.constantFrom('Ann', 'ANNA', 'Änne', 'van Ann', "O'X", '', '%', '_');
const id = fc.constantFrom('p', 'q', 'pq');
const reference = fc.oneof(
  id.map((one) => `Patient/${one}`),
  id.map((one) => `Group/${one}`),
  id.map((one) => `https://other.example/fhir/Patient/${one}/_history/2`),
  id.map((one) => `urn:uuid:${one}`),
  fc.constant('#p'),
);
const quantity = fc.record({
  value: fc.constantFrom(5, 5.4, 5.35, 5.45, 5.449, -1, 100),
  comparator: fc.option(fc.constantFrom('<', '>='), { nil: undefined }),
  unit: fc.constantFrom('mg', 'g', undefined),
  system: fc.constantFrom('http://unitsofmeasure.org', undefined),
  code: fc.constantFrom('mg', undefined),
});
const period = fc.record({
  start: fc.option(date, { nil: undefined }),
  end: fc.option(date, { nil: undefined }),
});
const maybe = <T>(one: fc.Arbitrary<T>) => fc.option(one, { nil: undefined });
const listed = <T>(one: fc.Arbitrary<T>) => maybe(fc.array(one, { maxLength: 3 }));

const observation = fc.record({
  resourceType: fc.constant('Observation'),
  meta: maybe(fc.record({ lastUpdated: date, tag: listed(coding) })),
  status: fc.constantFrom('final', 'amended'),
  category: listed(concept),
  code: concept,
  identifier: listed(fc.record({ system, value: code })),
  subject: maybe(fc.record({ reference })),
  performer: listed(fc.record({ reference })),
  effectiveDateTime: maybe(date),
  effectivePeriod: maybe(period),
  valueQuantity: maybe(quantity),
  valueString: maybe(text),
  component: listed(fc.record({ code: concept, valueQuantity: maybe(quantity) })),
});
const name = fc.record({
  family: maybe(text),
  given: listed(text),
  use: fc.constant('Ann'),
  text: maybe(text),
});
const patient = fc.record({
  resourceType: fc.constant('Patient'),
  active: maybe(fc.boolean()),
  gender: maybe(fc.constantFrom('female', 'male')),
  birthDate: maybe(date),
  name: listed(name),
  telecom: listed(fc.record({ system: fc.constantFrom('phone', 'email'), value: code })),
  address: listed(fc.record({ line: listed(text), city: maybe(text), use: fc.constant('Ann') })),
  generalPractitioner: listed(fc.record({ reference })),
});

const escaped = (one: string): string => one.replace(/[\\,|$]/g, '\\$&');
const prefix = fc.constantFrom('', 'eq', 'ne', 'gt', 'lt', 'ge', 'le', 'sa', 'eb');
const plainCode = code.filter((one) => !/[,|]/.test(one));
const values: Record<string, fc.Arbitrary<string>> = {
  token: fc.oneof(plainCode, fc.constantFrom('http://loinc.org|', '|a', 'http://loinc.org|a', 'urn:x|A')),
  string: fc.constantFrom('Ann', 'ann', 'a', 'Än', "o'", '%', '_', 'van'),
  date: fc
    .tuple(prefix, fc.constantFrom(...dates.slice(0, -1), '2024-02-29T23:59'))
    .map((parts) => parts.join('')),
  quantity: fc
    .tuple(
      prefix,
      fc.constantFrom('5', '5.4', '5.40', '-1', '100'),
      fc.constantFrom('', '||mg', '|http://unitsofmeasure.org|mg'),
    )
    .map((parts) => parts.join('')),
  reference: fc.oneof(
    id,
    id.map((one) => `Patient/${one}`),
    id.map((one) => `Group/${one}`),
  ),
};
const plainTokens: Record<string, string[]> = {
  status: ['final', 'amended', 'final,amended'],
  gender: ['female', 'male', 'other'],
  active: ['true', 'false'],
};
const modifiers: Record<string, string[]> = { token: ['not'], string: ['exact', 'contains'] };

const namesOf: Record<string, readonly string[]> = {
  Observation: [
    'code',
    'category',
    'identifier',
    'combo-code',
    'date',
    'value-quantity',
    'combo-value-quantity',
    'value-string',
    'patient',
    'subject',
    'performer',
    'status',
    '_lastUpdated',
    '_tag',
  ],
  Patient: [
    'name',
    'given',
    'family',
    'address',
    'address-city',
    'phone',
    'telecom',
    'birthdate',
    'gender',
    'active',
    'general-practitioner',
  ],
};

function asked(type: string): fc.Arbitrary<Asked> {
  return fc.constantFrom(...(namesOf[type] ?? [])).chain((one) => {
    const parameter = parametersOf(type).get(one);
    assert.ok(parameter, one);
    const value = plainTokens[one] ? fc.constantFrom(...plainTokens[one]) : values[parameter.kind];
    assert.ok(value);
    const missing = fc
      .constantFrom('true', 'false')
      .map((answer): Asked => ({ parameter, modifier: 'missing', value: answer }));
    const chosen = fc.option(fc.constantFrom(...(modifiers[parameter.kind] ?? [''])), { nil: '' });
    const plain = fc
      .tuple(value, chosen)
      .map(
        ([wanted, modifier]): Asked => ({ parameter, value: wanted, ...(modifier !== '' && { modifier }) }),
      );
    return fc.oneof({ weight: 5, arbitrary: plain }, { weight: 1, arbitrary: missing });
  });
}

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
