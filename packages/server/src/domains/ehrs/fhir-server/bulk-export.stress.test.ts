import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { describeOnPostgres, describeOnSqlite, type TestApp } from '../../../../../../test/support/app.ts';
import { sampleResources, smallResources } from '../../../../../../test/support/fhir/sample-resources.ts';
import type { FhirServerOptions } from '../../../../../../test/support/fhir/server.ts';
import { until } from '../../../../../../test/support/until.ts';
import { EhrProject, ehrSettings } from '../ehr-project.fixture.ts';

type Make = (name: string, options: FhirServerOptions, settings?: object) => Promise<EhrProject>;

/** Gives tests a function that starts systems, and stops these with the tests. */
const withSystems =
  (body: (make: Make) => void) =>
  (app: TestApp): void => {
    const made: EhrProject[] = [];
    after(() => Promise.all(made.map(({ server }) => server.stop())));
    body(async (name, options, settings = {}) => {
      const one = await EhrProject.make(app.call, name, options, settings);
      made.push(one);
      return one;
    });
  };

function exportTests(make: Make): void {
  for (const kind of ['system', 'patient'] as const)
    test(`a system that offers an export (${kind}) is exported completely, and the export is deleted at the end`, async () => {
      const ehr = await make(`Export ${kind}`, {
        resources: [
          ...sampleResources(),
          { resourceType: 'Device', id: 'd1', meta: { lastUpdated: '2020-01-01T00:00:00Z' } },
        ],
        export: kind,
      });
      ehr.server.exports.busy = 2;
      const sync = await ehr.pull();
      assert.deepEqual([sync.method, sync.warnings], ['EXPORT', []]);
      const wanted = ehr.server.resources.filter(({ resourceType }) => resourceType !== 'Device').length;
      assert.equal(sync.progress.resources, wanted);
      assert.deepEqual(ehr.server.exports.ended, ['export-1']);
      assert.ok(!ehr.server.seen.some(({ url }) => url.startsWith('Patient?')), 'nothing is searched for');
      ehr.server.exports.busy = 0;
      const again = await ehr.pull();
      assert.deepEqual([again.counts, again.fileId], [{}, undefined]);
      assert.match(ehr.server.seen.findLast(({ url }) => url.includes('$export'))?.url ?? '', /_since=20/);
    });

  test('the next export asks for changes since the start of the one before, whatever time that one states', async () => {
    const ehr = await make('Times', { resources: smallResources(1, 1, 'time'), export: 'system' });
    const sinceAfter = async (transactionTime: string | undefined): Promise<number> => {
      ehr.server.exports.transactionTime = transactionTime;
      await ehr.pull({ full: true });
      await ehr.pull();
      const asked = ehr.server.seen.findLast(({ url }) => url.includes('_since='))?.url ?? '';
      return Date.parse(decodeURIComponent(/_since=([^&]*)/.exec(asked)?.[1] ?? ''));
    };
    const hour = 3_600_000;
    const begun = Date.now();
    for (const stated of [new Date(begun + hour).toISOString(), '2999-01-01T00:00:00', 'now', undefined]) {
      const since = await sinceAfter(stated);
      assert.ok(since <= Date.now() - 240_000 && since > begun - hour, `${stated}: ${since}`);
    }
    const earlier = new Date(begun - 24 * hour);
    assert.equal(await sinceAfter(earlier.toISOString()), earlier.getTime() - 300_000);
  });

  test('resources deleted in the system are deleted here', async () => {
    const ehr = await make('Deletions', { resources: smallResources(3, 1, 'deletion'), export: 'system' });
    await ehr.pull();
    const request = { method: 'DELETE', url: 'Patient/deletion-2' };
    const removal = { resourceType: 'Bundle', type: 'transaction', entry: [{ request }] };
    ehr.server.exports.deleted = [JSON.stringify(removal)];
    await ehr.pull();
    assert.deepEqual(await ehr.rows('select patient_id from patient order by 1'), [
      'deletion-1',
      'deletion-3',
    ]);
  });

  test('failed files are requested again, and no file twice', async () => {
    const ehr = await make('Bumpy', { resources: smallResources(3, 3, 'bumpy'), export: 'system' });
    ehr.server.fail(/GET exports\/export-1$/, { status: 503 });
    ehr.server.fail(/GET exports\/export-1\/Observation/, 'cut', 'drop', { status: 429 });
    assert.deepEqual((await ehr.pull()).counts, { Patient: 3, Observation: 9 });
    for (const type of ['Patient', 'Observation'])
      assert.equal(ehr.server.answered(new RegExp(`exports/export-1/${type}`)).length, 1);
  });

  test('a cancelled sync deletes its export in the system', async () => {
    const ehr = await make('Cancelled', { resources: smallResources(2, 0, 'export'), export: 'system' });
    ehr.server.fail(/GET exports\/export-1$/, 'silence');
    const id = await ehr.begin();
    await until(() => ehr.server.seen.some(({ url }) => url === 'exports/export-1'), 'it waits');
    assert.equal((await ehr.ask('DELETE', `/syncs/${id}`)).status, 204);
    await until(() => ehr.server.exports.ended.length === 1, 'the export was deleted');
  });

  test('an export is deleted with the current secret', async () => {
    const client = { id: 'backend', secret: 'before' };
    const options = {
      resources: smallResources(2, 0, 'renewed'),
      export: 'system',
      oauth2: client,
    } as const;
    const settings = { apiAuthType: 'oauth2', apiKey: 'backend', apiSecret: 'before' };
    const ehr = await make('Renewed', options, settings);
    ehr.server.fail(/GET exports\/export-1$/, 'silence');
    const id = await ehr.begin();
    await until(() => ehr.server.seen.some(({ url }) => url === 'exports/export-1'), 'it waits');
    client.secret = 'after';
    ehr.server.tokens.revokeAll();
    assert.equal((await ehr.ask('PATCH', '', { body: { apiSecret: 'after' } })).status, 200);
    assert.equal((await ehr.ask('DELETE', `/syncs/${id}`)).status, 204);
    await until(() => ehr.server.exports.ended.length === 1, 'the export was deleted');
  });
}

function faultTests(make: Make): void {
  test('status and files may be outside the base: the status gets the key, the files if the system requires it', async () => {
    for (const requiresAccessToken of [true, false]) {
      const name = `Beside ${requiresAccessToken}`;
      const resources = smallResources(2, 0, name.replace(' ', '-'));
      const options = { resources, export: 'system', authorization: 'key' } as const;
      const ehr = await make(name, options, { apiKey: 'key' });
      Object.assign(ehr.server.exports, { place: '/bulk', requiresAccessToken });
      const sync = await ehr.pull();
      assert.deepEqual([sync.method, sync.counts, sync.warnings], ['EXPORT', { Patient: 2 }, []]);
      assert.deepEqual(ehr.server.exports.ended, ['export-1']);
      const [file] = ehr.server.answered(/exports\/export-1\/Patient/);
      assert.equal(file?.authorization, requiresAccessToken ? 'key' : undefined);
    }
  });

  test('files that unexpectedly need a key are replaced by a search', async () => {
    const options = { resources: smallResources(2, 0, 'closed'), export: 'system', authorization: 'key' };
    const ehr = await make('Closed', options as FhirServerOptions, { apiKey: 'key' });
    Object.assign(ehr.server.exports, { place: '/bulk', requiresAccessToken: false, isOpen: () => false });
    const sync = await ehr.pull();
    assert.deepEqual([sync.method, sync.counts], ['SEARCH', { Patient: 2 }]);
    assert.match(sync.warnings[0]?.message ?? '', /where no key is sent/);
  });

  test('an export that is refused, broken or at another host is replaced by a search', async () => {
    const manifest = (url: string) => ({
      status: 200,
      body: JSON.stringify({ output: [{ type: 'Patient', url }] }),
    });
    const faults = {
      refused: [/\$export/, { status: 403 }],
      broken: [/GET exports\/export-1$/, { status: 200, body: '<html>' }],
      endless: [
        /GET exports\/export-1$/,
        { status: 200, body: `{"output":[]}${' '.repeat(8 * 1024 * 1024)}` },
      ],
      gone: [/GET exports\/export-1$/, { status: 404 }],
      elsewhere: [/GET exports\/export-1$/, manifest('https://files.example/1')],
      redirected: [
        /GET exports\/export-1\/Patient/,
        { status: 307, headers: { location: 'https://files.example/1' } },
      ],
    } as const;
    for (const [name, [match, fault]] of Object.entries(faults)) {
      const ehr = await make(`Export ${name}`, { resources: smallResources(2, 0, name), export: 'system' });
      ehr.server.fail(match, fault);
      const sync = await ehr.pull();
      assert.deepEqual([sync.method, sync.counts], ['SEARCH', { Patient: 2 }], name);
      assert.match(sync.warnings[0]?.message ?? '', /searched for instead/);
    }
  });

  test('a file with other content, or a status without a list, is replaced by a search', async () => {
    const file = /GET exports\/export-1\/Observation$/;
    const outcome = '{"resourceType":"OperationOutcome","issue":[{"severity":"error","code":"exception"}]}';
    const faults = {
      page: [file, { status: 200, body: '\n<html>sign in</html>' }],
      outcome: [file, { status: 200, body: outcome }],
      status: [/GET exports\/export-1$/, { status: 200, body: outcome }],
      nothing: [/GET exports\/export-1$/, { status: 200, body: '{}' }],
    } as const;
    for (const [name, [match, fault]] of Object.entries(faults)) {
      const ehr = await make(`No ${name}`, { resources: smallResources(2, 2, name), export: 'system' });
      ehr.server.fail(match, fault);
      const sync = await ehr.pull();
      assert.deepEqual([sync.method, sync.counts['Observation']], ['SEARCH', 4], name);
      assert.match(sync.warnings[0]?.message ?? '', /searched for instead/);
      assert.deepEqual(await ehr.rows('select count(*) from observation'), ['4'], name);
    }
  });

  test('files stored compressed are read, and a damaged one is replaced by a search', async () => {
    const lines = Array.from({ length: 3000 }, (_, at) => ({
      ...{ resourceType: 'Observation', id: `o-${at}`, status: 'final' },
      ...{ subject: { reference: 'Patient/packed-1' }, code: { text: `${at}` } },
    }));
    const packed = gzipSync(`${lines.map((one) => JSON.stringify(one)).join('\n')}\n`);
    for (const [name, body, method, count] of [
      ['whole', packed, 'EXPORT', 3000],
      ['cut', packed.subarray(0, -100), 'SEARCH', 4],
      ['other', Buffer.concat([packed.subarray(0, 2), Buffer.from('x'.repeat(100))]), 'SEARCH', 4],
    ] as const) {
      const resources = smallResources(2, 2, 'packed');
      const ehr = await make(`Packed ${name}`, { resources, export: 'system' });
      ehr.server.fail(/GET exports\/export-1\/Observation$/, { status: 200, body });
      const sync = await ehr.pull();
      assert.deepEqual([sync.method, sync.counts['Observation']], [method, count], name);
      assert.deepEqual(await ehr.rows('select count(*) from observation'), [String(count)], name);
      if (method === 'SEARCH') assert.match(sync.warnings[0]?.message ?? '', /compressed, and damaged/);
    }
  });

  test('a response in an unrequested encoding is replaced by a search', async () => {
    const ehr = await make('Encoded', { resources: smallResources(2, 0, 'encoded'), export: 'system' });
    const headers = { 'content-encoding': 'gzip' };
    ehr.server.fail(/GET exports\/export-1\/Patient$/, { status: 200, headers, body: 'x' });
    const sync = await ehr.pull();
    assert.deepEqual([sync.method, sync.counts], ['SEARCH', { Patient: 2 }]);
    assert.match(sync.warnings[0]?.message ?? '', /searched for instead/);
  });

  test('files of errors are counted, at any address', async () => {
    const ehr = await make('Errors', { resources: smallResources(2, 0, 'errors'), export: 'system' });
    const output = [{ type: 'Patient', url: 'exports/export-1/Patient' }];
    const error = [{ type: 'OperationOutcome', url: 'https://files.example/errors' }];
    const body = JSON.stringify({ output, error });
    ehr.server.fail(/GET exports\/export-1$/, { status: 200, body });
    const sync = await ehr.pull();
    assert.deepEqual([sync.method, sync.counts], ['EXPORT', { Patient: 2 }]);
    assert.match(sync.warnings[0]?.message ?? '', /lists 1 file/);
  });

  test('an export that fails with 500, at the start or later, is replaced by a search', async () => {
    const failed = Array.from({ length: 20 }, () => ({ status: 500 }));
    for (const [name, match] of [
      ['begin', /\$export/],
      ['making', /GET exports\/export-1$/],
    ] as const) {
      const ehr = await make(`Fails ${name}`, { resources: smallResources(2, 0, name), export: 'system' });
      ehr.server.fail(match, ...failed);
      const sync = await ehr.pull();
      assert.deepEqual([sync.state, sync.method, sync.counts], ['succeeded', 'SEARCH', { Patient: 2 }], name);
      assert.match(sync.warnings[0]?.message ?? '', /status 500.*searched for instead/);
    }
  });

  test('an export with fewer resources than its list states is a warning', async () => {
    const ehr = await make('Less', { resources: smallResources(2, 0, 'less'), export: 'system' });
    ehr.server.exports.promised = 3;
    assert.deepEqual((await ehr.pull()).warnings, [
      { message: 'The EHR system announced more of Patient than its export has.' },
    ]);
  });
}

describeOnPostgres('bulk export', withSystems(exportTests), ehrSettings);
// Data of unusual systems are stored like others: one database suffices.
describeOnSqlite('bulk export of systems that differ or fail', withSystems(faultTests), ehrSettings);
