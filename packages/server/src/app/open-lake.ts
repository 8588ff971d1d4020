import type { Engine, TrinoAddress } from '@ploidy/engine';
import type { Pages } from '../api/paging.ts';
import type { Route } from '../api/route.ts';
import type { Config } from '../config/config.ts';
import type { Audit } from '../domains/audit/index.ts';
import type { Files, Transfers } from '../domains/files/index.ts';
import type { Projects } from '../domains/files/projects/index.ts';
import type { Callers } from '../domains/identity/callers/index.ts';
import { runIngestions } from '../domains/ingestion/index.ts';
import {
  type AnnotationWork,
  annotateSegments,
  Beacon,
  beaconRoutes,
  compactLakes,
  DirectRows,
  Exports,
  exportRoutes,
  IcebergTables,
  Lake,
  lakeRoutes,
  Objects,
  OpenCatalogue,
  objectRoutes,
  openRoutes,
  phenopacketRoute,
  Queries,
  queueCompactions,
  ReadingGrants,
  ReadingTokens,
  RemoteQueries,
  type RemoteQueryDeps,
  remoteRoutes,
  runQueries,
  runStatements,
  SavedQueries,
  type ServiceAnnotations,
  Statements,
  savedQueryRoutes,
  sweepAnnotated,
  sweepSegments,
  trinoRoutes,
} from '../domains/lake/index.ts';
import type { Blobs } from '../platform/blobs/index.ts';
import type { Jobs, Places } from '../platform/jobs/index.ts';
import type { Logger } from '../platform/log/log.ts';
import type { Records } from '../platform/records/index.ts';
import type { Secrets } from '../platform/secrets/index.ts';
import type { Sweep } from './maintenance/maintenance.ts';
import { openCohorts } from './open-cohorts.ts';

interface LakePlatform {
  config: Config;
  log: Logger;
  records: Records;
  blobs: Blobs;
  engine: Engine;
  jobs: Jobs;
  queryPlaces: Places;
  audit: Audit;
  secrets: Secrets;
  callers: Callers;
  projects: Projects;
  files: Files;
  transfers: Transfers;
  pages: Pages;
  publicUrl: () => string;
  annotationWork: AnnotationWork;
  serviceAnnotations: ServiceAnnotations;
}

export interface OpenedLake {
  routes: Route[];
  sweeps: Sweep[];
  /** Work repeated every few seconds. */
  watches: (() => Promise<unknown>)[];
}

/** Composes the lake: ingestion, queries, maintenance. */
export function openLake(platform: LakePlatform): OpenedLake {
  const { config, records, blobs, engine, jobs, audit, secrets, callers, projects, pages } = platform;
  const { countsMin } = config;
  const { annotationWork, serviceAnnotations } = platform;
  const lake = new Lake({ records, blobs, maskKey: secrets.derive('masks'), serviceAnnotations });
  const cohorts = openCohorts({ ...platform, lake });
  const { recountProject: recountCohorts } = cohorts;
  const tokens = new ReadingTokens(secrets.derive('remote-readings'));
  const remoteQueries =
    config.engineUrl && openRemote({ ...platform, lake, tokens }, config.engineUrl, config);
  const queries = new Queries({ records, engine, jobs, audit, lake }, config);
  const runDeps = {
    ...{ records, engine, blobs, lake, audit, callers, countsMin, remoteQueries },
    ...{ annotationWork, serviceAnnotations, recountCohorts },
  };
  const rows = new DirectRows({ ...runDeps, queries, queryPlaces: platform.queryPlaces, pages });
  const merging = { filesMin: config.compactionFiles, rowsMax: config.compactionRowsMax };
  jobs.handle(runQueries(runDeps));
  const statements = new Statements({ ...runDeps, queries, jobs }, config);
  jobs.handle(runStatements(runDeps));
  jobs.handle(runIngestions(runDeps));
  jobs.handle(annotateSegments(platform));
  jobs.handle(compactLakes(runDeps, merging));
  return {
    routes: [
      ...openDoor({ ...platform, lake, queries, recountCohorts }),
      ...lakeRoutes({ lake, queries, rows, projects, pages, countsMin }),
      phenopacketRoute({ lake, rows, projects, countsMin }),
      ...beaconRoutes({
        beacon: new Beacon({ records, lake, rows, countsMin }),
        isOn: config.beacon,
        publicUrl: platform.publicUrl,
      }),
      ...exportRoutes({
        ...{ records, lake, rows, projects, countsMin, publicUrl: config.publicUrl },
        exports: new Exports({ ...platform, queries }),
        cohortNeeds: cohorts.cohortNeeds,
      }),
      ...savedQueryRoutes({ savedQueries: new SavedQueries({ records, audit }), projects, pages }),
      ...trinoRoutes({ statements, blobs, publicUrl: config.publicUrl }),
      ...cohorts.routes,
      ...remoteRoutes({ records, lake, icebergTables: new IcebergTables(blobs), tokens }),
    ],
    sweeps: [(signal) => sweepSegments(records, blobs, signal), (signal) => sweepAnnotated(platform, signal)],
    watches: [() => queueCompactions(records, jobs, merging), () => statements.tidy()],
  };
}

/** Opens the Iceberg catalogue for readers outside. */
function openDoor(
  deps: LakePlatform & {
    lake: Lake;
    queries: Queries;
    recountCohorts: (id: string, signal: AbortSignal) => Promise<void>;
  },
): Route[] {
  const { config, records, engine, blobs, lake, queries, queryPlaces, secrets, callers, projects } = deps;
  const { recountCohorts } = deps;
  const { countsMin, publicUrl } = config;
  const grants = new ReadingGrants(secrets);
  const objects = new Objects(blobs, grants);
  const limits = { runTimeMaxMs: config.queryTimeMs, outputMaxBytes: config.queryResultBytes };
  const shared = { records, engine, blobs, lake, queries, queryPlaces, objects, countsMin, recountCohorts };
  const projectExists = async (id: string) => (await projects.find(id)) !== undefined;
  return [
    ...openRoutes({ catalogue: new OpenCatalogue(shared, limits), grants, publicUrl }),
    ...objectRoutes({ objects, grants, blobs, callers, countsMin, projectExists }),
  ];
}

function openRemote(deps: RemoteQueryDeps, address: TrinoAddress, config: Config): RemoteQueries {
  return new RemoteQueries(deps, {
    address,
    bytesMin: config.engineBytesMin,
    runTimeMaxMs: config.queryTimeMs,
    // JSON has quotes and commas that CSV has not.
    resultBytesMax: config.queryResultBytes * 2,
  });
}
