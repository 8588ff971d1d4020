import type { Config } from '../../config/config.ts';
import type { Logger } from '../../platform/log/log.ts';
import type { Records } from '../../platform/records/index.ts';
import { Duty } from './duty.ts';
import { Maintenance, type Sweep } from './maintenance.ts';

/** Interval of the sweeps. */
const sweepEveryMs = 10 * 60_000;
/** Maximum delay of a due sync, and of the discovery of bytes that a client put into the store. */
const watchEveryMs = 5000;
/** Intervals for which a process keeps periodic work, after which another takes over. */
const leaseOfRuns = 3;

/** Periodic work. One process does the first three kinds for all, each process the others. */
interface Chores {
  sweeps: readonly Sweep[];
  /** Deletions that may be due. */
  due: readonly Sweep[];
  /** Work repeated every few seconds. */
  watches: readonly Sweep[];
  ownSweeps: readonly Sweep[];
  ownWatches: readonly Sweep[];
}

interface ChoreDeps {
  config: Config;
  log: Logger;
  records: Records;
}

/** Plans the periodic work of a process by its roles. */
export function maintenanceOf({ config, log, records }: ChoreDeps, chores: Chores): Maintenance[] {
  const shared = (name: string, sweeps: readonly Sweep[], everyMs: number): Maintenance =>
    new Maintenance(log, sweeps, everyMs, new Duty(records, name, everyMs * leaseOfRuns));
  return [
    ...(config.roles.has('maintenance')
      ? [
          shared('sweeps', chores.sweeps, sweepEveryMs),
          shared('deletions', chores.due, config.deletionCheckMs),
          shared('watches', chores.watches, watchEveryMs),
        ]
      : []),
    new Maintenance(log, chores.ownSweeps, sweepEveryMs),
    new Maintenance(log, chores.ownWatches, watchEveryMs),
  ];
}
