import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { describeApp } from '../../../../../../../test/support/app.ts';
import { bamBytes } from '../../../../../../../test/support/bam.ts';
import { addReads } from '../../../../../../../test/support/genomics.ts';
import { until } from '../../../../../../../test/support/until.ts';
import { Audit } from '../../../audit/index.ts';
import { ReadGroupSets } from './read-group-sets.ts';
import { type By, ReadsRemoval } from './reads-removal.ts';

const bam = bamBytes({
  text: '@HD\tVN:1.6\tSO:coordinate\n',
  references: [['1', 1000]],
  reads: [{ name: 'a', reference: 0, position: 5 }],
});

describeApp('read group sets that change before their deletion', (app) => {
  let project: string;
  let elsewhere: string;

  before(async () => {
    project = (await app.call('POST', '/v1/projects', { body: { name: 'Here' } })).body.id;
    elsewhere = (await app.call('POST', '/v1/projects', { body: { name: 'There' } })).body.id;
  });

  const path = (id = '') => `/${app.account}/v1/readgroupsets${id && `/${id}`}`;
  const find = async (id: string) => {
    const set = await new ReadGroupSets(app.people.records).find(app.account, id);
    assert.ok(set);
    return set;
  };
  const remove = async (set: Awaited<ReturnType<typeof find>>): Promise<void> => {
    const { records } = app.people;
    const ingestions = { cancel: async () => undefined };
    const by = { caller: { userId: set.owner_id, via: 'test' }, requestId: 'r' } as unknown as By;
    await new ReadsRemoval({ records, audit: new Audit(records), ingestions }).remove(set, by);
  };

  test('a set moved with its file meanwhile stays, and its deletion is 409', async () => {
    const set = await find(await addReads(app, project, 'moved.bam', bam));
    const moved = await app.call('PATCH', `/v1/files/${set.file_id}`, { body: { datasetId: elsewhere } });
    assert.equal(moved.status, 200, moved.text);
    await assert.rejects(remove(set), { status: 409, code: 'FILE_CHANGING' });
    const left = await app.call('GET', path(set.id));
    assert.deepEqual([left.status, left.body.datasetId], [200, elsewhere]);
    await remove(await find(set.id));
    assert.equal((await app.call('GET', path(set.id))).status, 404);
  });

  test('a set made again of the same file stays, and the deletion of the old one is 409', async () => {
    const set = await find(await addReads(app, project, 'again.bam', bam));
    assert.equal((await app.call('DELETE', path(set.id))).status, 204);
    const body = { datasetId: project, fileId: set.file_id };
    const again = await app.call('POST', path(), { body });
    assert.notEqual(again.body.id, set.id);
    await assert.rejects(remove(set), { status: 404 });
    const isActive = async () => (await app.call('GET', path(again.body.id))).body.status === 'ACTIVE';
    await until(isActive, 'the reads are indexed again');
  });
});
