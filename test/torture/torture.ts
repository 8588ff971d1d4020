import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { randomOf } from '../../samples/generator/random.ts';
import { MortalService } from '../crash/mortal-service.ts';
import { freePort } from '../support/free-port.ts';
import { startPrepared } from '../support/postgres.ts';
import { Clients } from './clients.ts';
import { assertAudited, assertLetGo, assertNothingLeft, untilQuiet } from './ends.ts';
import { Journal } from './journal.ts';
import { OneLife } from './life.ts';
import { heldBy } from './resources.ts';

export interface TortureOptions {
  seed: number;
  /** Milliseconds during which the clients work; verification follows. */
  seconds: number;
  store: 'sqlite' | 'postgres';
}

/** The part of the time in which the service itself is killed; in the rest only its processes are. */
const mortalPart = 0.7;
/** Warm-up milliseconds of the last service before its resources are measured: compiled code, caches. */
const warmingPart = 0.1;
const logTailBytes = 6000;

/**
 * Clients do everything at once against a service that is killed at random moments. Rejects when something acknowledged is
 * missing, something undone is visible, or something is left; the message has the seed, the last acts and the end of the log.
 * Answers how often everything was done.
 */
export async function torture(options: TortureOptions): Promise<string> {
  const journal = new Journal();
  const database = options.store === 'postgres' ? await startPrepared() : undefined;
  const service = await MortalService.start({
    // The address is the issuer of the tokens: it stays over all lives.
    PLOIDY_PORT: String(await freePort()),
    PLOIDY_COMPACTION_FILES: '3',
    PLOIDY_INGESTIONS_MAX: '2',
    PLOIDY_JOB_LEASE: '3s',
    // Ten minutes of it are more than an hour of people.
    PLOIDY_INVITATIONS_PER_HOUR: '100000',
    ...(database && { PLOIDY_DATABASE_URL: database.url }),
  });
  try {
    await run(new OneLife(service, journal), options, journal);
    return journal.counts;
  } catch (error) {
    throw new Error(report(error, options, journal, service), { cause: error });
  } finally {
    await service.end();
    await database?.stop();
  }
}

async function run(life: OneLife, { seed, seconds }: TortureOptions, journal: Journal): Promise<void> {
  const { service } = life;
  const random = randomOf(seed, 'victims');
  const clients = await Clients.gather(life, journal, seed);
  const verify = async (): Promise<void> => {
    await untilQuiet(service);
    await clients.verify();
  };
  await besides(clients.work(seconds * mortalPart), () => life.suffer(random, 0.4));
  await verify();

  const { deaths } = service;
  await besides(clients.work(seconds * warmingPart), () => life.suffer(random, 0));
  await verify();
  const held = heldBy(service);
  await besides(clients.work(seconds * (1 - mortalPart - warmingPart)), () => life.suffer(random, 0));
  await verify();
  if (service.deaths !== deaths) throw new Error('The service died by itself.');

  await assertAudited(
    service,
    clients.all.map(({ client }) => client),
  );
  await assertNothingLeft(life);
  await clients.verify();
  await service.assertLakeWhole();
  await service.assertAuditWhole();
  await assertLetGo(service, held);
}

/** Does something again and again, at random moments, while work goes on. */
export async function besides(work: Promise<void>, act: () => Promise<void>): Promise<void> {
  let goesOn = true;
  const acting = (async () => {
    while (goesOn) await act();
  })();
  // Its failure is thrown when the work has ended.
  acting.catch(() => undefined);
  try {
    await work;
  } finally {
    goesOn = false;
    await acting;
  }
}

function report(error: unknown, options: TortureOptions, journal: Journal, service: MortalService): string {
  const { seed, seconds, store } = options;
  const log = readFileSync(join(service.folder, 'server.log'), 'utf8');
  return [
    `${error instanceof Error ? error.message : error}`,
    `\nAgain: npm run torture -- --seed ${seed} --seconds ${seconds} --store ${store}`,
    `\nDone: ${journal.counts}`,
    '\nThe last acts:',
    ...journal.lines,
    '\nThe end of the log:',
    log.slice(-logTailBytes),
  ].join('\n');
}
