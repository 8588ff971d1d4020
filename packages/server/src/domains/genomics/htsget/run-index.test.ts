import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { describeApp } from '../../../../../../test/support/app.ts';
import type { Engine } from '../../../../../engine/src/engine.ts';
import { newId } from '../../../base/ids.ts';
import { diskBlobs } from '../../../platform/blobs/index.ts';
import { nobody } from '../../../platform/jobs/admission.ts';
import type { JobRun } from '../../../platform/jobs/jobs.ts';
import { runIndexes } from './run-index.ts';

describeApp('runs that build the index of a VCF', (app) => {
  let project: string;

  before(async () => {
    project = (await app.call('POST', '/v1/projects', { body: { name: 'Indexes' } })).body.id;
  });

  /** Requests the index of a file as the service does, under a job that no process runs. */
  const ask = async (file_id: string): Promise<string> => {
    const job_id = newId();
    const { records } = app.people;
    await records.transact(async (tx) => {
      const { blob_key } = await tx
        .selectFrom('files')
        .select('blob_key')
        .where('id', '=', file_id)
        .executeTakeFirstOrThrow();
      const nothing = { message: null, index_blob: null, index_size: null, index_sha256: null };
      const row = { file_id, project_id: project, source_blob: blob_key, created_at: Date.now(), ...nothing };
      await tx
        .insertInto('variant_indexes')
        .values({ ...row, status: 'INDEXING', job_id })
        .execute();
    });
    return job_id;
  };
  const indexOf = (file: string) =>
    app.people.records.read
      .selectFrom('variant_indexes')
      .selectAll()
      .where('file_id', '=', file)
      .executeTakeFirstOrThrow();
  const blobPath = (key: string) => join(app.folder, 'blobs', key.slice(0, 2), key);

  /**
   * Runs the job with a converter that writes one sentence; returns the blob it made. `meanwhile` runs during
   * the build.
   */
  const run = async (id: string, lease = true, meanwhile?: () => Promise<void>): Promise<string> => {
    const blobs = diskBlobs({ folder: join(app.folder, 'blobs'), records: app.people.records });
    const made: string[] = [];
    const convert = async ({ outputFolder }: { outputFolder: string }) => {
      const text = `the index of ${id}`;
      const path = join(outputFolder, 'index');
      writeFileSync(path, text);
      await meanwhile?.();
      const sha256 = createHash('sha256').update(text).digest('hex');
      return { tables: [{ table: '_index', path, rows: 1, size: text.length, sha256 }] };
    };
    const adopt = blobs.adopt.bind(blobs);
    blobs.adopt = async (path, info) => {
      const blob = await adopt(path, info);
      made.push(blob.key);
      return blob;
    };
    const job = {
      id,
      kind: '',
      state: 'running',
      payload: {},
      attempts: 1,
      attemptsMax: 3,
      lost: 0,
      whose: nobody,
    } as const;
    const signal = new AbortController().signal;
    const jobRun: JobRun = { job, signal, holdsLease: async () => lease, report: () => undefined };
    const engine = { convert } as unknown as Engine;
    await runIndexes({ records: app.people.records, engine, blobs }).run(jobRun);
    return made.join();
  };

  test('a run that has lost its lease changes nothing, and its index is removed', async () => {
    const file = await app.put(project, 'lease.vcf.gz', 'bytes');
    const job = await ask(file);
    const late = await run(job, false);
    assert.deepEqual([(await indexOf(file)).status, existsSync(blobPath(late))], ['INDEXING', false]);
    const held = await run(job);
    const { status, index_blob } = await indexOf(file);
    assert.deepEqual([status, index_blob, existsSync(blobPath(held))], ['ACTIVE', held, true]);
  });

  test('an index of replaced bytes is not used for the new bytes', async () => {
    const file = await app.put(project, 'bytes.vcf.gz', 'old bytes');
    let job = '';
    const old = await run(await ask(file), true, async () => {
      const body = { id: file, name: 'bytes.vcf.gz', datasetId: project };
      const begun = await app.call('POST', '/v1/files', { body });
      assert.equal((await fetch(begun.body.uploadUrl, { method: 'PUT', body: 'new bytes' })).status, 200);
      job = await ask(file);
    });
    const waiting = await indexOf(file);
    assert.deepEqual(
      [waiting.status, waiting.index_blob, existsSync(blobPath(old))],
      ['INDEXING', null, false],
    );
    assert.equal(await run(job), (await indexOf(file)).index_blob);
  });
});
