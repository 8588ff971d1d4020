import type { Config } from '../../config/config.ts';
import { type JobClass, type PlaceLimits, Places } from '../../platform/jobs/index.ts';

const never = Number.POSITIVE_INFINITY;
const plain = { shortMax: 0, shortMs: never, yieldMs: never };

/** Places of the classes in this process. Those of queries are also taken by requests for rows, without a job. */
export function placesOf(config: Config): Record<JobClass, Places> {
  const { queriesMax, ingestionsMax, yieldMs } = config;
  const limits: Record<JobClass, PlaceLimits> = {
    'sign-in': { max: 2, ...plain },
    // A slow server of mail blocks no other work.
    mail: { max: 4, ...plain },
    // One webhook takes one place, however slow its receiver is.
    webhook: { max: 4, ...plain },
    removal: { max: 2, ...plain },
    query: {
      ...{ max: queriesMax, shortMax: Math.floor(queriesMax / 2) },
      ...{ shortMs: config.queryShortMs, yieldMs, ofUserMax: config.userQueriesMax },
    },
    // Two more: one for files that take a minute, one for those that take a second.
    ingestion: {
      ...{ max: ingestionsMax + 2, shortMax: 2, yieldMs: never },
      small: { max: 1, bytes: config.ingestionSmallBytes, ms: config.ingestionSmallMs },
      ...{ shortBytes: config.ingestionShortBytes, shortMs: config.ingestionShortMs },
    },
    // Mostly waiting for other systems; one that yields goes on where it was.
    sync: { max: 6, ...plain, yieldMs },
    // Merges of two tables, or one beside other upkeep.
    background: { max: 2, ...plain, yieldMs },
  };
  const entries = Object.entries(limits).map(([name, ofClass]) => [name, new Places(ofClass)]);
  return Object.fromEntries(entries) as Record<JobClass, Places>;
}
