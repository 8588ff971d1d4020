import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { before, test } from 'node:test';
import { TestProject } from '../../../../../../test/inputs/project.ts';
import { fhirText } from '../../../../../../test/inputs/texts.ts';
import { describeApp, type Reply } from '../../../../../../test/support/app.ts';
import { until } from '../../../../../../test/support/until.ts';

describeApp('requests of studies', (app) => {
  let project: TestProject;

  before(async () => {
    project = await TestProject.make(app.call, 'Study');
    await project.take('p.ndjson', fhirText('p', 12, 1));
  });

  const ask = (path: string, body: object): Promise<Reply> =>
    app.call('POST', `/v1/analytics/study/${path}`, {
      body: { datasetId: project.id, unit: 'patient', ...body },
    });

  test('each value that a request counts opens a list of as many subjects', async () => {
    const listed = await app.call('GET', `/v1/analytics/study/attributes?datasetId=${project.id}`);
    const ids: string[] = listed.body.attributes.map(({ id }: { id: string }) => id);
    assert.ok(ids.includes('patient.gender'), listed.text);
    const aggregates = [
      { id: 'all', kind: 'count' },
      { id: 'sex', kind: 'values', attribute: 'patient.gender' },
      { id: 'year', kind: 'bins', attribute: 'patient.birth_year' },
    ];
    const { status, text, body } = await ask('query', { aggregates });
    assert.equal(status, 200, text);
    assert.deepEqual(body.matched, body.results.all.count);
    const filters = [
      ...body.results.sex.values.items.map(({ value, count }: { value: string; count: number }) => ({
        filter: { attribute: 'patient.gender', in: [value] },
        count,
      })),
      ...body.results.year.bins.bars.map(({ range, count }: { range: object; count: number }) => ({
        filter: { attribute: 'patient.birth_year', ranges: [range] },
        count,
      })),
    ];
    assert.ok(filters.length >= 2, text);
    for (const { filter, count } of filters) {
      const { items } = (await ask('subjects', { filter, pageSize: 1000 })).body;
      assert.equal(items.length, count, JSON.stringify(filter));
    }
  });

  test('subjects come in pages, whose tokens fit no other filter', async () => {
    const filter = { attribute: 'patient.gender', in: ['female', 'male'], na: true };
    const found: string[] = [];
    let token: string | undefined;
    do {
      const { body, text } = await ask('subjects', { filter, pageSize: 5, nextPageToken: token });
      assert.ok(body.items.length > 0, text);
      found.push(...body.items.map(({ patientId }: { patientId: string }) => patientId));
      if (token !== undefined) assert.equal((await ask('subjects', { nextPageToken: token })).status, 400);
      token = body.nextPageToken;
    } while (token !== undefined);
    assert.equal(found.length, 12);
    assert.deepEqual(found, [...new Set(found)].sort());
  });

  test('errors of a filter have the place of each', async () => {
    const filter = {
      and: [{ attribute: 'a' }, { not: { samples: 'x' } }, { and: [], or: [] }, { where: { no: 1 } }],
    };
    const { status, body } = await ask('query', { filter, aggregates: [{ id: 'x', kind: 'nothing' }] });
    assert.equal(status, 400);
    const paths = body.details.map(({ path }: { path: string }) => path);
    assert.deepEqual(paths, [
      'body/filter/and/0',
      'body/filter/and/1/not/samples',
      'body/filter/and/2',
      'body/aggregates/0/kind',
    ]);
  });

  test('a kept cohort with time has the patients of its last step, and its errors have paths', async () => {
    const measured = { of: 'observation', codes: ['718-7'] };
    const none = { criteria: [{ event: { of: 'death' }, countMax: 0 }] };
    const timed = { index: { event: measured }, rules: [{ name: 'Alive', ...none }] };
    const { body, text } = await ask('query', { aggregates: [{ id: 'left', kind: 'attrition', timed }] });
    assert.deepEqual(
      body.results.left.attrition.steps,
      [
        { step: 'matching', patients: 12 },
        { step: 'index', patients: 12, alone: 12, events: 12 },
        { step: 'rule', name: 'Alive', patients: 12, alone: 12, events: 12 },
      ],
      text,
    );
    const queries = [
      { project: project.id, queryType: 'study', query: { unit: 'patient', filter: { timed } } },
    ];
    const kept = await app.call('POST', '/v1/cohorts', {
      body: { name: 'Measured', ownerProject: project.id, queries },
    });
    assert.equal(kept.body.resultCount, 12, kept.text);
    const wrong = { index: { event: { of: 'event' } }, censor: [{ of: 'death', agents: ['A'] }] };
    const refused = await ask('query', { filter: { not: { timed: wrong } } });
    assert.deepEqual(
      refused.body.details.map(({ path }: { path: string }) => path),
      ['body/filter/not/timed/censor/0', 'body/filter/not/timed/censor/0/agents'],
      refused.text,
    );
  });

  test('lines of genes are read into a filter that requests accept, or have an error', async () => {
    const parse = async (text: string) =>
      (await app.call('POST', '/v1/analytics/study/parse', { body: { text } })).body;
    const { filter } = await parse('BRAF: MUT = V600E AMP\nNOT TP53');
    const { body } = await ask('query', { filter });
    assert.deepEqual(body.matched, { samples: 0, patients: 0 });
    const { error } = await parse('BRAF: MUTT');
    assert.deepEqual([error.at, error.length, error.suggestion], [6, 4, 'MUT']);
  });

  test('files of a study go with its project', async () => {
    const gone = await TestProject.make(app.call, 'Gone');
    await gone.take('p.ndjson', fhirText('p', 3, 1));
    const kept = (): string[] =>
      readdirSync(app.folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
        /scratch.*\.parquet$/.test(name),
      );
    await ask('query', {});
    const before = new Set(kept());
    await ask('query', { datasetId: gone.id });
    const made = kept().filter((name) => !before.has(name));
    assert.ok(made.length > 0);
    assert.equal((await app.call('DELETE', `/v1/projects/${gone.id}?force=true`)).status, 204);
    await until(async () => made.every((name) => !kept().includes(name)), 'the files are gone');
    assert.ok(
      [...before].every((name) => kept().includes(name)),
      'others stay',
    );
  });
});
