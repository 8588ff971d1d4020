/**
 * `npm run torture`: five minutes on SQLite and five on PostgreSQL.
 * `-- --seconds 120 --store sqlite --seed 7`: as long, on that store, with these choices; the moments are never quite the same.
 */
import { parseArgs } from 'node:util';
import { postgresSkip } from '../support/postgres.ts';
import { type TortureOptions, torture } from './torture.ts';

const usage = 'npm run torture -- [--seconds 300] [--store sqlite|postgres|both] [--seed NUMBER]\n';
const secondsByDefault = 300;

process.exitCode = await main();

async function main(): Promise<number> {
  const options = optionsOrUndefined();
  if (options === undefined) {
    process.stderr.write(usage);
    return 2;
  }
  for (const one of options) {
    const { seed, seconds, store } = one;
    if (store === 'postgres' && postgresSkip !== false) {
      process.stderr.write(`Not on PostgreSQL: ${postgresSkip}\n`);
      return 1;
    }
    process.stdout.write(`${store}, ${seconds} s, seed ${seed}\n`);
    try {
      process.stdout.write(`Nothing was lost. ${await torture(one)}\n`);
    } catch (error) {
      process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
      return 1;
    }
  }
  return 0;
}

function optionsOrUndefined(): TortureOptions[] | undefined {
  try {
    const { values } = parseArgs({
      options: { seed: { type: 'string' }, seconds: { type: 'string' }, store: { type: 'string' } },
    });
    const seed = Number(values.seed ?? Math.floor(Math.random() * 1_000_000));
    const seconds = Number(values.seconds ?? secondsByDefault);
    const stores = (['sqlite', 'postgres'] as const).filter((one) =>
      [one, 'both'].includes(values.store ?? 'both'),
    );
    if (!(Number.isSafeInteger(seed) && seconds > 0) || stores.length === 0) return undefined;
    return stores.map((store) => ({ seed, seconds, store }));
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}
