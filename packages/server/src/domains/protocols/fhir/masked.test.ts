import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import type { JsonObject } from '@ploidy/formats/fhir';
import { isR4, type ParameterKind, parametersOf } from '@ploidy/formats/fhir-r4';
import { TestProject } from '../../../../../../test/inputs/project.ts';
import { describeOnSqlite, type Reply } from '../../../../../../test/support/app.ts';
import { everyTable } from '../../../../../../test/support/fhir/every-table.ts';
import { maskedTypes } from './masked-resources.ts';
import { naiveIds } from './naive.fixture.ts';

/** Members whose texts are values of a kind, as a client would search for them. */
const membersOf: Record<ParameterKind, readonly string[]> = {
  token: ['code', 'status', 'gender', 'type'],
  date: ['effectiveDateTime', 'onsetDateTime', 'birthDate', 'start', 'recordedDate'],
  ...{ reference: ['reference'], quantity: ['value'], number: ['value'], composite: [] },
  ...{ string: ['family', 'text', 'display'], uri: ['system'] },
};

/** Lists the texts of a member anywhere in resources. */
function textsOf(value: unknown, names: readonly string[]): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, one]) =>
    names.includes(name) && typeof one !== 'object' ? [String(one)] : textsOf(one, names),
  );
}

describeOnSqlite('readers of masked values of the FHIR interface', (app) => {
  const real: JsonObject[] = JSON.parse(JSON.stringify(everyTable()));
  const masked: JsonObject[] = [];
  let project: TestProject;
  let key = '';
  const get = (path: string, by = key): Promise<Reply> =>
    app.call('GET', `/${app.account}/v1/fhir/${project.id}/${path}`, { key: by });
  const resourcesIn = ({ body }: Reply): JsonObject[] =>
    (body.entry ?? []).map(({ resource }: { resource: JsonObject }) => resource);

  before(async () => {
    project = await TestProject.make(app.call, 'FHIR masked');
    await project.take('all.ndjson', real.map((one) => `${JSON.stringify(one)}\n`).join(''));
    key = (await app.people.member(app.account, ['readMaskedData'])).key;
    for (const type of maskedTypes) masked.push(...resourcesIn(await get(`${type}?_count=1000`)));
  });

  test('each type with a table is there, labelled and in the form of R4, with the ids that SQL shows', async () => {
    const query = "SELECT array_join(array_agg(resource_type || '/' || id), ',') FROM resource";
    const body = { datasetId: project.id, query };
    const sql = await app.call('POST', '/v1/analytics/data-lake/rows', { body, key });
    const known = new Set(sql.body.rows[0][0].split(','));
    for (const type of maskedTypes) {
      const sent = real.filter((one) => one['resourceType'] === type).length;
      assert.equal(masked.filter((one) => one['resourceType'] === type).length, sent, type);
    }
    for (const one of masked) {
      assert.ok(isR4(one), JSON.stringify(one));
      assert.ok(known.has(`${one['resourceType']}/${one['id']}`));
      assert.deepEqual(
        Object(one['meta']).security.map(({ code }: { code: string }) => code),
        ['REDACTED', 'PSEUDED'],
      );
    }
  });

  test('no text of a real resource is shown but codes, units and words of coded concepts', () => {
    const hidden = textsOf(real, [
      'id',
      'reference',
      'family',
      'text',
      'line',
      'city',
      'birthDate',
      'div',
      'lotNumber',
    ]);
    const shown = new Set(
      textsOf(masked, [
        'id',
        'reference',
        'text',
        'birthDate',
        'effectiveDateTime',
        'display',
        'code',
        'value',
      ]),
    );
    const words = new Set(textsOf(real, ['display', 'code']));
    const found = hidden.filter((one) => shown.has(one) && !words.has(one));
    assert.deepEqual(found, []);
    assert.ok(hidden.length > 100 && shown.size > 50);
  });

  test('a search finds what the masked resources match, for masked and for real values', async () => {
    let [searches, hits, refused] = [0, 0, 0];
    for (const type of maskedTypes)
      for (const { name, kind } of parametersOf(type).values()) {
        const of = (lake: JsonObject[]) =>
          textsOf(
            lake.filter((one) => one['resourceType'] === type),
            membersOf[kind],
          );
        const values = [...new Set([of(masked)[0], of(masked).at(-1), of(real)[0], of(real).at(-1)])];
        // One of the values is enough: fewer requests ask as much.
        const asked = values
          .flatMap((value) => (value === undefined ? [] : [value.replace(/[\\,|$]/g, '\\$&')]))
          .join(',');
        if (asked === '') continue;
        const reply = await get(`${type}?${name}=${encodeURIComponent(asked)}&_count=1000`);
        if (reply.status === 403 || reply.status === 400) {
          refused += 1;
          continue;
        }
        assert.equal(reply.status, 200, reply.text);
        const found = resourcesIn(reply).map(({ id }) => String(id));
        const expected = naiveIds(masked, type, [[name, asked]], Date.now());
        assert.deepEqual(found.sort(), expected, `${type} ${name}=${asked}`);
        searches += 1;
        hits += found.length;
      }
    assert.ok(searches > 80 && hits > 1000 && refused > 50, `${searches} ${hits} ${refused}`);
  });

  test('a search for a masked element is refused in any way of asking', async () => {
    for (const search of [
      ...[
        'name=A',
        'address-city=x',
        'identifier=1',
        'identifier:missing=true',
        '_sort=name',
        '_lastUpdated=gt2000',
      ],
      ...['_has:Observation:subject:identifier=1', '_revinclude=Observation:performer', 'phone:not=1'],
    ])
      assert.equal((await get(`Patient?${search}`)).status, 403, search);
    for (const search of [
      'code:text=a',
      'subject:identifier=1',
      'subject:Patient.name=a',
      'code-value-string=a$b',
    ])
      assert.equal((await get(`Observation?${search}`)).status, 403, search);
  });

  test('references lead among masked resources, and to nothing by real ids', async () => {
    const [observation] = masked.filter((one) => one['resourceType'] === 'Observation');
    const patient = String(Object(observation?.['subject']).reference);
    assert.equal((await get(patient)).status, 200);
    const all = resourcesIn(await get(`${patient}/$everything`));
    assert.ok(all.length > 1 && all.every((one) => masked.some(({ id }) => id === one['id'])));
    const found = resourcesIn(await get(`Patient?_id=${patient.slice(8)}&_revinclude=Observation:patient`));
    assert.ok(found.length > 1);
    const [sent] = real.filter((one) => one['resourceType'] === 'Patient');
    assert.equal((await get(`Patient/${sent?.['id']}`)).status, 404);
    assert.deepEqual(resourcesIn(await get(`Observation?patient=${sent?.['id']}`)), []);
  });

  test('a masked reader of one patient sees this one alone', async () => {
    const [sent] = real.filter((one) => one['resourceType'] === 'Patient');
    const rule = { 'resource.subject': { comparison: 'equals', value: String(sent?.['id']) } };
    const limited = await app.people.member(app.account, ['readMaskedData'], rule);
    const patients = resourcesIn(await get('Patient', limited.key));
    assert.equal(patients.length, 1);
    const observations = resourcesIn(await get('Observation?_count=1000', limited.key));
    assert.ok(observations.length > 0);
    for (const one of observations)
      assert.equal(Object(one['subject']).reference, `Patient/${patients[0]?.['id']}`);
  });
});
