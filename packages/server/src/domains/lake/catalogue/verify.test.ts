import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { TestProject } from '../../../../../../test/inputs/project.ts';
import { fhirText, vcfText } from '../../../../../../test/inputs/texts.ts';
import { describeApp } from '../../../../../../test/support/app.ts';
import { cleanEnvironment } from '../../../../../../test/support/server.ts';
import { diskBlobs } from '../../../platform/blobs/index.ts';
import type { SegmentsTable } from '../../../platform/records/schema-lake.ts';
import { verifyLake } from './verify.ts';

const ploidy = join(import.meta.dirname, '../../../../../../bin/ploidy.js');

describeApp('verification of the lake', (app) => {
  let project: TestProject;
  let segment: SegmentsTable;
  let path: string;

  before(async () => {
    project = await TestProject.make(app.call, 'Verified');
    await project.take('a.vcf', vcfText('a', 3000));
    await project.take('a.ndjson', fhirText('a', 3, 1));
    const of = (table: string) =>
      app.people.records.read.selectFrom('segments').selectAll().where('table_name', '=', table);
    segment = await of('variant').executeTakeFirstOrThrow();
    path = join(app.folder, 'blobs', segment.blob_key.slice(0, 2), segment.blob_key);
  });

  const verify = async () => {
    const blobs = diskBlobs({ folder: join(app.folder, 'blobs'), records: app.people.records });
    const { problems } = await verifyLake(app.people.records.read, blobs);
    return problems.map(({ code, table, blob }) => ({ code, table, blob }));
  };
  const problem = (code: string) => [{ code, table: 'variant', blob: segment.blob_key }];
  const admin = (...words: string[]): Promise<{ code: number; out: string }> =>
    new Promise((resolve) => {
      const env = { ...cleanEnvironment(), ...app.settings };
      execFile(process.execPath, [ploidy, 'admin', 'verify-lake', ...words], { env }, (error, out) =>
        resolve({ code: typeof error?.code === 'number' ? error.code : 0, out }),
      );
    });

  test('an intact lake has no findings, and the command reports success', async () => {
    assert.deepEqual(await verify(), []);
    const { code, out } = await admin('--json');
    assert.equal(code, 0);
    const { files, segments, bytes, problems } = JSON.parse(out);
    assert.deepEqual([files, segments, problems], [9, 9, []], out);
    assert.ok(bytes > segment.size);
  });

  test('a flipped byte, a truncated file and a missing file are found, and the command fails', async () => {
    const bytes = readFileSync(path);
    const flipped = Buffer.from(bytes);
    flipped[1000] = (flipped[1000] ?? 0) ^ 1;
    writeFileSync(path, flipped);
    assert.deepEqual(await verify(), problem('DIGEST'));
    writeFileSync(path, bytes);
    truncateSync(path, bytes.length - 1);
    assert.deepEqual(await verify(), problem('SIZE'));
    rmSync(path);
    assert.deepEqual(await verify(), problem('MISSING'));
    const { code, out } = await admin('--json');
    assert.equal(code, 1);
    assert.deepEqual(JSON.parse(out).problems[0].blob, segment.blob_key);
    assert.match((await admin()).out, /^problems: 1$/m);
    assert.equal((await admin('--project', 'another')).code, 1, 'an unknown project');
    writeFileSync(path, bytes);
    assert.deepEqual(await verify(), []);
  });

  test('wrong row counts in the catalogue and segments without a project are found', async () => {
    const change = (set: Partial<SegmentsTable>) =>
      app.people.records.transact((tx) =>
        tx.updateTable('segments').set(set).where('id', '=', segment.id).execute(),
      );
    await change({ row_count: segment.row_count + 1 });
    assert.deepEqual(await verify(), problem('ROWS'));
    await change({ row_count: segment.row_count, project_id: 'nobody' });
    assert.deepEqual(await verify(), problem('DANGLING'));
    await change({ project_id: segment.project_id, removed_version: 1, removed_at: 1 });
    rmSync(path);
    assert.deepEqual(await verify(), [], 'what nobody can read may be gone');
  });
});
