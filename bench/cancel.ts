import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { workersOf } from '../packages/engine/src/engine.fixture.ts';
import { startPostgres } from '../test/support/postgres.ts';
import { median } from './lake.ts';
import { type Service, startService } from './service.ts';

const rounds = 50;
const deathMaxMs = 100;
/** Processor time by which a process has read its statement and works on it, in hundredths of a second (proc(5)). */
const busyTicks = 100;
const endless = 'SELECT count(*) FROM range(100000000000000) t(i) WHERE i % 7 = 3';
const path = '/v1/analytics/data-lake/query';
/** Makes the process that runs the query the only one. */
const settings = { PLOIDY_IDLE_WORKERS: '0', PLOIDY_QUERIES_MAX: '1' };

/**
 * Time from the request that cancels a query to the death of the process that runs it: through the same service, and through
 * another.
 */
export async function bench(): Promise<void> {
  const alone = await startService(settings);
  try {
    await measure('the same process, SQLite', [alone], alone);
  } finally {
    await alone.stop();
  }
  const database = await startPostgres();
  const one = await startService({ ...settings, PLOIDY_DATABASE_URL: database.url });
  const two = await startService({ ...settings, PLOIDY_DATABASE_URL: database.url }, one);
  try {
    await measure('another process, PostgreSQL', [one, two], undefined);
  } finally {
    await two.stop();
    await one.stop();
    await database.stop();
  }
}

async function measure(name: string, services: Service[], asked: Service | undefined): Promise<void> {
  const [first] = services as [Service];
  const project = (await first.call<{ id: string }>('POST', '/v1/projects', { name })).id;
  const deaths: number[] = [];
  const answers: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const body = { query: endless, datasetId: project, outputFileName: 'endless.csv' };
    const { queryId } = await first.call<{ queryId: string }>('POST', path, body);
    const { pid, runner } = await working(services);
    const canceller = asked ?? services.find((service) => service !== runner) ?? runner;
    const from = performance.now();
    const dead = death(pid).then(() => deaths.push(performance.now() - from));
    const { state } = await canceller.call<{ state: string }>('DELETE', `${path}/${queryId}`);
    answers.push(performance.now() - from);
    if (state !== 'cancelled') throw new Error(`it is ${state}`);
    await dead;
  }
  const shown = (times: number[]): string =>
    `median ${median(times).toFixed(1)} ms, slowest ${Math.max(...times).toFixed(1)} ms`;
  process.stdout.write(
    `${name}: ${rounds} running queries · dead after ${shown(deaths)} (wanted < ${deathMaxMs}) · answered after ${shown(answers)}\n`,
  );
}

/** Returns the process that is in the middle of the query, and the service that started it. */
async function working(services: Service[]): Promise<{ pid: number; runner: Service }> {
  for (;;) {
    for (const runner of services) {
      const pid = workersOf(runner.process.pid ?? 0, 'query').find((one) => ticksOf(one) > busyTicks);
      if (pid !== undefined) return { pid, runner };
    }
    await delay(20);
  }
}

async function death(pid: number): Promise<void> {
  while (ticksOf(pid) >= 0) await delay(1);
}

/** Processor time of a process; -1 once it is dead, reaped or not. */
function ticksOf(pid: number): number {
  try {
    const status = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const fields = status.slice(status.lastIndexOf(')') + 2).split(' ');
    return fields[0] === 'Z' || fields[0] === 'X' ? -1 : Number(fields[11]) + Number(fields[12]);
  } catch (error) {
    if (error instanceof Error && 'code' in error) return -1;
    throw error;
  }
}
