import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TestProject } from '../../../../../../test/inputs/project.ts';
import { describeApp } from '../../../../../../test/support/app.ts';

describeApp(
  'a disk of which only the reserve is free',
  (app) => {
    test('a disk with only its reserve accepts no bytes and no writing work, but records, reads and deletions', async () => {
      assert.equal((await fetch(`${app.address}/readyz`)).status, 200);
      const project = await TestProject.make(app.call, 'Full');
      const made = await app.call('POST', '/v1/files', { body: { name: 'a.txt', datasetId: project.id } });
      assert.equal(made.status, 200, made.text);
      const sent = await fetch(made.body.uploadUrl, { method: 'PUT', body: 'bytes' });
      const refusal = (await sent.json()) as { code: string; error: string };
      assert.deepEqual([sent.status, refusal.code], [503, 'STORAGE_FULL']);
      assert.match(refusal.error, /free space/);
      const query = await project.startQuery('SELECT 1 AS one');
      const end = await project.endOfQuery(query);
      assert.deepEqual([end.state, end.error?.code], ['failed', 'QUERY_DISK'], JSON.stringify(end.error));
      assert.equal((await app.call('GET', `/v1/projects/${project.id}/files`)).status, 200);
      assert.ok([200, 202, 204].includes((await app.call('DELETE', `/v1/projects/${project.id}`)).status));
    });
  },
  { PLOIDY_DISK_RESERVE: '1000TiB' },
);
