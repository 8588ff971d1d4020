/** Tools answer what the API answers to the same caller, under random policies and with small counts. */
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import fc from 'fast-check';
import { TestProject } from '../../../../../../test/inputs/project.ts';
import { fhirText, vcfText } from '../../../../../../test/inputs/texts.ts';
import { describeApp, type Reply, type TestApp } from '../../../../../../test/support/app.ts';

const statements = [
  'SELECT * FROM patient ORDER BY patient_id',
  'SELECT code, count(*) FROM condition GROUP BY 1 ORDER BY 1, 2',
  'SELECT count(DISTINCT patient_id) AS n FROM patient',
  'SELECT sample_id, chromosome, position FROM variant ORDER BY ALL',
  'SELECT p.patient_id, c.code FROM patient p LEFT JOIN condition c USING (patient_id) ORDER BY ALL',
  'SELECT gender FROM demographics',
  "SELECT * FROM patient WHERE patient_id = 'p-1'",
];

/** Privileges and the patients that their rule is limited to; none: all. */
const policies = fc.record({
  privileges: fc.uniqueArray(fc.constantFrom('readData', 'readMaskedData', 'createData'), { maxLength: 2 }),
  patients: fc.option(fc.uniqueArray(fc.constantFrom('p-0', 'p-1', 'p-2', 'p-9'), { minLength: 1 })),
});

/** Returns the answer to a tool and to a request, both without what differs each time. */
async function both(
  app: TestApp,
  key: string,
  [name, input]: [string, object],
  [path, body]: [string, object],
): Promise<[unknown, unknown]> {
  const params = { name, arguments: input };
  const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params };
  const tool = await app.call('POST', `/${app.account}/mcp`, { key, account: undefined, body: message });
  const asked: Reply = await app.call('POST', path, { key, body });
  assert.equal(tool.status, 200, tool.text);
  const { structuredContent, content } = tool.body.result;
  const [, refused = '{}'] = /<data-[^>]+>\n(.*)\n<\/data/.exec(content[0].text) ?? [];
  const { requestId: _, tookMs: __, nextPageToken: ___, ...expected } = asked.body;
  const { tookMs: ____, nextPageToken: _____, ...data } = structuredContent?.data ?? JSON.parse(refused);
  return [data, expected];
}

for (const countsMin of ['0', '3'])
  describeApp(
    `tools under random policies, counts of at least ${countsMin}`,
    (app) => {
      let project: TestProject;

      before(async () => {
        project = await TestProject.make(app.call, 'Random');
        await project.take('p.ndjson', fhirText('p', 8, 2));
        await project.take('s1.vcf', vcfText('s1', 3), { patientId: 'p-1' });
        await app.call('PATCH', `/v1/accounts/${app.account}`, { body: { assistants: 'read' } });
      });

      test('a statement, a search and a figure have the answer of the API, refusals included', async () => {
        const seen = { refused: 0, answered: 0, masked: 0 };
        const policy = fc.asyncProperty(policies, fc.constantFrom(...statements), async (one, sql) => {
          const rule = one.patients && {
            'resource.subject': { comparison: 'in', value: one.patients },
          };
          const { key } = await app.people.member(app.account, one.privileges as never[], rule ?? {});
          const { id } = project;
          const [rows, expected] = await both(
            app,
            key,
            ['query', { project: id, sql, rowsMax: 500 }],
            ['/v1/analytics/data-lake/rows', { datasetId: id, query: sql, pageSize: 500 }],
          );
          assert.deepEqual(rows, expected);
          const { code, masked } = Object(rows);
          seen[code === undefined ? 'answered' : 'refused'] += 1;
          if (masked) seen.masked += 1;
          const subjects = await both(
            app,
            key,
            ['search_subjects', { project: id, subjectsMax: 100 }],
            ['/v1/analytics/study/subjects', { datasetId: id, unit: 'patient', pageSize: 100 }],
          );
          assert.deepEqual(...subjects);
          const aggregates = [{ id: 'sex', kind: 'values', attribute: 'patient.gender' }];
          const figures = await both(
            app,
            key,
            ['figure_data', { project: id, aggregates }],
            ['/v1/analytics/study/query', { datasetId: id, unit: 'patient', aggregates }],
          );
          assert.deepEqual(...figures);
        });
        await fc.assert(policy, { numRuns: 25, seed: 11, endOnFailure: true });
        assert.ok(seen.refused > 2 && seen.answered > 2, JSON.stringify(seen));
        if (countsMin === '0') assert.ok(seen.masked > 2, JSON.stringify(seen));
      });
    },
    { PLOIDY_SMALL_COUNTS_MIN: countsMin },
  );
