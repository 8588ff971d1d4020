/**
 * `npm run freeze`: makes the frozen data folder of this version in `test/upgrade/<version>`, once, before the version is released. Later
 * versions are tested against it and never change it.
 */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { version } from '../../packages/server/src/base/version.ts';
import { admin } from '../backup/operator.ts';
import { MortalService } from '../crash/mortal-service.ts';
import { fhirText } from '../inputs/texts.ts';
import { householdSettings } from '../isolation/world.ts';
import { People } from '../support/people.ts';
import { startPostgres } from '../support/postgres.ts';
import { until } from '../support/until.ts';
import { type Files, filesOf, pack } from './frozen/archive.ts';
import { dump, load } from './frozen/postgres-dump.ts';
import { type Answer, askAll, common, questionsOf } from './frozen/questions.ts';
import type { Expected } from './frozen/release.ts';
import { populate, type Scenario } from './frozen/scenario.ts';
import { setPassword, signIn } from './frozen/signing-in.ts';
import { stepsOf } from './frozen/steps.ts';

/** One ingestion at a time, so that a second one waits. */
const settings = { ...householdSettings, PLOIDY_INGESTIONS_MAX: '1' };
const momentMs = 5;
/** Files of a data folder that no later start needs: locks, logs, scratch, and the index of the journal. */
const isLasting = (path: string): boolean => !/^(?:server\.|scratch\/|blobs\/scratch\/)|-shm$/.test(path);

const target = join(import.meta.dirname, version);
assert.ok(!existsSync(target), `${target} is there: a frozen release is never made again.`);
const archives = { sqlite: await freeze('sqlite'), postgres: await freeze('postgres') };
mkdirSync(target);
for (const [store, bytes] of Object.entries(archives)) writeFileSync(join(target, `${store}.br`), bytes);
writeFileSync(join(target, 'migrations.json'), `${JSON.stringify(await stepsOf(), null, 2)}\n`);
for (const [store, { length }] of Object.entries(archives))
  process.stdout.write(`${store}: ${length} bytes\n`);
process.exit(0);

async function freeze(store: 'sqlite' | 'postgres'): Promise<Buffer> {
  const folder = mkdtempSync(join(tmpdir(), 'ploidy-freeze-'));
  const database = store === 'postgres' ? await startPostgres() : undefined;
  try {
    const place = database && { PLOIDY_DATABASE_URL: database.url };
    mkdirSync(join(folder, 'data'), { mode: 0o700 });
    const service = await MortalService.startIn(join(folder, 'data'), { ...settings, ...place });
    const expected = await fill(service);
    const files = prefixed('data/', filesOf(service.folder, isLasting));
    if (database) files.set('database.sql', await dumped(database.url));
    const backup = join(folder, 'backup');
    const made = await admin(
      { ...service.settings, PLOIDY_DATA_DIR: service.folder },
      ...['backup', backup, '--with-key'],
    );
    assert.equal(made.code, 0, made.err);
    for (const [path, bytes] of prefixed('backup/', filesOf(backup))) files.set(path, bytes);
    files.set('expected.json', Buffer.from(JSON.stringify(expected)));
    refusePaths(files, folder);
    return pack(files);
  } finally {
    await database?.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Fills a service, asks it before and after a restart, and kills it with work of every state. */
async function fill(service: MortalService): Promise<Expected> {
  const people = await People.open(
    { ...service.settings, PLOIDY_DATA_DIR: service.folder },
    async (key) => (await service.call('GET', '/v1/user', { key })).status === 200,
  );
  const scenario = await populate(service, people);
  await people.close();
  const credentials = { email: 'admin@localhost', password: 'words of a frozen password' };
  await setPassword(service.server.firstRun.signInUrl, credentials.password);
  const refreshToken = await signIn(service.server.baseUrl, credentials);
  const questions = questionsOf(scenario);
  const before = await askAll(service.server.baseUrl, scenario.senders, questions);
  await service.kill();
  await service.restart();
  const after = await askAll(service.server.baseUrl, scenario.senders, questions);
  const answered = questions.map((question, at) => ({
    ...question,
    answer: common(before[at], after[at]) as Answer,
  }));
  const interrupted = await interrupt(service, scenario);
  const about = { version, madeAt: Date.now(), settings, senders: scenario.senders };
  return { ...about, credentials, refreshToken, questions: answered, ...interrupted };
}

/** Starts work, and kills the service while one ingestion and one query run and an ingestion waits. */
async function interrupt(
  service: MortalService,
  { interrupted, samples }: Scenario,
): Promise<Pick<Expected, 'unfinished' | 'afterwards'>> {
  const first = await interrupted.upload('running.ndjson', fhirText('running', 800, 2));
  const second = await interrupted.upload('waiting.ndjson', fhirText('waiting', 3));
  const query = await samples.startQuery('SELECT count(*) AS n FROM range(300000000) t(i) WHERE i % 7 = 3');
  const running = await interrupted.startIngestion(first);
  const waiting = await interrupted.startIngestion(second);
  const states = () =>
    service.rows(`
      select j.state from jobs j join ingestions i on i.job_id = j.id where i.id = '${running}' union all
      select j.state from jobs j join queries q on q.job_id = j.id where q.id = '${query}'`);
  const run = async () => (await states()).every(({ state }) => state === 'running');
  await until(run, 'both run', momentMs);
  await service.kill();
  assert.ok(await run(), 'both still ran when the service was killed: run it again');
  return {
    unfinished: [
      `/v1/ingestions/${running}`,
      `/v1/ingestions/${waiting}`,
      `/v1/analytics/data-lake/query/${query}`,
    ],
    afterwards: { projectId: interrupted.id, patients: 803, observations: 1600 },
  };
}

/** Dumps a database; the dump must load, and equal its source. */
async function dumped(url: string): Promise<Buffer> {
  const text = await dump(url);
  const again = await startPostgres();
  try {
    await load(again.url, text);
    assert.equal(await dump(again.url), text);
  } finally {
    await again.stop();
  }
  return Buffer.from(text);
}

function refusePaths(files: Files, folder: string): void {
  for (const [path, bytes] of files)
    for (const trace of [folder, tmpdir(), process.cwd()])
      assert.ok(!bytes.includes(trace), `${path} names ${trace}, a folder of this machine.`);
}

function prefixed(prefix: string, files: Files): Files {
  return new Map([...files].map(([path, bytes]) => [`${prefix}${path}`, bytes]));
}
