import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import fc from 'fast-check';
import { TestProject } from '../../../../../../test/inputs/project.ts';
import { describeOnSqlite, type Reply } from '../../../../../../test/support/app.ts';
import { until } from '../../../../../../test/support/until.ts';
import { rules } from '../../../access/subject-policies.fixture.ts';

const patients = ['a', 'ab', 'b', 'ba', 'aba', '1'];

const lastUpdated = '2024-05-01T10:00:00.5Z';
const versioned = { resourceType: 'Practitioner', id: 'd', meta: { versionId: '3', lastUpdated } };

/** Resources of four types for each patient, and two of no patient. */
const lines = [
  ...patients.flatMap((id) => [
    { resourceType: 'Patient', id, gender: 'female', generalPractitioner: [{ reference: 'Practitioner/d' }] },
    ...['Condition', 'Procedure'].map((resourceType) => ({
      ...{ resourceType, id: `${resourceType}-${id}`, subject: { reference: `Patient/${id}` } },
      ...(resourceType === 'Procedure' && { status: 'completed' }),
    })),
    {
      resourceType: 'Flag',
      id: `flag-${id}`,
      status: 'active',
      code: {},
      subject: { reference: `Patient/${id}` },
    },
  ]),
  versioned,
  { resourceType: 'Flag', id: 'of-place', status: 'active', code: {}, subject: { reference: 'Location/a' } },
];

describeOnSqlite('readers of the FHIR interface', (app) => {
  let project: TestProject;
  before(async () => {
    project = await TestProject.make(app.call, 'FHIR readers');
    await project.take('all.ndjson', lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  });

  test('only the current version of a resource is there, by the id that it states', async () => {
    const base = `/${app.account}/v1/fhir/${project.id}`;
    const get = (path: string, options = {}) => app.call('GET', `${base}/${path}`, options);
    const current = await get('Practitioner/d/_history/3');
    assert.deepEqual([current.body, current.headers.get('etag')], [versioned, 'W/"3"']);
    const { body } = await get('Practitioner/d/_history');
    const fullUrl = `${app.address}${base}/Practitioner/d`;
    assert.deepEqual(body, {
      ...{ resourceType: 'Bundle', type: 'history', total: 1 },
      link: [{ relation: 'self', url: `${fullUrl}/_history` }],
      entry: [
        {
          fullUrl,
          request: { method: 'PUT', url: 'Practitioner/d' },
          response: { status: '200', etag: 'W/"3"', lastModified: lastUpdated },
          resource: versioned,
        },
      ],
    });
    assert.deepEqual((await get('Patient/a/_history')).body.entry[0].response, { status: '200' });
    const { key } = await app.people.member(app.account, ['readData'], {
      'resource.subject': { comparison: 'equals', value: 'a' },
    });
    const refused: [path: string, status: number, words: RegExp, key?: string][] = [
      ['Practitioner/d/_history/2', 404, /Only the current version is kept/],
      ['Patient/a/_history/1', 404, /Only the current version is kept/],
      ['Patient/nobody/_history', 404, /nothing that you may see/],
      ['Patient/nobody/_history/1', 404, /nothing that you may see/],
      ['Practitioner/d/_history/3', 404, /nothing that you may see/, key],
      ['Patient/b/_history', 404, /nothing that you may see/, key],
      ['Patient/a/_history?_since=2024', 400, /_since is not offered/],
    ];
    for (const [path, status, words, as] of refused) {
      const reply = await get(path, as === undefined ? {} : { key: as });
      assert.deepEqual([reply.status, reply.body.resourceType], [status, 'OperationOutcome'], path);
      assert.match(reply.body.issue[0].details.text, words, path);
    }
  });

  test('reads and searches of any policy find the ids that SQL shows', async () => {
    const drawn = fc.sample(rules, { numRuns: 24, seed: 20 });
    let shown = 0;
    let refused = 0;
    for (const [rule = {}] of drawn) {
      const { key } = await app.people.member(app.account, ['readData'], rule);
      const call = (path: string): Promise<Reply> =>
        app.call('GET', `/${app.account}/v1/fhir/${project.id}/${path}`, { key });
      const body = {
        datasetId: project.id,
        query: 'SELECT resource_type, id, patient_id FROM resource ORDER BY 1, 2',
      };
      const sql = await app.call('POST', '/v1/analytics/data-lake/rows', { body, key });
      const rows: [type: string, id: string, patient: string | null][] =
        sql.status === 200 ? sql.body.rows : [];
      const idsOf = (type: string) => rows.flatMap(([one, id]) => (one === type ? [id] : []));
      const why = JSON.stringify(rule);
      for (const type of ['Patient', 'Condition', 'Procedure', 'Flag', 'Practitioner']) {
        const include = type === 'Patient' ? 'Patient:general-practitioner' : 'Flag:patient';
        const how = type === 'Patient' || type === 'Flag' ? `_include=${include}` : '_total=accurate';
        const found = await call(`${type}?_total=accurate&_revinclude=Flag:patient&${how}`);
        if (sql.status === 403 || sql.status === 404) {
          assert.equal(found.status, sql.status, why);
          refused += 1;
          continue;
        }
        assert.equal(found.status, 200, `${why}: ${found.text}`);
        const entries: { resource: { resourceType: string; id: string }; search: { mode: string } }[] =
          found.body.entry ?? [];
        const matches = entries
          .filter(({ search }) => search.mode === 'match')
          .map(({ resource }) => resource.id);
        assert.deepEqual(matches, idsOf(type), `${type}: ${why}`);
        assert.equal(found.body.total, matches.length, why);
        for (const { resource } of entries)
          assert.ok(idsOf(resource.resourceType).includes(resource.id), why);
        shown += matches.length;
      }
      if (sql.status !== 200) continue;
      for (const patient of patients) {
        const own = rows.filter(([, , of]) => of === patient).map(([type, id]) => `${type}/${id}`);
        const all = await call(`Patient/${patient}/$everything`);
        assert.equal(all.status, own.length > 0 ? 200 : 404, why);
        const found = (all.body.entry ?? []).map(
          ({ resource }: { resource: { resourceType: string; id: string } }) =>
            `${resource.resourceType}/${resource.id}`,
        );
        assert.deepEqual(found.sort(), own.sort(), why);
      }
      const named = rows.filter(([type, , of]) => type === 'Condition' && of !== null).map(([, id]) => id);
      const chained = await call('Condition?subject:Patient.gender=female');
      assert.deepEqual(
        (chained.body.entry ?? []).map(({ resource }: { resource: { id: string } }) => resource.id),
        named,
        why,
      );
    }
    assert.ok(shown > 100 && refused > 0, `${shown} shown, ${refused} refused`);
  });

  test('exports and groups of any policy have the resources and members that SQL shows', async () => {
    const subjectIds = patients.slice(0, 4);
    const body = { name: 'Four', ownerProject: project.id, subjectIds };
    const cohort = (await app.call('POST', '/v1/cohorts', { body })).body.id;
    const one = { 'resource.subject': { comparison: 'equals', value: 'ab' } } as const;
    // Each file of an export is a query of its own: few policies, and those of every form.
    const [[drawn = {}] = []] = fc.sample(rules, { numRuns: 1, seed: 24 });
    const readers = [
      ['readData', one],
      ['readMaskedData', {}],
      ['readMaskedData', drawn],
    ] as const;
    let [exported, inGroups] = [0, 0];
    for (const [privilege, rule] of readers) {
      const { key, userId } = await app.people.member(app.account, [privilege], rule);
      const reader = { 'user.id': { comparison: 'equals', value: userId } };
      const cohorts = { ...reader, 'resource.type': { comparison: 'equals', value: 'cohort' } };
      const policy = { name: `Cohorts of ${userId}`, policy: { rules: { readData: [cohorts] } } };
      assert.equal((await app.call('POST', '/v1/policies', { body: policy })).status, 200);
      const call = (path: string, headers = {}): Promise<Reply> => app.call('GET', path, { key, headers });
      const base = `/${app.account}/v1/fhir/${project.id}`;
      const why = `${privilege} ${JSON.stringify(rule)}`;
      const ask = async (query: string): Promise<string[]> => {
        const answer = await app.call('POST', '/v1/analytics/data-lake/rows', {
          ...{ body: { datasetId: project.id, query }, key },
        });
        return answer.status === 200 ? answer.body.rows.flat() : [];
      };
      const made = "resource_type IN ('Patient', 'Condition', 'Procedure') AND patient_id IS NOT NULL";
      const form = privilege === 'readData' ? 'true' : made;
      const members = `SELECT patient_id FROM cohort WHERE cohort_id = '${cohort}'`;
      const name = "resource_type || '/' || id";
      for (const [path, condition] of [
        ['$export', form],
        ['Patient/$export', `${form} AND patient_id IS NOT NULL`],
        [`Group/${cohort}/$export`, `${form} AND patient_id IN (${members})`],
      ] as const) {
        const begun = await call(`${base}/${path}`, { prefer: 'respond-async' });
        const expected = await ask(`SELECT ${name} FROM resource WHERE ${condition}`);
        if (begun.status !== 202) {
          assert.deepEqual([expected, [403, 404].includes(begun.status)], [[], true], `${why} ${path}`);
          continue;
        }
        const place = new URL(begun.headers.get('content-location') ?? '').pathname;
        let state = await call(place);
        await until(async () => {
          state = await call(place);
          return state.status !== 202;
        }, 'the export ended');
        assert.equal(state.status, 200, `${why}: ${state.text}`);
        const texts = await Promise.all(
          state.body.output.map(async ({ url }: { url: string }) => (await fetch(url)).text()),
        );
        const found = texts.flatMap((text) => text.trimEnd().split('\n')).map((line) => JSON.parse(line));
        const names = found.map(({ resourceType, id }) => `${resourceType}/${id}`);
        assert.deepEqual(names.sort(), expected.sort(), `${why} ${path}`);
        exported += found.length;
      }
      const group = await call(`${base}/Group/${cohort}`);
      const listed = (group.body.member ?? []).map(
        ({ entity }: { entity: { reference: string } }) => entity.reference,
      );
      const expected = await ask(`SELECT 'Patient/' || patient_id FROM cohort WHERE cohort_id = '${cohort}'`);
      assert.deepEqual(listed.sort(), expected.sort(), why);
      inGroups += listed.length;
    }
    assert.ok(exported > 25 && inGroups > 4, `${exported} exported, ${inGroups} in groups`);
  });

  test('readers of masked values by any policy find the ids that masked SQL shows, and no real ones', async () => {
    const real = new Set(lines.map(({ id }) => id));
    let shown = 0;
    const one = { 'resource.subject': { comparison: 'equals', value: 'ab' } } as const;
    const drawn = [[{}], [one], ...fc.sample(rules, { numRuns: 4, seed: 20 })];
    for (const [rule = {}] of drawn) {
      const { key } = await app.people.member(app.account, ['readMaskedData'], rule);
      const call = (path: string): Promise<Reply> =>
        app.call('GET', `/${app.account}/v1/fhir/${project.id}/${path}`, { key });
      const namesIn = ({ body }: Reply): string[] =>
        (body.entry ?? []).map(
          ({ resource }: { resource: { resourceType: string; id: string } }) =>
            `${resource.resourceType}/${resource.id}`,
        );
      const query = `SELECT resource_type || '/' || id, patient_id FROM resource
        WHERE patient_id IS NOT NULL AND resource_type IN ('Patient', 'Condition', 'Procedure')`;
      const sql = await app.call('POST', '/v1/analytics/data-lake/rows', {
        body: { datasetId: project.id, query },
        key,
      });
      const why = JSON.stringify(rule);
      if (sql.status !== 200) {
        assert.equal((await call('Patient')).status, sql.status, why);
        continue;
      }
      const rows: [name: string, patient: string][] = sql.body.rows;
      const found = (await Promise.all(['Patient', 'Condition', 'Procedure'].map(call))).flatMap(namesIn);
      assert.deepEqual(found.toSorted(), rows.map(([name]) => name).toSorted(), why);
      assert.ok(!found.some((name) => real.has(name.slice(name.indexOf('/') + 1))), why);
      for (const patient of new Set(rows.map(([, of]) => of))) {
        const own = rows.filter(([, of]) => of === patient).map(([name]) => name);
        const all = await call(`Patient/${patient}/$everything`);
        assert.deepEqual(namesIn(all).toSorted(), own.toSorted(), why);
        const read = await Promise.all(own.map(call));
        assert.deepEqual(
          read.map(({ body }) => `${body.resourceType}/${body.id}`),
          own,
          why,
        );
      }
      shown += found.length;
    }
    assert.ok(shown > 20, `${shown} shown`);
  });
});
