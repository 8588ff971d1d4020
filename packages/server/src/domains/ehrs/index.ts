import type { Pages } from '../../paging.ts';
import type { Jobs } from '../../platform/jobs/jobs.ts';
import type { PlatformLog } from '../../platform/records/log.ts';
import type { Route } from '../../route.ts';
import type { Projects } from '../projects/index.ts';
import { DueSyncs } from './due-syncs.ts';
import { Ehrs } from './ehrs.ts';
import { jwksRoutes } from './jwks-routes.ts';
import { pruneSyncs } from './prune-syncs.ts';
import { ehrRoutes } from './routes.ts';
import { runSyncs, type SyncLimits, type SyncParts } from './run-sync.ts';
import { syncRoutes } from './sync-routes.ts';
import { Syncs } from './syncs.ts';

export { sealedEhrs } from './ehr.ts';
export { ehrRemovers } from './removal.ts';

export interface EhrParts extends SyncParts {
  jobs: Jobs;
  log: PlatformLog;
  pages: Pages;
  projects: Projects;
  publicUrl: () => string;
}

/** Puts the EHR systems together: their routes, the job that pulls, what begins the syncs that are due, what forgets old ones. */
export function openEhrs(
  parts: EhrParts,
  limits: SyncLimits,
): { routes: Route[]; due: () => Promise<void>; sweep: (signal: AbortSignal) => Promise<void> } {
  const ehrs = new Ehrs(parts);
  const syncs = new Syncs(parts);
  ehrs.deleted.push((tx, id) => syncs.removeOf(tx, id));
  parts.jobs.handle(runSyncs(parts, limits));
  const due = new DueSyncs({ ...parts, syncs });
  return {
    routes: [...ehrRoutes({ ...parts, ehrs }), ...jwksRoutes(ehrs), ...syncRoutes({ ...parts, ehrs, syncs })],
    due: () => due.begin(),
    sweep: (signal) => pruneSyncs(parts.records, signal),
  };
}
