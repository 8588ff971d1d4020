/** Read group sets over HTTP: content, search, and changes of their files. */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { before, describe, test } from 'node:test';
import { TestProject } from '../../../../../../test/inputs/project.ts';
import { describeApp } from '../../../../../../test/support/app.ts';
import { bamBytes, type TestBam } from '../../../../../../test/support/bam.ts';
import { sharedData, sharedDataSkip } from '../../../../../../test/support/shared-data.ts';
import { until } from '../../../../../../test/support/until.ts';

const text = (group: string, sample: string) => `@RG\tID:${group}\tSM:${sample}\n`;
const oneGroup = (group: string, sample: string, more: TestBam = {}) =>
  bamBytes({ text: text(group, sample), reads: [{ reference: 0, position: 3, group }], ...more });

describeApp('read group sets', (app) => {
  let project: TestProject;
  const root = () => `/${app.account}/v1/readgroupsets`;
  const search = async (body: object) => {
    const reply = await app.call('POST', `${root()}/search`, { body });
    assert.equal(reply.status, 200, reply.text);
    return reply.body;
  };
  /** Returns the only set of a file. */
  const setOf = async (fileId: string) => {
    const { readGroupSets } = await search({ datasetId: project.id, pageSize: 1000 });
    return readGroupSets.find((set: { fileId: string }) => set.fileId === fileId);
  };

  before(async () => {
    project = await TestProject.make(app.call, 'Reads');
  });

  test('long command lines are shown in every group of a few, and in none of hundreds', async () => {
    for (const [count, shown] of [
      [2, 1],
      [300, 0],
    ] as const) {
      const groups = Array.from({ length: count }, (_, at) => text(`g${at}`, 's')).join('');
      const program = `@PG\tID:p\tCL:${'c'.repeat(60_000)}\n`;
      const fileId = await project.take(`long-${count}.bam`, bamBytes({ text: groups + program }));
      const { readGroups } = await setOf(fileId);
      assert.equal(readGroups.length, count);
      assert.ok(readGroups.every((group: { programs: unknown[] }) => group.programs.length === shown));
    }
  });

  describe('content', { skip: sharedDataSkip }, () => {
    test('a real BAM shows its counts, groups, experiments and programs as GA4GH names them', async () => {
      const bytes = readFileSync(sharedData('bam/htsnexus_test_NA12878.bam'));
      const fileId = await project.take('runs/NA12878.bam', bytes, { patientId: 'p1', testType: 'WGS' });
      const set = await setOf(fileId);
      assert.deepEqual(
        [set.name, set.status, set.datasetId, set.patientId, set.testType],
        ['NA12878', 'ACTIVE', project.id, 'p1', 'WGS'],
      );
      const stats = { alignedReadCount: '27214', unalignedReadCount: '12704', baseCount: '3033768' };
      assert.deepEqual(set.stats, stats);
      assert.equal(set.readGroups.length, 1);
      const [group] = set.readGroups;
      assert.deepEqual(
        [group.name, group.sampleName, group.biosampleId, group.stats],
        ['SRR098401', 'NA12878', 'NA12878', stats],
      );
      assert.deepEqual([group.predictedSnsertSize, group.predictedInsertSize], [220, 220]);
      assert.match(group.created, /^\d{13}$/);
      assert.equal(group.experiment.instrumentModel, 'ILLUMINA');
      assert.equal(group.experiment.libraryLayout, 'PAIRED');
      assert.equal(group.programs[1].prevProgramId, group.programs[0].id);
      assert.equal(group.referenceSetId, set.referenceSetId);
      assert.deepEqual(set.attributes.attr.sortOrder, { values: [{ stringValue: 'coordinate' }] });
      const one = await app.call('GET', `${root()}/${set.id}`);
      assert.deepEqual(one.body, set);
      const referenceSet = await app.call('GET', `/${app.account}/v1/referencesets/${set.referenceSetId}`);
      assert.equal(referenceSet.body.assemblyId, 'NCBI37');
    });
  });

  test('filters are exact, unknown datasets are 404, and no match is an empty list', async () => {
    const other = await TestProject.make(app.call, 'Other reads');
    await other.take('a.bam', oneGroup('g', 'Sample A'));
    const two = text('g1', 'Sample A') + text('g2', 'Sample B');
    await other.take('b.bam', bamBytes({ text: two }));
    const names = async (body: object) =>
      (await search(body)).readGroupSets.map((set: { name: string; readGroups: unknown[] }) => [
        set.name,
        set.readGroups.length,
      ]);
    const datasetId = other.id;
    assert.deepEqual(await names({ datasetId }), [
      ['a', 1],
      ['b', 2],
    ]);
    assert.deepEqual(await names({ datasetIds: [datasetId] }), [
      ['a', 1],
      ['b', 2],
    ]);
    assert.deepEqual(await names({ datasetId, biosampleId: 'Sample A' }), [
      ['a', 1],
      ['b', 1],
    ]);
    assert.deepEqual(await names({ datasetId, biosampleId: 'Sample B', name: 'b' }), [['b', 1]]);
    assert.deepEqual(await names({ datasetId, sequenceId: 'Sample B' }), [['b', 2]]);
    assert.deepEqual(await names({ datasetId, sequenceId: 'Sample C' }), []);
    const [, both] = (await search({ datasetId })).readGroupSets;
    assert.deepEqual(both.samples, ['Sample A', 'Sample B']);
    assert.deepEqual(await names({ datasetId, biosampleId: 'sample a' }), []);
    assert.deepEqual(await names({ datasetId, name: 'A' }), []);
    assert.deepEqual(await names({ datasetId, name: '', biosampleId: null, pageToken: null }), [
      ['a', 1],
      ['b', 2],
    ]);
    for (const unknown of [{ datasetId: 'nothing' }, { datasetId, datasetIds: ['nothing'] }]) {
      assert.equal((await app.call('POST', `${root()}/search`, { body: unknown })).status, 404);
    }
    assert.equal((await app.call('POST', '/nobody/v1/readgroupsets/search', { body: {} })).status, 404);
  });

  test('pages follow each other without a gap, and only with their own tokens', async () => {
    const paged = await TestProject.make(app.call, 'Paged reads');
    for (const name of ['a', 'b', 'c']) await paged.take(`${name}.bam`, oneGroup('g', name));
    const seen: string[] = [];
    let pageToken: string | undefined = '';
    while (pageToken !== undefined) {
      const page: { readGroupSets: { name: string }[]; nextPageToken?: string } = await search({
        datasetId: paged.id,
        pageSize: 2,
        pageToken,
      });
      seen.push(...page.readGroupSets.map(({ name }) => name));
      pageToken = page.nextPageToken;
    }
    assert.deepEqual(seen, ['a', 'b', 'c']);
    const first = await search({ datasetId: paged.id, pageSize: 2 });
    const wrong = { datasetId: project.id, pageToken: first.nextPageToken };
    const refused = await app.call('POST', `${root()}/search`, { body: wrong });
    assert.deepEqual([refused.status, refused.body.details[0].path], [400, 'body/pageToken']);
    for (const [pageSize, status] of [
      [-1, 400],
      [1.5, 400],
      ['5', 400],
      [0, 200],
      [5000, 200],
    ] as const) {
      const reply = await app.call('POST', `${root()}/search`, { body: { datasetId: paged.id, pageSize } });
      assert.equal(reply.status, status, String(pageSize));
    }
  });

  test('a set created by POST is INDEXING at first, and keeps its id when the file is ingested again', async () => {
    const fileId = await project.upload('posted.bam', oneGroup('g', 's'));
    const body = {
      datasetId: project.id,
      fileId,
      name: 'Posted',
      biosampleId: 'b1',
      sequenceType: 'germline',
    };
    const made = await app.call('POST', root(), { body });
    assert.equal(made.status, 200, made.text);
    assert.ok(['INDEXING', 'ACTIVE'].includes(made.body.status));
    const id = made.body.id;
    const now = async () => (await app.call('GET', `${root()}/${id}`)).body;
    await until(async () => (await now()).status === 'ACTIVE', 'the set is active');
    const set = await now();
    assert.deepEqual(
      [set.name, set.sequenceType, set.readGroups[0].biosampleId],
      ['Posted', 'germline', 'b1'],
    );
    assert.equal((await project.ingest(fileId, { name: 'Again' })).state, 'succeeded');
    assert.deepEqual([(await now()).id, (await now()).name], [id, 'Again']);
    const elsewhere = { ...body, datasetId: (await TestProject.make(app.call, 'Elsewhere')).id };
    const fieldOf = async (wrong: object) => {
      const { status, body: problem } = await app.call('POST', root(), { body: wrong });
      return [status, problem.details?.[0].path];
    };
    // Equal answers reveal of no id that it exists.
    for (const unknown of [elsewhere, { ...body, fileId: 'nothing' }, { ...body, referenceSetId: 'nothing' }])
      assert.deepEqual(await fieldOf(unknown), [404, undefined]);
    const named = await app.call('POST', root(), { body: { ...body, referenceSetId: 'GRCh37' } });
    assert.equal(named.status, 200, 'an assembly without a set is found by the header');
    await until(async () => (await now()).status === 'ACTIVE', 'the set is active again');
    const found = async (status: string) =>
      (await app.call('POST', `${root()}/search`, { body: { datasetIds: [project.id], status } })).body
        .readGroupSets;
    assert.ok((await found('ACTIVE')).some((one: { id: string }) => one.id === id));
    assert.ok((await found('FAILED')).every((one: { id: string }) => one.id !== id));
  });

  test('a file that is no BAM ends FAILED with the reason, without reads or index', async () => {
    const fileId = await project.upload('wrong.bam', '@HD\tVN:1.6\n');
    const made = await app.call('POST', root(), { body: { datasetId: project.id, fileId } });
    const path = `${root()}/${made.body.id}`;
    await until(async () => (await app.call('GET', path)).body.status === 'FAILED', 'it has failed');
    const { body } = await app.call('GET', path);
    assert.match(body.message, /samtools view -b/);
    assert.deepEqual([body.readGroups, body.stats.alignedReadCount], [[], '0']);
  });

  test('an overwritten file has no reads until it is ingested again', async () => {
    const fileId = await project.take('changing.bam', oneGroup('g', 's'));
    const before = await setOf(fileId);
    const body = { id: fileId, name: 'changing.bam', datasetId: project.id };
    const begun = await app.call('POST', '/v1/files', { body });
    const bytes = bamBytes({ text: text('h', 't'), reads: [{ reference: 0, position: 1, group: 'h' }] });
    assert.equal((await fetch(begun.body.uploadUrl, { method: 'PUT', body: bytes as never })).status, 200);
    const between = await setOf(fileId);
    assert.deepEqual([between.id, between.status, between.readGroups], [before.id, 'FAILED', []]);
    assert.match(between.message, /overwritten/);
    assert.equal((await project.ingest(fileId)).state, 'succeeded');
    const after = await setOf(fileId);
    assert.deepEqual([after.id, after.status, after.readGroups[0].name], [before.id, 'ACTIVE', 'h']);
  });

  test('a set moves and is deleted with its file', async () => {
    const target = await TestProject.make(app.call, 'Target of reads');
    const fileId = await project.take('moving.bam', oneGroup('g', 's'));
    const { id } = await setOf(fileId);
    const moved = await app.call('PATCH', `/v1/files/${fileId}`, { body: { datasetId: target.id } });
    assert.equal(moved.status, 200, moved.text);
    assert.equal((await app.call('GET', `${root()}/${id}`)).body.datasetId, target.id);
    assert.equal((await app.call('DELETE', `/v1/files/${fileId}?keepRows=true`)).status, 204);
    assert.equal((await app.call('GET', `${root()}/${id}`)).status, 404);
  });

  test('a deleted set keeps its file, and a running ingestion does not recreate it', async () => {
    const fileId = await project.take('deleted.bam', oneGroup('g', 's'));
    const { id } = await setOf(fileId);
    const again = await project.startIngestion(fileId, { type: 'bam' });
    assert.equal((await app.call('DELETE', `${root()}/${id}`)).status, 204);
    assert.equal((await app.call('DELETE', `${root()}/${id}`)).status, 404);
    const end = await project.endOfIngestion(again);
    if (end.state === 'cancelled') assert.equal(await setOf(fileId), undefined);
    assert.equal((await app.call('GET', `/v1/files/${fileId}?include=metadata`)).status, 200);
    const rows = await app.people.records.read.selectFrom('read_groups').select('set_id').execute();
    assert.ok(!rows.some(({ set_id }) => set_id === id), 'its groups are gone');
  });

  test('ingesting a file as another format removes its earlier results', async () => {
    const fileId = await project.take('changed', oneGroup('g', 's'));
    assert.equal((await setOf(fileId)).status, 'ACTIVE');
    await project.take('changed', '>a\nACGT\n');
    assert.equal(await setOf(fileId), undefined);
  });

  test('a caller of one project finds only its sets', async () => {
    const own = await TestProject.make(app.call, 'Own reads');
    await own.take('own.bam', oneGroup('g', 's'));
    const bound = { 'resource.dataset': { comparison: 'equals', value: own.id } };
    const member = await app.people.member(app.account, ['readData'], bound);
    const call = (path: string, body: object) => app.call('POST', path, { key: member.key, body });
    const sets = (await call(`${root()}/search`, {})).body.readGroupSets;
    assert.deepEqual(
      sets.map(({ name }: { name: string }) => name),
      ['own'],
    );
    const { datasets } = (await call(`/${app.account}/v1/datasets/search`, {})).body;
    assert.deepEqual(
      datasets.map(({ id }: { id: string }) => id),
      [own.id],
    );
    assert.deepEqual((await call(`${root()}/search`, { datasetId: project.id })).body.readGroupSets, []);
  });

  test('the sweep keeps an index while a row refers to it', async () => {
    const fileId = await project.take('swept.bam', oneGroup('g', 's'));
    const row = await app.people.records.read
      .selectFrom('readgroup_sets')
      .select(['index_blob', 'reads_blob'])
      .where('file_id', '=', fileId)
      .executeTakeFirstOrThrow();
    const blobs = globSync('blobs/??/*', { cwd: app.folder }).join();
    assert.ok(row.index_blob && blobs.includes(row.index_blob));
    assert.ok(row.reads_blob && blobs.includes(row.reads_blob), 'the BAM is not copied');
    assert.notEqual(row.index_blob, row.reads_blob);
  });
});
