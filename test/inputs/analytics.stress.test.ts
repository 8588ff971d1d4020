import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { describeOnSqlite, type Reply } from '../support/app.ts';
import { until } from '../support/until.ts';
import { TestProject } from './project.ts';
import { fhirText, vcfText } from './texts.ts';

describeOnSqlite('questions that are answered at once', (app) => {
  let project: TestProject;

  before(async () => {
    project = await TestProject.make(app.call, 'Analytics');
    await project.take('p.ndjson', fhirText('p', 25, 2));
    await project.take('s.vcf', vcfText('s', 7), { patientId: 'p-1' });
  });

  const ask = (body: object): Promise<Reply> =>
    app.call('POST', '/v1/analytics/dsl', { body: { datasetId: project.id, ...body } });
  const data = async (query: object): Promise<Reply['body']> => {
    const reply = await ask({ query });
    assert.equal(reply.status, 200, reply.text);
    return reply.body.data;
  };

  test('pages hold every row once, and a token is good for nothing else', async () => {
    for (const [target, list, total] of [
      ['patient', 'patients', 25],
      ['variant', 'variants', 7],
      ['observation', 'observations', 50],
    ] as const) {
      const rows: unknown[] = [];
      let pageToken: string | undefined;
      do {
        const options = { limit: 4, ...(pageToken && { pageToken }) };
        const answer = await data({ target, options });
        rows.push(...answer[list].map((row: object) => JSON.stringify(row)));
        pageToken = answer.nextPageToken;
      } while (pageToken);
      assert.equal(rows.length, total);
      assert.equal(new Set(rows).size, total);
    }
    const { nextPageToken: pageToken } = await data({ target: 'patient', options: { limit: 4 } });
    for (const query of [
      { target: 'patient', options: { limit: 4, pageToken: `${pageToken}x` } },
      { target: 'variant', options: { limit: 4, pageToken } },
    ]) {
      assert.equal((await ask({ query })).status, 400);
    }
    const other = await app.people.member(app.account, ['readData']);
    const body = { datasetId: project.id, query: { target: 'patient', options: { limit: 4, pageToken } } };
    assert.equal((await app.call('POST', '/v1/analytics/dsl', { key: other.key, body })).status, 400);
  });

  test('a page token is refused once the data have changed, with that reason', async () => {
    const { nextPageToken: pageToken } = await data({ target: 'patient', options: { limit: 4 } });
    await project.take('later.ndjson', fhirText('later', 1));
    const reply = await ask({ query: { target: 'patient', options: { limit: 4, pageToken } } });
    assert.equal(reply.status, 400);
    assert.match(reply.body.details[0].message, /changed/);
  });

  test('a page token outlives the merging of files, which changes no data', async () => {
    const merged = await TestProject.make(app.call, `Merged ${app.folder.slice(-4)}`);
    const files = 8;
    for (let n = 0; n < files; n++) await merged.take(`m${n}.ndjson`, fhirText(`m${n}`, 1));
    const versions = async () =>
      app.people.records.read
        .selectFrom('lakes')
        .selectAll()
        .where('project_id', '=', merged.id)
        .executeTakeFirstOrThrow();
    const page = (pageToken?: string) =>
      app.call('POST', '/v1/analytics/dsl', {
        body: { datasetId: merged.id, query: { target: 'patient', options: { limit: 5, pageToken } } },
      });
    const before = await versions();
    const first = (await page()).body.data;
    await until(async () => (await versions()).version > before.version, 'the files are merged');
    assert.equal((await versions()).data_version, before.data_version);
    const second = await page(first.nextPageToken);
    assert.equal(second.status, 200, second.text);
    const ids = [...first.patients, ...second.body.data.patients].map(({ id }: { id: string }) => id);
    assert.deepEqual(
      ids,
      Array.from({ length: files }, (_, n) => `m${n}-0`),
    );
  });

  test('both spellings of the ids and both forms of a query say the same', async () => {
    const answers = await Promise.all([
      ask({
        query: { target: 'patient', where: { variant: { gene: [{ operator: 'exists', value: false }] } } },
      }),
      app.call('POST', '/v1/analytics/dsl', {
        body: {
          dataset_id: project.id,
          string_query: 'SELECT patients FROM patient WHERE variant.gene IS NULL',
        },
      }),
    ]);
    for (const { body } of answers) assert.deepEqual(body, { data: { patients: [{ id: 'p-1' }] } });
  });

  test('a table without data has no rows, and a project without data no patients', async () => {
    assert.deepEqual(await data({ target: 'procedure' }), { procedures: [] });
    assert.deepEqual(
      await data({
        target: 'patient',
        domain: 'count',
        where: { patient: { media: { view: [{ operator: 'exists', value: true }] } } },
      }),
      { count: 0 },
    );
    const empty = await TestProject.make(app.call, `Empty ${app.folder.slice(-4)}`);
    for (const [target, domain, expected] of [
      ['patient', 'filter', { patients: [] }],
      ['variant', 'count', { count: 0 }],
      ['gene', 'genes', { genes: [] }],
      ['patient', 'samples', { samples: [] }],
      ['variant', 'aggregate', { buckets: [{ key: {}, count: 0, metrics: [] }] }],
    ] as const) {
      const reply = await app.call('POST', '/v1/analytics/dsl', {
        body: { datasetId: empty.id, query: { target, domain } },
      });
      assert.deepEqual(reply.body, { data: expected }, reply.text);
    }
  });

  test('every error has its path', async () => {
    const deep = (levels: number): object => (levels === 0 ? {} : { not: deep(levels - 1) });
    const wrong: [object, string[]][] = [
      [{ target: 'nobody', domain: 'all' }, ['target', 'domain']],
      [
        {
          target: 'patient',
          where: {
            patient: {
              observations: {
                code: [{ operator: 'like', value: 'x' }],
                value_quantity: [
                  { operator: 'eq', value: '5' },
                  { operator: 'between', value: [1] },
                ],
              },
            },
          },
        },
        [
          'where/patient/observations/code/0/operator',
          'where/patient/observations/value_quantity/0/value',
          'where/patient/observations/value_quantity/1/value',
        ],
      ],
      [
        { target: 'patient', where: { __proto__x: {}, constructor: {}, patient: { toString: [] } } },
        ['where/__proto__x', 'where/constructor', 'where/patient/toString'],
      ],
      [{ target: 'patient', where: deep(40) }, [`where${'/not'.repeat(33)}`]],
      [{ target: 'patient', where: [] }, ['where']],
      [{ target: 'patient', where: { and: {} } }, ['where/and']],
      [
        {
          target: 'variant',
          options: {
            fields: ['nothing', 'observations.code'],
            limit: 0,
            groupBy: 'gene',
            metrics: [{ op: 'avg', field: 'gene' }, { op: 'median' }],
          },
        },
        [
          'options/fields/0',
          'options/fields/1',
          'options/groupBy',
          'options/metrics/0/field',
          'options/metrics/1/op',
          'options/limit',
        ],
      ],
      [
        { target: 'patient', where: { patient: { dob: [{ operator: 'gt', value: '2023-02-30' }] } } },
        ['where/patient/dob/0/value'],
      ],
      [
        {
          target: 'variant',
          were: {},
          where: { variant: { gene: [{ operator: 'eq', value: 'TTN', negate: true }] } },
          options: { group_by: ['gene'], metrics: [{ op: 'count', bars: 5 }] },
        },
        ['were', 'where/variant/gene/0/negate', 'options/group_by', 'options/metrics/0/bars'],
      ],
      [
        { target: 'patient', where: { patient: { all: { value: true, not: 1 } } } },
        ['where/patient/all/not'],
      ],
    ];
    for (const [query, paths] of wrong) {
      const reply = await ask({ query });
      assert.equal(reply.status, 400, reply.text);
      const found = reply.body.details.map((detail: { path: string }) => detail.path);
      assert.deepEqual(found.sort(), paths.map((path) => `body/query/${path}`).sort());
    }
  });

  test('ignored input is refused: two ids that differ, options beside a query', async () => {
    const query = { target: 'patient' };
    const other = await TestProject.make(app.call, `Unlike ${app.folder.slice(-4)}`);
    const refused: [object, string][] = [
      [{ query, dataset_id: other.id }, 'body/dataset_id'],
      [{ query, cohortId: 'a', cohort_id: 'b' }, 'body/cohort_id'],
      [{ query, options: { limit: 1 } }, 'body/options'],
      [{ string_query: 'SELECT patients FROM patient', options: { limits: 1 } }, 'body/options/limits'],
    ];
    for (const [body, path] of refused) {
      const reply = await ask(body);
      assert.equal(reply.status, 400, reply.text);
      assert.deepEqual(
        reply.body.details.map((detail: { path: string }) => detail.path),
        [path],
      );
    }
    assert.equal((await ask({ query, dataset_id: project.id, options: {} })).status, 200);
  });

  test('an unreadable text query is refused with the place of the error', async () => {
    for (const [text, place] of [
      ['SELECT patients FROM patient WHERE', 35],
      ["SELECT patients FROM patient WHERE variant.gene == 'x' AND", 59],
      ['SELECT patients FROM patient WHERE variant.nothing = 1', 36],
      ["SELECT patients FROM patient WHERE (variant.gene = 'x'", 55],
      ['SELECT variants FROM patient', 8],
      ["SELECT patients FROM patient WHERE variant.gene = 'x'; DROP TABLE patient", 54],
      ['SELECT patients FROM nothing', 22],
      ['SELECT patients FROM patient LIMIT 0', 36],
    ] as const) {
      const reply = await ask({ string_query: text });
      assert.equal(reply.status, 400, reply.text);
      assert.match(reply.body.details[0].message, new RegExp(`at ${place}\\b`), text);
    }
    const wrongValue = await ask({
      string_query: "SELECT patients FROM patient WHERE variant.position = 'x'",
    });
    assert.match(wrongValue.body.details[0].path, /at 36: variant.position/);
  });

  // asvs: 1.2.4
  test('values are only ever values', async () => {
    for (const value of ["' OR 1=1 --", '$1', '?', '\u{1F9EC}', "'); DROP TABLE x; --", '"', '\\', '%']) {
      for (const operator of ['eq', 'contains', 'startsWith', 'endsWith']) {
        const where = { variant: { chromosome: [{ operator, value }] } };
        assert.deepEqual(await data({ target: 'patient', domain: 'count', where }), { count: 0 }, value);
      }
      const rest = value.replaceAll("'", "''");
      const text = await ask({ string_query: `SELECT count FROM patient WHERE variant.gene = '${rest}'` });
      assert.deepEqual(text.body, { data: { count: 0 } });
    }
  });

  test('a request without a project, a query, or with two of them is refused', async () => {
    const query = { target: 'patient' };
    for (const body of [
      { query },
      { datasetId: project.id },
      { datasetId: project.id, query, string_query: 'SELECT patients FROM patient' },
    ]) {
      assert.equal((await app.call('POST', '/v1/analytics/dsl', { body })).status, 400);
    }
    assert.equal(
      (await app.call('POST', '/v1/analytics/dsl', { body: { datasetId: 'nowhere', query } })).status,
      404,
    );
    assert.equal(
      (await app.call('POST', '/v1/analytics/dsl', { body: { cohortId: 'nowhere', query } })).status,
      404,
    );
  });

  test('the list of fields holds every field that a query may name', async () => {
    const { body } = await app.call('GET', '/v1/analytics/fields');
    const variant = body.collections.find((one: { target: string }) => one.target === 'variant');
    assert.ok(
      variant.fields.some(
        (field: { name: string; type: string }) => field.name === 'position' && field.type === 'int',
      ),
    );
    for (const { target, fields } of body.collections) {
      const names = fields.map((field: { name: string }) => field.name);
      const reply = await ask({ query: { target, options: { limit: 1, fields: names } } });
      assert.equal(reply.status, 200, `${target}: ${reply.text}`);
    }
  });
});
