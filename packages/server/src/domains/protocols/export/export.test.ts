import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { type Call, TestProject } from '../../../../../../test/inputs/project.ts';
import { fhirText, vcfText } from '../../../../../../test/inputs/texts.ts';
import { describeApp, type Reply } from '../../../../../../test/support/app.ts';
import { until } from '../../../../../../test/support/until.ts';

const prefer = { prefer: 'respond-async' };

describeApp('exports', (app) => {
  let project: TestProject;
  let cohort: string;
  const sent = fhirText('p', 3, 1);
  const late = JSON.stringify(
    { resourceType: 'Basic', id: 'late', meta: { lastUpdated: '2024-05-01T10:00:00Z' } },
    undefined,
    1,
  );

  before(async () => {
    project = await TestProject.make(app.call, 'Exports');
    await project.take('p.ndjson', sent);
    await project.take('late.json', late);
    const body = { name: 'Two', ownerProject: project.id, subjectIds: ['p-0', 'p-1'] };
    cohort = (await app.call('POST', '/v1/cohorts', { body })).body.id;
  });

  const callOf =
    (key: string): Call =>
    (method, path, options) =>
      app.call(method, path, { key, ...options });
  const start = (query = '', call: Call = app.call): Promise<Reply> =>
    call('GET', `/v1/projects/${project.id}/fhir/$export${query}`, { headers: prefer });

  /** Follows an export to its manifest, as its client does. */
  async function manifestOf(reply: Reply, call: Call = app.call): Promise<Reply['body']> {
    assert.equal(reply.status, 202, reply.text);
    const place = new URL(reply.headers.get('content-location') ?? '').pathname;
    let state = await call('GET', place);
    await until(async () => {
      state = await call('GET', place);
      if (state.status === 202) assert.match(state.headers.get('x-progress') ?? '', /^\d+ of \d+ files$/);
      return state.status !== 202;
    }, place);
    assert.equal(state.status, 200, state.text);
    return state.body;
  }

  /** Reads the resources of an export, by type. */
  async function resourcesOf(reply: Reply, call: Call = app.call): Promise<Record<string, { id: string }[]>> {
    const { output } = await manifestOf(reply, call);
    const files: Record<string, { id: string }[]> = {};
    for (const { type, url, count } of output) {
      const file = await fetch(url);
      assert.equal(file.headers.get('content-type'), 'application/fhir+ndjson');
      const lines = (await file.text()).trimEnd().split('\n');
      assert.equal(lines.length, count);
      files[type] = lines.map((line) => JSON.parse(line)).sort((a, b) => (a.id < b.id ? -1 : 1));
    }
    return files;
  }
  const idsOf = (files: Record<string, { id: string }[]>) =>
    Object.fromEntries(Object.entries(files).map(([type, list]) => [type, list.map(({ id }) => id)]));

  test('every resource is in the file of its type as it was sent', async () => {
    const reply = await start('?_outputFormat=ndjson');
    const manifest = await manifestOf(reply);
    assert.deepEqual([manifest.requiresAccessToken, manifest.error], [false, []]);
    assert.match(manifest.request, /\/fhir\/\$export\?_outputFormat=ndjson$/);
    const files = await resourcesOf(reply);
    const expected = Object.groupBy(
      [...sent.trimEnd().split('\n'), late].map((line) => JSON.parse(line)),
      ({ resourceType }) => resourceType,
    );
    assert.deepEqual(files, { ...expected });
  });

  test('types, time and cohort choose the resources', async () => {
    assert.deepEqual(idsOf(await resourcesOf(await start('?_type=Patient,Basic'))), {
      Basic: ['late'],
      Patient: ['p-0', 'p-1', 'p-2'],
    });
    const later = idsOf(await resourcesOf(await start('?_type=Basic&_since=2024-05-01T09:00:00Z')));
    assert.deepEqual(later, { Basic: ['late'] });
    assert.deepEqual(await resourcesOf(await start('?_type=Basic&_since=2024-05-02T00:00:00Z')), {});
    assert.deepEqual(idsOf(await resourcesOf(await start(`?cohort=${cohort}`))), {
      Observation: ['p-0-0', 'p-1-0'],
      Patient: ['p-0', 'p-1'],
    });
  });

  test('the FHIR interface exports all, those of patients, and those of a group, and follows and deletes them', async () => {
    const base = `/${app.account}/v1/fhir/${project.id}`;
    const at = (path: string, call: Call = app.call) => call('GET', `${base}/${path}`, { headers: prefer });
    const all = await at('$export?_outputFormat=application%2Ffhir%2Bndjson');
    assert.match(
      all.headers.get('content-location') ?? '',
      new RegExp(`${base.replace(/\//g, '.')}.\\$export.[\\w-]+$`),
    );
    assert.deepEqual(Object.keys(await resourcesOf(all)).sort(), ['Basic', 'Observation', 'Patient']);
    assert.deepEqual(Object.keys(await resourcesOf(await at('Patient/$export'))), ['Observation', 'Patient']);
    const group = idsOf(await resourcesOf(await at(`Group/${cohort}/$export?_type=Patient`)));
    assert.deepEqual(group, { Patient: ['p-0', 'p-1'] });
    const place = new URL(all.headers.get('content-location') ?? '').pathname;
    assert.equal((await app.call('DELETE', place)).status, 202);
    const gone = await app.call('GET', place);
    assert.deepEqual([gone.status, gone.body.resourceType], [404, 'OperationOutcome']);
    const elsewhere = (await at('Patient/$export')).body.exportId;
    const other = (await app.call('POST', '/v1/projects', { body: { name: 'Elsewhere' } })).body.id;
    assert.equal(
      (await app.call('GET', `/${app.account}/v1/fhir/${other}/$export/${elsewhere}`)).status,
      404,
    );
  });

  test('a parameter that would choose fewer resources is refused, not ignored', async () => {
    for (const query of [
      '_typeFilter=Patient%3Fgender%3Dmale',
      '_elements=id',
      'patient=p-0',
      '_until=2024-01-01T00:00:00Z',
    ]) {
      const reply = await app.call('GET', `/${app.account}/v1/fhir/${project.id}/$export?${query}`, {
        headers: prefer,
      });
      assert.deepEqual([reply.status, reply.body.issue[0].code], [400, 'invalid'], query);
      assert.equal((await start(`?${query}`)).status, 400, query);
    }
  });

  test('a caller of some patients exports what SQL shows of them, and cannot export a cohort', async () => {
    const rule = { 'resource.subject': { comparison: 'in', value: ['p-1', 'p-2'] } };
    const call = callOf((await app.people.member(app.account, ['readData'], rule)).key);
    const at = (path: string) =>
      call('GET', `/${app.account}/v1/fhir/${project.id}/${path}`, { headers: prefer });
    const seen = await project.as(call).ask('SELECT id FROM resource ORDER BY 1');
    for (const path of ['$export', 'Patient/$export']) {
      const ids = Object.values(idsOf(await resourcesOf(await at(path), call))).flat();
      assert.deepEqual(ids.sort(), seen);
    }
    assert.equal((await at(`Group/${cohort}/$export`)).status, 403);
  });

  test('a request that is not asynchronous, or names no type or cohort, is refused', async () => {
    const path = `/v1/projects/${project.id}/fhir/$export`;
    assert.equal((await app.call('GET', path)).status, 400);
    const headers = { ...prefer, authorization: app.key };
    const head = await fetch(`${app.address}${path}`, { method: 'HEAD', headers });
    assert.equal(head.status, 400);
    for (const query of ['_type=patient', "_type=A'B", '_since=yesterday', '_outputFormat=csv'])
      assert.equal((await start(`?${query}`)).status, 400, query);
    assert.equal((await start('?cohort=none')).status, 404);
  });

  test('callers of masked values export what the FHIR interface shows them', async () => {
    const masked = callOf((await app.people.member(app.account, ['readMaskedData'])).key);
    const base = `/${app.account}/v1/fhir/${project.id}`;
    const shown = async (type: string) =>
      (await masked('GET', `${base}/${type}`)).body.entry.map(
        ({ resource }: { resource: object }) => resource,
      );
    const files = await resourcesOf(await start('', masked), masked);
    assert.deepEqual(files, { Observation: await shown('Observation'), Patient: await shown('Patient') });
    assert.deepEqual(Object.keys(await resourcesOf(await start('?_type=Patient,Basic', masked), masked)), [
      'Patient',
    ]);
    const since = await start('?_since=2024-01-01T00:00:00Z', masked);
    assert.match(since.body.error, /_since compares an element that no masked resource has/);
    assert.equal((await start(`?cohort=${cohort}`, masked)).status, 403);
  });

  test('rows that a caller sees masked are left out beside those in full', async () => {
    const rule = { 'resource.subject': { comparison: 'equals', value: 'p-1' } };
    const some = await app.people.member(app.account, ['readData'], rule);
    const own = { Observation: ['p-1-0'], Patient: ['p-1'] };
    const call = callOf(some.key);
    assert.deepEqual(idsOf(await resourcesOf(await start('', call), call)), own);
    const policy = {
      rules: { readMaskedData: [{ 'user.id': { comparison: 'equals', value: some.userId } }] },
    };
    const made = await app.call('POST', '/v1/policies', { body: { name: 'Also masked', policy } });
    assert.equal(made.status, 200, made.text);
    await until(
      async () => (await project.as(call).ask('SELECT count(*) FROM patient'))[0] === '3',
      'the policy counts',
    );
    assert.deepEqual(idsOf(await resourcesOf(await start('', call), call)), own);
  });

  test('an export is only for the user who started it, and another account finds no project', async () => {
    const reply = await start('?_type=Patient');
    const { exportId } = reply.body;
    const member = await app.people.member(app.account, ['readData', 'projectAdmin']);
    const stranger = await app.people.owner(`exp-${app.account}`.slice(0, 32));
    for (const { key } of [member, stranger])
      for (const method of ['GET', 'DELETE'])
        assert.equal((await callOf(key)(method, `/v1/exports/${exportId}`)).status, 404);
    assert.equal((await start('', callOf(stranger.key))).status, 404);
    await manifestOf(reply);
  });

  test('a deleted export is gone with its files, and a running one is cancelled', async () => {
    const ended = await start('?_type=Patient');
    await manifestOf(ended);
    const running = await start();
    for (const { body } of [ended, running]) {
      const { exportId } = body;
      assert.equal((await app.call('DELETE', `/v1/exports/${exportId}`)).status, 202);
      assert.equal((await app.call('GET', `/v1/exports/${exportId}`)).status, 404);
      assert.deepEqual(await project.fileNames(`exports/${exportId}/`), []);
    }
    const { items } = (
      await app.call('GET', `/v1/analytics/data-lake/query?datasetId=${project.id}&state=running`)
    ).body;
    assert.deepEqual(items, []);
  });

  test('a file that was moved, renamed or replaced is no longer part of its export, and stays', async () => {
    const changes = {
      moved: async (id: string) => {
        const other = (await app.call('POST', '/v1/projects', { body: { name: 'Kept' } })).body.id;
        return app.call('PATCH', `/v1/files/${id}`, { body: { datasetId: other } });
      },
      renamed: (id: string) => app.call('PATCH', `/v1/files/${id}`, { body: { name: 'kept.ndjson' } }),
      replaced: async (id: string) => {
        const { name } = (await app.call('GET', `/v1/files/${id}?include=metadata`)).body;
        const body = { id, name, datasetId: project.id };
        const made = await app.call('POST', '/v1/files', { body });
        assert.equal((await fetch(made.body.uploadUrl, { method: 'PUT', body: 'curated' })).status, 200);
        return made;
      },
    };
    const reader = callOf((await app.people.member(app.account, ['readData'])).key);
    for (const [name, change] of Object.entries(changes)) {
      const reply = await start('?_type=Patient', reader);
      const [{ fileId }] = (await manifestOf(reply, reader)).output;
      assert.equal((await change(fileId)).status, 200, name);
      const place = `/v1/exports/${reply.body.exportId}`;
      const state = await reader('GET', place);
      assert.deepEqual([state.status, state.body.code], [422, 'EXPORT_FAILED'], name);
      assert.match(state.body.error, /moved or replaced/);
      assert.equal((await reader('DELETE', place)).status, 202, name);
      assert.equal((await app.call('GET', `/v1/files/${fileId}?include=metadata`)).status, 200, name);
    }
  });

  test('an export that lacks a file fails with the reason', async () => {
    const reply = await start('?_type=Patient');
    const { output } = await manifestOf(reply);
    assert.equal(output[0].name, 'Patient.ndjson');
    await app.call('DELETE', `/v1/files/${output[0].fileId}`);
    const state = await app.call('GET', `/v1/exports/${reply.body.exportId}`);
    assert.deepEqual([state.status, state.body.code], [422, 'EXPORT_FAILED']);
    assert.match(state.body.error, /Patient/);
  });

  test('kick-off, statements and end are in the audit log', async () => {
    const reply = await start('?_type=Patient');
    await manifestOf(reply);
    await app.call('DELETE', `/v1/exports/${reply.body.exportId}`);
    const { items } = (await app.call('GET', '/v1/audit-events?pageSize=100')).body;
    const actions = new Set(items.map(({ action }: { action: string }) => action));
    for (const action of ['exports.create', 'lake.query', 'lake.run', 'exports.deleteOwn'])
      assert.ok(actions.has(action), action);
  });

  test('variants leave as a sorted VCF for each sample of each file', async () => {
    await project.take('s.vcf', vcfText('s', 3), { patientId: 'p-1', genomeBuild: 'GRCh38' });
    await project.take('t.vcf', vcfText('t', 2));
    const ask = async (body: object) => {
      const reply = await app.call('POST', `/v1/projects/${project.id}/exports`, {
        body: { format: 'vcf', ...body },
      });
      return (await manifestOf(reply)).output as { type: string; url: string; sampleId: string }[];
    };
    assert.deepEqual(
      (await ask({})).map(({ sampleId }) => sampleId),
      ['s', 't'],
    );
    assert.deepEqual(
      (await ask({ sampleIds: ['t', 'none'] })).map(({ sampleId }) => sampleId),
      ['t'],
    );
    const [only, ...more] = await ask({ cohort });
    assert.deepEqual([only?.sampleId, only?.type, more], ['s', 'VCF', []]);
    const lines = (await (await fetch(only?.url ?? '')).text()).trimEnd().split('\n');
    assert.equal(lines[0], '##fileformat=VCFv4.2');
    assert.ok(lines.includes('##reference=GRCh38'));
    assert.ok(lines.includes('##contig=<ID=chr1,length=248956422,assembly=GRCh38>'));
    const records = lines.filter((line) => !line.startsWith('##'));
    assert.deepEqual(records, [
      '#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\ts',
      ...[1000, 1010, 1020].map(
        (at) => `chr1\t${at}\t.\tA\tG\t50.0\tPASS\t.\tGT:GQ:DP:AD:AF:PS\t0/1:.:.:.,.:.:.`,
      ),
    ]);
  });
});
