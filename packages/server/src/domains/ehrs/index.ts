import type { Pages } from '../../api/paging.ts';
import type { Route } from '../../api/route.ts';
import type { Jobs } from '../../platform/jobs/jobs.ts';
import type { PlatformLog } from '../../platform/records/log.ts';
import type { Projects } from '../files/projects/index.ts';
import { checkRoute } from './check-routes.ts';
import { Ehrs } from './ehrs.ts';
import { jwksRoutes } from './jwks-routes.ts';
import { ehrRoutes } from './routes.ts';
import { DueSyncs } from './sync/due-syncs.ts';
import { pruneSyncs } from './sync/prune-syncs.ts';
import { runSyncs, type SyncDeps, type SyncLimits } from './sync/run-sync.ts';
import { syncRoutes } from './sync/sync-routes.ts';
import { Syncs } from './sync/syncs.ts';

export { sealedEhrs } from './ehr.ts';
export { ehrRemovers } from './removal.ts';

interface EhrDeps extends SyncDeps {
  jobs: Jobs;
  log: PlatformLog;
  pages: Pages;
  projects: Projects;
  publicUrl: () => string;
}

/** Connects the EHR components: routes, the sync job, scheduled syncs, and pruning. */
export function openEhrs(
  deps: EhrDeps,
  limits: SyncLimits,
): { routes: Route[]; due: () => Promise<void>; sweep: (signal: AbortSignal) => Promise<void> } {
  const ehrs = new Ehrs(deps);
  const syncs = new Syncs(deps);
  ehrs.deleted.push((tx, id) => syncs.removeOf(tx, id));
  deps.jobs.handle(runSyncs(deps, limits));
  const due = new DueSyncs({ ...deps, syncs });
  return {
    routes: [
      ...ehrRoutes({ ...deps, ehrs }),
      ...jwksRoutes(ehrs),
      checkRoute({ ...deps, ehrs }),
      ...syncRoutes({ ...deps, ehrs, syncs }),
    ],
    due: () => due.begin(),
    sweep: (signal) => pruneSyncs(deps.records, signal),
  };
}
