/**
 * `npm run torture`: five minutes on SQLite and five on PostgreSQL.
 * `-- --seconds 120 --store sqlite --seed 7`: as long, on that store, with these choices; the moments are never quite the same.
 * `-- --day --seconds 1200`: fifty people on three processes on PostgreSQL and S3; `--away 60`: seconds for which a store is away.
 */
import { parseArgs } from 'node:util';
import { postgresSkip } from '../support/postgres.ts';
import { type DayOptions, day } from './day.ts';
import { type TortureOptions, torture } from './torture.ts';

const usage =
  'npm run torture -- [--seconds 300] [--seed NUMBER] [--store sqlite|postgres|both | --day [--people 50] [--away 10]]\n';
const secondsByDefault = 300;

process.exitCode = await main();

async function main(): Promise<number> {
  const runs = runsOrUndefined();
  if (runs === undefined) {
    process.stderr.write(usage);
    return 2;
  }
  for (const { what, run } of runs) {
    if (!what.startsWith('sqlite') && postgresSkip !== false) {
      process.stderr.write(`Not on PostgreSQL: ${postgresSkip}\n`);
      return 1;
    }
    process.stdout.write(`${what}\n`);
    try {
      process.stdout.write(`Nothing was lost. ${await run()}\n`);
    } catch (error) {
      process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
      return 1;
    }
  }
  return 0;
}

interface Run {
  what: string;
  run: () => Promise<string>;
}

function runsOrUndefined(): Run[] | undefined {
  try {
    const text = { type: 'string' } as const;
    const { values } = parseArgs({
      options: { seed: text, seconds: text, store: text, people: text, away: text, day: { type: 'boolean' } },
    });
    const seed = Number(values.seed ?? Math.floor(Math.random() * 1_000_000));
    const seconds = Number(values.seconds ?? secondsByDefault);
    const [people, awayS] = [Number(values.people ?? 50), Number(values.away ?? 10)];
    if (!(Number.isSafeInteger(seed) && seconds > 0 && people > 0 && awayS > 0)) return undefined;
    const what = `${seconds} s, seed ${seed}`;
    if (values.day) {
      const options: DayOptions = { seed, seconds, people, awayMs: awayS * 1000 };
      return [{ what: `${people} people, ${what}`, run: () => day(options) }];
    }
    const stores = (['sqlite', 'postgres'] as const).filter((one) =>
      [one, 'both'].includes(values.store ?? 'both'),
    );
    if (stores.length === 0) return undefined;
    return stores.map((store) => {
      const options: TortureOptions = { seed, seconds, store };
      return { what: `${store}, ${what}`, run: () => torture(options) };
    });
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}
