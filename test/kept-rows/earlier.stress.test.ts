/** Results whose rows and masks are not those of today: made without a record of them, or without small counts. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { TestProject } from '../inputs/project.ts';
import { fhirText } from '../inputs/texts.ts';
import { describeOnPostgres, openTestApp } from '../support/app.ts';
import { type Kind, policyOf } from './readers.ts';

describeOnPostgres('results from before their rows were recorded', (app) => {
  let project: TestProject;

  before(async () => {
    project = await TestProject.make(app.call, 'Earlier rows');
    await project.take('p.ndjson', fhirText('p', 4));
  });

  test('results without such a record are read by readers of all rows, in full or as they were made', async () => {
    for (const [earlier, given] of [
      ['all', ['all']],
      ['mixed', ['all']],
      ['masked', ['all', 'masked']],
      ['masked some', ['all', 'masked']],
    ] as [Kind, Kind[]][]) {
      const { key, userId } = await app.people.member(app.account, []);
      const policy = (kind: Kind) => ({ name: `Of ${userId}`, policy: policyOf(kind, userId) });
      const made = await app.call('POST', '/v1/policies', { body: policy(earlier) });
      const theirs = project.as((method, path, options) => app.call(method, path, { key, ...options }));
      const { id } = await theirs.endOfQuery(await theirs.startQuery('SELECT patient_id FROM patient'));
      await app.people.records.transact((tx) =>
        tx.updateTable('queries').set({ made_with: null }).where('id', '=', id).execute(),
      );
      for (const later of ['all', 'listed', 'some', 'masked', 'masked some', 'none'] as const) {
        await app.call('PUT', `/v1/policies/${made.body.id}`, { body: policy(later) });
        const { status } = await theirs.call('GET', `/v1/files/${id}`);
        assert.equal(status, given.includes(later) ? 200 : 403, `made as "${earlier}", now "${later}"`);
      }
    }
  });
});

describeOnPostgres('results and attributes', (app) => {
  test('a result follows the attributes of its reader, by which a policy opens rows', async () => {
    const project = await TestProject.make(app.call, 'Attributes');
    await project.take('p.ndjson', fhirText('p', 4));
    const { key, userId } = await app.people.member(app.account, []);
    const see = async (...patients: string[]) => {
      const body = { customAttributes: { patients } };
      const set = await app.call('PUT', `/v1/account/users/${userId}/attributes`, { body });
      assert.equal(set.status, 200, set.text);
    };
    await see('p-0', 'p-1');
    const theirs = project.as((method, path, options) => app.call(method, path, { key, ...options }));
    const { id } = await theirs.endOfQuery(await theirs.startQuery('SELECT patient_id FROM patient'));
    const status = async () => (await theirs.call('GET', `/v1/files/${id}`)).status;
    assert.equal(await status(), 200);
    await see('p-1');
    assert.equal(await status(), 403);
    await see('p-2', 'p-1', 'p-0');
    assert.equal(await status(), 200);
  });
});

describe('results and small counts', () => {
  const folder = mkdtempSync(join(tmpdir(), 'ploidy-small-counts-'));
  after(() => rmSync(folder, { recursive: true, force: true }));

  test('a masked result is withheld once small counts are on; one made with them is read on after they are off', async () => {
    const open = (countsMin: string) =>
      openTestApp({ PLOIDY_DATA_DIR: folder, PLOIDY_SMALL_COUNTS_MIN: countsMin });
    const results: Record<string, string> = {};
    const statuses: Record<string, number[]> = {};
    let first: { key: string; account: string; project: string; reader: string } | undefined;
    for (const countsMin of ['0', '3', '2', '4', '0']) {
      const app = await open(countsMin);
      try {
        first ??= await (async () => {
          const project = await TestProject.make(app.call, 'Counts');
          await project.take('p.ndjson', fhirText('p', 4));
          const { key: reader } = await app.people.member(app.account, ['readMaskedData']);
          return { key: app.key, account: app.account, project: project.id, reader };
        })();
        const { reader: key, account } = first;
        const reader = TestProject.at(
          (method, path, options) => app.call(method, path, { key, account, ...options }),
          first.project,
        );
        for (const [made, id] of Object.entries(results)) {
          const { status } = await reader.call('GET', `/v1/files/${id}`);
          statuses[made] = [...(statuses[made] ?? []), status];
        }
        if (countsMin === '0' || countsMin === '3') {
          const sql = 'SELECT count(*) AS patients FROM patient';
          results[countsMin] ??= (await reader.endOfQuery(await reader.startQuery(sql))).id;
        }
      } finally {
        await app.stop();
      }
    }
    // Read with a minimum of 3, 2, 4 and none; the second from 2 on.
    assert.deepEqual(statuses, { 0: [403, 403, 403, 200], 3: [200, 403, 200] });
  });
});
