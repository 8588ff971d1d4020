import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Receiver } from '../../packages/server/src/domains/protocols/events/webhooks/receiver.fixture.ts';
import { randomOf } from '../../samples/generator/random.ts';
import { Clients } from './clients.ts';
import { assertAudited, untilQuiet } from './ends.ts';
import { Fleet } from './fleet.ts';
import { Journal } from './journal.ts';
import { Mishaps } from './mishaps.ts';
import { besides } from './torture.ts';

export interface DayOptions {
  seed: number;
  /** Seconds during which people work; verification follows. */
  seconds: number;
  people: number;
  /** Milliseconds for which a store or process is away. */
  awayMs: number;
}

const paceMs = 2000;
const logTailBytes = 4000;

/**
 * Runs a day's work of many people on three processes, which are killed, stopped and cut off from their stores. Rejects when
 * something acknowledged is missing or doubled at the end. Answers how often everything was done.
 */
export async function day(options: DayOptions): Promise<string> {
  const journal = new Journal();
  const fleet = await Fleet.start(journal, {
    PLOIDY_COMPACTION_FILES: '3',
    PLOIDY_JOB_LEASE: '3s',
    PLOIDY_THREADS: '1',
    PLOIDY_ALLOW_PRIVATE_HOSTS: 'true',
    PLOIDY_INVITATIONS_PER_HOUR: '100000',
  });
  const hooks = await Receiver.start();
  try {
    await run(fleet, options, journal, hooks);
    return journal.counts;
  } catch (error) {
    throw new Error(report(error, options, journal, fleet), { cause: error });
  } finally {
    hooks.stop();
    await fleet.end();
  }
}

async function run(fleet: Fleet, options: DayOptions, journal: Journal, hooks: Receiver): Promise<void> {
  const { seed, seconds, people, awayMs } = options;
  const clients = await Clients.gather(fleet, journal, seed, { count: people, paceMs, hooks });
  const mishaps = new Mishaps(fleet, randomOf(seed, 'mishaps'), awayMs);
  await besides(clients.work(seconds), () => mishaps.next());
  await untilQuiet(fleet.first);
  await clients.verify();
  await assertAudited(
    fleet.first,
    clients.all.map(({ client }) => client),
  );
  await fleet.first.assertLakeWhole();
  await fleet.first.assertAuditWhole();
}

function report(error: unknown, options: DayOptions, journal: Journal, fleet: Fleet): string {
  const { seed, seconds, people, awayMs } = options;
  const message = error instanceof Error ? error.message : String(error);
  const [client = ''] = /^c\d+(?=:)/.exec(message) ?? [];
  const [request] = /(?<="requestId":")[^"]+/.exec(message) ?? [];
  const logs = fleet.folders.map((folder, at) => {
    const log = readFileSync(join(folder, 'server.log'), 'utf8');
    const lines = log.split('\n').filter((line) => request !== undefined && line.includes(request));
    return [`\nLog of process ${at}:`, ...lines, '…', log.slice(-logTailBytes)].join('\n');
  });
  return [
    message,
    `\nAgain: npm run torture -- --day --seed ${seed} --seconds ${seconds} --people ${people} --away ${awayMs / 1000}`,
    `\nDone: ${journal.counts}`,
    '\nThe last faults:',
    ...journal.linesOf(''),
    `\nThe last acts of ${client}:`,
    ...journal.linesOf(client),
    ...logs,
  ].join('\n');
}
