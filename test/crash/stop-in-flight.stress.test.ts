import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { TestProject } from '../inputs/project.ts';
import { postgresSkip, startPostgres } from '../support/postgres.ts';
import { MortalService } from './mortal-service.ts';
import { kinds } from './requests-in-flight.ts';

/** Level of an error in the log. */
const errorLevel = 50;
/** Each service waits 20 s for its requests, and works little meanwhile. */
const concurrency = 2;

describe('a stop', { concurrency }, () => {
  test('a stop with one request of each kind in flight ends cleanly, without an error in the log', (context) =>
    requireCleanStop(context));

  test('a stop with one request of each kind in flight ends cleanly on PostgreSQL', {
    skip: postgresSkip,
  }, async (context) => {
    const database = await startPostgres();
    context.after(() => database.stop());
    await requireCleanStop(context, { PLOIDY_DATABASE_URL: database.url });
  });
});

async function requireCleanStop(context: TestContext, settings: Record<string, string> = {}): Promise<void> {
  const service = await MortalService.start(settings);
  context.after(() => service.end());
  const project = await TestProject.make(service.call, 'Stop');
  for (const begin of Object.values(kinds)) await begin(service, project);
  const { process: running } = service.server;
  const exit = once(running, 'exit');
  // A busy machine may have let a check at the start run out of time.
  const before = errorsOf(service).length;
  running.kill('SIGTERM');
  assert.deepEqual(await exit, [0, null], logOf(service));
  assert.deepEqual(errorsOf(service).slice(before), []);
  assert.ok(!existsSync(join(service.folder, 'records.sqlite-wal')), 'the records were closed');
  assert.deepEqual(readdirSync(join(service.folder, 'scratch')), [], 'the engine was closed');
  const jobs = await service.rows("select id from jobs where state = 'running'");
  assert.deepEqual(jobs, [], 'the jobs were handed back');
}

const logOf = ({ folder }: MortalService): string => readFileSync(join(folder, 'server.log'), 'utf8');

function errorsOf(service: MortalService): string[] {
  const lines = logOf(service).split('\n');
  return lines.filter((line) => line.startsWith('{') && JSON.parse(line).level >= errorLevel);
}
