import type { Config } from './config.ts';
import type { Audit } from './domains/audit/index.ts';
import type { Callers } from './domains/callers/index.ts';
import { runIngestions } from './domains/ingest/index.ts';
import {
  type AnnotationWork,
  annotateSegments,
  compactLakes,
  EarlyRuns,
  Lake,
  lakeRoutes,
  Queries,
  queueCompactions,
  runQueries,
  type ServiceAnnotations,
  sweepAnnotated,
  sweepSegments,
} from './domains/lake/index.ts';
import type { Projects } from './domains/projects/index.ts';
import type { Logger } from './log.ts';
import type { Sweep } from './maintenance.ts';
import { openCohorts } from './open-cohorts.ts';
import type { Pages } from './paging.ts';
import type { Blobs } from './platform/blobs/index.ts';
import type { Engine } from './platform/engine/index.ts';
import type { Jobs } from './platform/jobs/index.ts';
import type { Records } from './platform/records/index.ts';
import type { Secrets } from './platform/secrets/index.ts';
import type { Route } from './route.ts';

interface LakePlatform {
  config: Config;
  log: Logger;
  records: Records;
  blobs: Blobs;
  engine: Engine;
  jobs: Jobs;
  audit: Audit;
  secrets: Secrets;
  callers: Callers;
  projects: Projects;
  pages: Pages;
  annotationWork: AnnotationWork;
  serviceAnnotations: ServiceAnnotations;
}

export interface OpenedLake {
  routes: Route[];
  sweeps: Sweep[];
  /** To be done again and again, every few seconds. */
  watches: (() => Promise<unknown>)[];
}

/** Puts together the lake: what fills it, what asks it, what keeps it in order. */
export function openLake(platform: LakePlatform): OpenedLake {
  const { config, records, blobs, engine, jobs, audit, secrets, callers, projects, pages } = platform;
  const { countsMin } = config;
  const { annotationWork, serviceAnnotations } = platform;
  const lake = new Lake({ records, blobs, maskKey: secrets.derive('masks'), serviceAnnotations });
  const cohorts = openCohorts({ ...platform, lake });
  const { freshenProject: freshenCohorts } = cohorts;
  const earlyRuns = new EarlyRuns({ engine, blobs, lake });
  const queries = new Queries({ records, engine, jobs, audit, lake, earlyRuns }, config);
  const runParts = {
    ...{ records, engine, blobs, lake, audit, callers, countsMin },
    ...{ annotationWork, serviceAnnotations, freshenCohorts, earlyRuns },
  };
  const merging = { filesMin: config.compactionFiles, rowsMax: config.compactionRowsMax };
  jobs.handle(runQueries(runParts, config.queriesMax));
  jobs.handle(runIngestions(runParts, config.ingestionsMax));
  jobs.handle(annotateSegments(platform));
  jobs.handle(compactLakes(runParts, merging));
  return {
    routes: [...lakeRoutes({ lake, queries, projects, pages, countsMin }), ...cohorts.routes],
    sweeps: [(signal) => sweepSegments(records, blobs, signal), (signal) => sweepAnnotated(platform, signal)],
    watches: [() => queueCompactions(records, jobs, merging)],
  };
}
