/** A backup that is taken while others write, and what is restored from it: into the other kind of records each time. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { TestProject } from '../inputs/project.ts';
import { vcfText } from '../inputs/texts.ts';
import { openTestApp, type TestApp } from '../support/app.ts';
import { postgresSkip, startPostgres } from '../support/postgres.ts';
import { startS3 } from '../support/s3/server.ts';
import { until } from '../support/until.ts';
import { admin, adminHere, assertWhole, emptyPlace, newFolder, type Settings } from './operator.ts';

/** Uploads, replaces, ingests and deletes until it is stopped. */
class Writer {
  readonly #project: TestProject;
  readonly #app: TestApp;
  #stopped = false;
  rounds = 0;

  constructor(app: TestApp, project: TestProject) {
    this.#app = app;
    this.#project = project;
  }

  async run(name: string): Promise<void> {
    while (!this.#stopped) {
      const text = `${name}, round ${this.rounds}`;
      await this.#project.upload(`${name}-replaced.txt`, text);
      const id = await this.#project.upload(`${name}-deleted.txt`, text);
      if (this.rounds % 5 === 0) await this.#project.upload(`${name}-${this.rounds}.txt`, text);
      const gone = await this.#app.call('DELETE', `/v1/files/${id}`);
      assert.ok(gone.status === 200 || gone.status === 204, gone.text);
      this.rounds += 1;
    }
  }

  async ingest(): Promise<void> {
    while (!this.#stopped) {
      await this.#project.take('again.vcf', vcfText('other', 20));
    }
  }

  stop(): void {
    this.#stopped = true;
  }
}

async function restoresWhole(context: TestContext, from: Settings, to: Settings): Promise<void> {
  const app = await openTestApp(from);
  context.after(() => app.stop());
  const project = await TestProject.make(app.call, 'Written');
  const first = await project.take('first.vcf', vcfText('first', 10));
  await project.take('again.vcf', vcfText('other', 20));
  const writer = new Writer(app, project);
  const writing = Promise.all([writer.run('a'), writer.run('b'), writer.ingest()]);
  await until(() => writer.rounds > 4, 'they write');
  const folder = newFolder(context);
  const made = await admin(app.settings, 'backup', folder, '--with-key');
  const after = writer.rounds;
  await until(() => writer.rounds > after, 'they write on');
  writer.stop();
  await writing;
  assert.equal(made.code, 0, made.err);

  const restored = await adminHere(to, 'restore', folder);
  assert.equal(restored.code, 0, restored.err);
  assert.ok((await assertWhole(to)) > 6);
  const again = await openTestApp(to);
  const call: TestApp['call'] = (method, path, options) =>
    again.call(method, path, { key: app.key, account: app.account, ...options });
  assert.equal(
    (await call('GET', `/v1/files/${first}`)).text,
    vcfText('first', 10),
    'the key of before reads',
  );
  const { read } = again.people.records;
  const files = await read.selectFrom('files').select(['id', 'size']).execute();
  for (const { id, size } of files) assert.equal((await call('GET', `/v1/files/${id}`)).text.length, size);
  assert.equal(await project.as(call).count('variant'), 10 + 20, 'the restored rows are asked');
  // Its merges would go on, and change what there is to count.
  await again.stop();
}

test('SQLite and disk, restored into PostgreSQL', { skip: postgresSkip }, async (context) => {
  await restoresWhole(context, {}, await emptyPlace(context, 'postgres'));
});

test('PostgreSQL and disk, restored into SQLite', { skip: postgresSkip }, async (context) => {
  const database = await startPostgres();
  try {
    await restoresWhole(context, { PLOIDY_DATABASE_URL: database.url }, await emptyPlace(context, 'sqlite'));
  } finally {
    await database.stop();
  }
});

test('SQLite and S3, restored into another bucket; with the bytes only listed, beside their store', async (context) => {
  const [s3, other] = [await startS3(), await startS3()];
  context.after(async () => void (await Promise.all([s3.close(), other.close()])));
  const to = { ...(await emptyPlace(context, 'sqlite')), ...other.settings };
  await restoresWhole(context, s3.settings, to);
  const listed = newFolder(context);
  const made = await adminHere(to, 'backup', listed, '--list-bytes', '--json');
  assert.equal(made.code, 0, made.err);
  assert.match(JSON.parse(made.out).bytes, /listed only/);
  const key = ['--key', join(to['PLOIDY_DATA_DIR'] ?? '', 'secrets/master.key')];
  const nowhere = { ...(await emptyPlace(context, 'sqlite')) };
  const refused = await adminHere(nowhere, 'restore', listed, ...key);
  assert.deepEqual([refused.code, /holds no bytes/.test(refused.err)], [1, true]);
  const beside = { ...(await emptyPlace(context, 'sqlite')), ...other.settings };
  const restored = await adminHere(beside, 'restore', listed, ...key);
  assert.equal(restored.code, 0, restored.err);
  assert.equal(await assertWhole(beside), await assertWhole(to));
});
