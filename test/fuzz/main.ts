/**
 * `npm run fuzz -- --seconds 600 --seed 7`: tests a service of its own, on SQLite and, if available, on PostgreSQL. It asks for
 * all that the API document allows and much that it does not. Each finding is printed with its seed, its number and as a curl
 * command.
 */
import { parseArgs } from 'node:util';
import { openTestApp } from '../support/app.ts';
import { postgresSkip, startPostgres } from '../support/postgres.ts';
import { Campaign, heldBytes, summary } from './campaign.ts';
import { operations } from './document.ts';
import { fuzzSettings } from './settings.ts';
import { FuzzWorld } from './world.ts';

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '60' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    store: { type: 'string' },
    statuses: { type: 'boolean', default: false },
  },
});
const seconds = Number(values.seconds);
const seed = Number(values.seed);
const say = (line: string): void => void process.stdout.write(`${line}\n`);
/** Number of requests that asks each operation a few times. */
const perRound = operations.length * 4;

async function run(store: string, settings: Record<string, string>, runMs: number): Promise<boolean> {
  const app = await openTestApp({ ...fuzzSettings, ...settings });
  const campaign = new Campaign(await FuzzWorld.open(app, 'fuzz'), seed);
  say(`${store}: seed ${seed}, ${seconds} s`);
  try {
    for (const end = Date.now() + runMs; Date.now() < end; ) {
      const known = campaign.findings.length;
      await campaign.send(perRound);
      const fresh = campaign.findings.slice(known);
      if (fresh.length > 0) say(summary(fresh));
      const held = Math.round(heldBytes() / 2 ** 20);
      const resident = Math.round(process.memoryUsage.rss() / 2 ** 20);
      say(`${store}: ${campaign.sent} requests, held ${held} MiB, resident ${resident} MiB`);
    }
    const alive = (await app.call('GET', '/readyz', { key: undefined, account: undefined })).status === 200;
    const reached = `${campaign.reached} of ${operations.length} operations answered with success`;
    say(`${store}: ${campaign.sent} requests, ${campaign.findings.length} findings, ${reached}`);
    if (values.statuses) say(table(campaign));
    if (!alive) say(`${store}: the service is not ready any more`);
    return alive && campaign.findings.length === 0;
  } finally {
    campaign.close();
    await app.stop();
  }
}

function table({ statuses }: Campaign): string {
  const lines = [...statuses].map(([name, counts]) => {
    const reported = [...counts]
      .sort(([one], [other]) => one - other)
      .map(([status, count]) => `${status}×${count}`);
    return `${name}: ${reported.join(' ')}`;
  });
  return lines.sort().join('\n');
}

const stores = ['sqlite', 'postgres'].filter((store) => (values.store ?? store) === store);
let well = true;
for (const store of stores) {
  const runMs = (seconds * 1000) / stores.length;
  if (store === 'sqlite') well = (await run(store, {}, runMs)) && well;
  else if (postgresSkip) say(`postgres: left out, ${postgresSkip}`);
  else {
    const database = await startPostgres();
    well = (await run(store, { PLOIDY_DATABASE_URL: database.url }, runMs)) && well;
    await database.stop();
  }
}
process.exitCode = well ? 0 : 1;
