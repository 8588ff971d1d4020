/** Data folders of other versions. */
import assert from 'node:assert/strict';
import { chmodSync, cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type TestContext, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { admin, assertWhole, emptyPlace, newFolder, type Settings } from '../backup/operator.ts';
import { TestProject } from '../inputs/project.ts';
import { openTestApp, type TestApp } from '../support/app.ts';
import { postgresSkip } from '../support/postgres.ts';
import { startServer } from '../support/server.ts';

const recorded = join(import.meta.dirname, 'first-release');
const facts = JSON.parse(readFileSync(join(recorded, 'facts.json'), 'utf8')) as Record<
  'key' | 'account' | 'project' | 'note' | 'query',
  string
>;

/** A copy of the data folder that the first version left. */
function firstRelease(context: TestContext): string {
  const folder = newFolder(context);
  mkdirSync(join(folder, 'secrets'), { recursive: true, mode: 0o700 });
  cpSync(join(recorded, 'blobs'), join(folder, 'blobs'), { recursive: true });
  cpSync(join(recorded, 'master.key'), join(folder, 'secrets/master.key'));
  chmodSync(join(folder, 'secrets/master.key'), 0o600);
  writeFileSync(
    join(folder, 'records.sqlite'),
    gunzipSync(readFileSync(join(recorded, 'records.sqlite.gz'))),
  );
  return folder;
}

async function worksAsBefore(context: TestContext, settings: Settings): Promise<void> {
  const app = await openTestApp(settings);
  context.after(() => app.stop());
  const { key, account } = facts;
  const call: TestApp['call'] = (method, path, options) =>
    app.call(method, path, { key, account, ...options });
  assert.equal((await call('GET', `/v1/files/${facts.note}`)).text, 'Bytes of the first version.\n');
  const project = (await call('GET', `/v1/projects/${facts.project}`)).body;
  assert.equal(project.name, 'Of the first version');
  const lake = TestProject.at(call, facts.project);
  assert.deepEqual([await lake.count('variant'), await lake.count('patient')], [7, 3]);
  assert.equal((await lake.query(facts.query)).state, 'succeeded');
  assert.equal((await call('GET', `/v1/files/${facts.query}`)).text, 'n\n7\n', 'its result');
  await lake.take('new.vcf', readFileSync(vcfOf(), 'utf8').replaceAll('OLD1', 'NEW1'));
  assert.equal(await lake.count('variant'), 14, 'new rows stand beside the old ones');
  const audit = await admin(settings, 'verify-audit');
  assert.deepEqual([audit.code, /^main: \d+ events, whole$/m.test(audit.out)], [0, true], audit.out);
}

/** The VCF that the first version ingested. */
function vcfOf(): string {
  return join(recorded, 'blobs/b7/b75d5b61d8fbd80e582e23526ec35413');
}

test('a data folder of the first version opens: its key, files, rows, results and audit log are good', async (context) => {
  await worksAsBefore(context, { PLOIDY_DATA_DIR: firstRelease(context) });
});

test('a backup of it leaves it as it is, and restores into PostgreSQL of today', {
  skip: postgresSkip,
}, async (context) => {
  const folder = firstRelease(context);
  const before = readFileSync(join(folder, 'records.sqlite'));
  const backup = newFolder(context);
  const made = await admin({ PLOIDY_DATA_DIR: folder }, 'backup', backup, '--with-key');
  assert.equal(made.code, 0, made.err);
  assert.ok(before.equals(readFileSync(join(folder, 'records.sqlite'))), 'no schema was brought forward');
  const place = await emptyPlace(context, 'postgres');
  const restored = await admin(place, 'restore', backup);
  assert.equal(restored.code, 0, restored.err);
  assert.equal(await assertWhole(place), 9);
  await worksAsBefore(context, place);
});

test('a data folder of a newer version is refused with what to do, and a backup of it too', async (context) => {
  const folder = firstRelease(context);
  const records = new DatabaseSync(join(folder, 'records.sqlite'));
  records.exec("insert into schema_migrations values ('9999-future', 1)");
  records.close();
  await assert.rejects(startServer({ folder }), /could not start: .* newer version/);
  const log = readFileSync(join(folder, 'server.log'), 'utf8');
  assert.match(
    log,
    /written by a newer version \(it made the change \\"9999-future\\"\): start that version/,
  );
  const { code, err } = await admin({ PLOIDY_DATA_DIR: folder }, 'backup', newFolder(context));
  assert.deepEqual([code, /newer version \(it made the change "9999-future"\)/.test(err)], [1, true], err);
});
