import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { TestProject } from '../../../../../../test/inputs/project.ts';
import type { TestApp } from '../../../../../../test/support/app.ts';
import { until } from '../../../../../../test/support/until.ts';
import { clientOf, dataFilesOf, type Loaded, look, type ObjectName } from './reader.fixture.ts';
import { sweepCopies } from './served-objects.ts';

const patients = (...versions: [id: string, day: number][]): string =>
  versions
    .map(([id, day]) =>
      JSON.stringify({ resourceType: 'Patient', id, meta: { lastUpdated: `2024-01-0${day}T00:00:00Z` } }),
    )
    .join('\n');

const observation = (id: string): string =>
  JSON.stringify({ resourceType: 'Observation', id, subject: { reference: 'Patient/one' } });

const vcf =
  '##fileformat=VCFv4.2\n##contig=<ID=chr1>\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\ts1\nchr1\t5\t.\tA\tG\t.\tPASS\t.\tGT\t0/1\n';

/** Registers tests of the copies that a service makes of tables for readers of whole files. */
export function copyTests(app: TestApp): void {
  let project: TestProject;
  let second: string;

  before(async () => {
    project = await TestProject.make(app.call, 'Copied');
    await project.take('first.ndjson', patients(['one', 1], ['two', 1]));
    // Two versions of a resource: the files of the table hold rows that it does not show.
    second = await project.take('second.ndjson', patients(['two', 2]));
  });

  const path = (table = 'patient') => `/iceberg/v1/namespaces/${project.id}/tables/${table}`;
  const open = async (table?: string): Promise<Loaded> => {
    const reply = await app.call('GET', path(table));
    assert.equal(reply.status, 200, reply.text);
    return reply.body;
  };
  const opened = async (table?: string) => {
    const loaded = await open(table);
    const [file, ...more] = await dataFilesOf(loaded);
    assert.ok(file && more.length === 0, 'one file');
    const read = (object: ObjectName = file) => look(clientOf(loaded), object);
    return { loaded, file, read };
  };
  const copies = () =>
    app.app.core.records.read
      .selectFrom('lake_copies')
      .selectAll()
      .where('project_id', '=', project.id)
      .orderBy('id')
      .execute();
  const jobs = async () => {
    const rows = await app.app.core.records.read
      .selectFrom('jobs')
      .select('payload')
      .where('kind', '=', 'lake.copy')
      .execute();
    return rows.length;
  };
  const sweep = () => sweepCopies(app.app.core.records, app.app.core.blobs, new AbortController().signal);

  test('openings at once write one copy, and the end of one of them ends no other', async () => {
    const leaving = new AbortController();
    const left = fetch(`${app.address}${path()}`, {
      headers: { authorization: app.key },
      signal: leaving.signal,
    }).catch(() => undefined);
    const openings = Array.from({ length: 6 }, () => opened());
    await until(async () => (await copies()).length > 0, 'the copy is being made');
    leaving.abort();
    const keys = new Set((await Promise.all(openings)).map(({ file }) => file.Key));
    await left;
    assert.deepEqual([keys.size, (await copies()).length, await jobs()], [1, 1, 1]);
  });

  test('changes of other tables make no new copy', async () => {
    const before = await opened();
    await project.take('one.vcf', vcf);
    await project.take('observations.ndjson', observation('o1'));
    assert.equal((await opened()).file.Key, before.file.Key);
    assert.equal(await jobs(), 1);
  });

  test('a copy is replaced with the table, and removed once its readers had their time', async () => {
    const before = await opened();
    await project.take('third.ndjson', patients(['two', 3], ['three', 1]));
    const after = await opened();
    assert.notEqual(after.file.Key, before.file.Key);
    assert.deepEqual([await before.read(), await after.read()], [200, 200], 'rows were added only');
    const [old] = await copies();
    const key = old?.blob_key ?? '';
    await sweep();
    assert.notEqual(await app.app.core.blobs.sizeOf(key), undefined, 'it has its time');
    await app.app.core.records.transact((tx) =>
      tx.updateTable('lake_copies').set({ retired_at: 1 }).where('retired_at', 'is not', null).execute(),
    );
    await sweep();
    assert.deepEqual([await before.read(), await after.read()], [404, 200]);
    assert.equal(await app.app.core.blobs.sizeOf(key), undefined);
    assert.equal((await copies()).length, 1);
  });

  test('a table has its present copy and the one before at most', async () => {
    for (const day of [4, 5, 6]) {
      await project.take('fourth.ndjson', patients(['two', day]));
      await opened();
    }
    assert.ok((await copies()).length <= 2);
  });

  test('deleted rows are never served, whatever was signed before', async () => {
    const copied = await opened();
    await project.take('own.ndjson', observation('o2'));
    const plain = await opened('variant');
    assert.deepEqual([await copied.read(), await plain.read()], [200, 200]);
    assert.equal((await app.call('DELETE', `/v1/files/${second}`)).status, 204);
    assert.deepEqual([await copied.read(), await plain.read()], [404, 200]);
    const [variants] = (await app.call('GET', `/v1/files?datasetId=${project.id}&name=one.vcf`)).body.items;
    assert.equal((await app.call('DELETE', `/v1/files/${variants.id}`)).status, 204);
    assert.equal(await plain.read(), 404);
    assert.equal(await (await opened()).read(), 200);
    await sweep();
    assert.equal((await copies()).length, 1, 'the bytes of the others are gone');
  });

  test('a copy whose job was lost is made again by the next opening', async () => {
    await project.take('lost.ndjson', patients(['two', 7]));
    const copy = (await opened()).file.Key;
    const { records } = app.app.core;
    await records.transact((tx) =>
      tx.updateTable('lake_copies').set({ state: 'running', job_id: 'lost' }).execute(),
    );
    assert.notEqual((await opened()).file.Key, copy);
  });

  test('copies go with their project', async () => {
    assert.ok((await copies()).length > 0);
    assert.equal((await app.call('DELETE', `/v1/projects/${project.id}?force=true`)).status, 204);
    await until(async () => (await copies()).length === 0, 'they are removed');
  });
}
