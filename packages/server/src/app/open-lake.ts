import type { Engine, TrinoAddress } from '@ploidy/engine';
import type { Pages } from '../api/paging.ts';
import type { Route } from '../api/route.ts';
import type { Config } from '../config/config.ts';
import type { AddressUses, Audit } from '../domains/audit/index.ts';
import { externalTickets, type LaunchPatients } from '../domains/authentication/oauth/index.ts';
import type { Files, Transfers, Uploads } from '../domains/files/index.ts';
import type { Projects } from '../domains/files/projects/index.ts';
import { assistantsOf } from '../domains/identity/accounts/index.ts';
import type { Holders, SignedAddresses } from '../domains/identity/addresses/index.ts';
import type { Callers } from '../domains/identity/callers/index.ts';
import { fillConsequences, type Ingestions, runIngestions } from '../domains/ingestion/index.ts';
import {
  type AnnotationWork,
  annotateSegments,
  annotationSourceRoutes,
  announceReleases,
  compactLakes,
  deriveLakes,
  IcebergTables,
  Lake,
  ProjectReaders,
  queueCompactions,
  type RowRights,
  readerRoutes,
  requestDerivations,
  SampleList,
  type ServiceAnnotations,
  SourceList,
  sampleRoutes,
  sweepAnnotated,
  sweepSegments,
} from '../domains/lake/index.ts';
import {
  Audiences,
  assistantRoutes,
  Beacon,
  beaconRoutes,
  Exports,
  exportRoutes,
  makeCopies,
  Objects,
  OpenCatalogue,
  objectRoutes,
  openRoutes,
  phenopacketRoute,
  ReadingGrants,
  runStatements,
  SegmentUrls,
  Statements,
  sweepCopies,
  TableCopies,
  trinoRoutes,
} from '../domains/protocols/index.ts';
import {
  DirectRows,
  lakeRoutes,
  Queries,
  ReadingTokens,
  RemoteQueries,
  type RemoteQueryDeps,
  ResultRows,
  remoteRoutes,
  reportRoutes,
  resultRoutes,
  runQueries,
  SavedQueries,
  savedQueryRoutes,
} from '../domains/queries/index.ts';
import type { Blobs } from '../platform/blobs/index.ts';
import type { Jobs, Places } from '../platform/jobs/index.ts';
import type { Logger } from '../platform/log/log.ts';
import type { Records } from '../platform/records/index.ts';
import type { Secrets } from '../platform/secrets/index.ts';
import { StampedTokens } from '../platform/secrets/stamped-tokens.ts';
import { activityRoute } from './activity.ts';
import type { Sweep } from './maintenance/maintenance.ts';
import { openCohorts } from './open-cohorts.ts';
import { openFhir } from './open-fhir.ts';

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
  holders: Holders;
  addresses: SignedAddresses;
  uses: AddressUses;
  projects: Projects;
  files: Files;
  uploads: Uploads;
  transfers: Transfers;
  pages: Pages;
  publicUrl: () => string;
  annotationWork: AnnotationWork;
  serviceAnnotations: ServiceAnnotations;
  rights: RowRights;
  ingestions: Ingestions;
}

interface OpenedLake {
  /** Patients that users may choose for the apps that they start. */
  patients: LaunchPatients;
  routes: Route[];
  sweeps: Sweep[];
  /** Work repeated every few seconds. */
  watches: (() => Promise<unknown>)[];
}

/** Composes the lake: ingestion, queries, maintenance. */
export function openLake(platform: LakePlatform): OpenedLake {
  const { config, records, blobs, engine, jobs, audit, secrets, callers, projects, pages, rights } = platform;
  const { countsMin } = config;
  const { annotationWork, serviceAnnotations } = platform;
  const lake = new Lake({ records, blobs, maskKey: secrets.derive('masks'), serviceAnnotations });
  const cohorts = openCohorts({ ...platform, lake });
  const { recountProject: recountCohorts } = cohorts;
  const tokens = new ReadingTokens(secrets.derive('remote-readings'));
  const remoteQueries =
    config.engineUrl && openRemote({ ...platform, lake, tokens }, config.engineUrl, config);
  const queries = new Queries({ records, engine, jobs, audit, lake, rights }, config);
  const runDeps = {
    ...{ records, engine, blobs, lake, audit, callers, countsMin, rights, remoteQueries },
    ...{ annotationWork, serviceAnnotations, recountCohorts, files: platform.files },
  };
  const rows = new DirectRows({ ...runDeps, queries, queryPlaces: platform.queryPlaces, pages });
  const merging = { filesMin: config.compactionFiles, rowsMax: config.compactionRowsMax };
  jobs.handle(runQueries(runDeps));
  const statements = new Statements({ ...runDeps, queries, jobs }, config);
  jobs.handle(runStatements(runDeps));
  jobs.handle(runIngestions({ ...runDeps, jobs }));
  jobs.handle(fillConsequences(platform));
  jobs.handle(annotateSegments(platform));
  jobs.handle(announceReleases(platform));
  jobs.handle(deriveLakes(platform));
  jobs.handle(compactLakes(runDeps, merging));
  const copyLimits = { ...config, outputMaxBytes: config.queryResultBytes };
  jobs.handle(makeCopies(runDeps, copyLimits));
  const fhir = openFhir({ ...platform, lake, countsMin, groupsOf: cohorts.groupsOf });
  return {
    patients: fhir.patients,
    routes: [
      ...openDoor({ ...platform, lake, recountCohorts }),
      ...lakeRoutes({ lake, queries, rows, projects, pages, rights, countsMin }),
      ...resultRoutes({ ...platform, resultRows: new ResultRows(platform) }),
      ...sampleRoutes({ samples: new SampleList({ records, blobs, engine, audit }), projects, pages }),
      ...readerRoutes({
        readers: new ProjectReaders({ records, callers, countsMin }),
        lake,
        projects,
        pages,
      }),
      ...annotationSourceRoutes({ sources: new SourceList(platform), projects, pages }),
      phenopacketRoute({ lake, rows, projects, countsMin }),
      ...beaconRoutes({
        beacon: new Beacon({ records, lake, rows, countsMin, beaconTimeMs: config.beaconTimeMs }),
        isOn: config.beacon,
        publicUrl: platform.publicUrl,
      }),
      ...assistantRoutes({
        ...{ audit, publicUrl: platform.publicUrl, allowedOrigins: config.allowedOrigins },
        ...{ isOn: config.assistants, hasConsole: config.console },
        modeOf: (account) => assistantsOf(records.read, account),
      }),
      ...exportRoutes({
        ...{ records, lake, rows, projects, countsMin, publicUrl: platform.publicUrl },
        exports: new Exports({ ...platform, queries }),
        cohortNeeds: cohorts.cohortNeeds,
      }),
      ...fhir.routes,
      ...savedQueryRoutes({ savedQueries: new SavedQueries({ records, audit }, 'query'), projects, pages }),
      ...reportRoutes({ reports: new SavedQueries({ records, audit }, 'report'), projects, pages }),
      ...trinoRoutes({
        ...{ statements, blobs, publicUrl: platform.publicUrl, uses: platform.uses },
        segmentUrls: new SegmentUrls(platform.addresses),
        tickets: new StampedTokens(secrets.derive(externalTickets)),
      }),
      ...cohorts.routes,
      activityRoute({ ...platform, queries, cohorts: cohorts.cohorts }),
      ...remoteRoutes({ records, lake, icebergTables: new IcebergTables(blobs), tokens }),
    ],
    sweeps: [
      (signal) => sweepCopies(records, blobs, signal),
      (signal) => sweepSegments(records, blobs, signal),
      (signal) => sweepAnnotated(platform, signal),
      (signal) => requestDerivations(platform, signal),
    ],
    watches: [() => queueCompactions(records, jobs, merging), () => statements.tidy()],
  };
}

/** Opens the Iceberg catalogue for readers outside. */
function openDoor(
  deps: LakePlatform & {
    lake: Lake;
    recountCohorts: (id: string, signal: AbortSignal) => Promise<void>;
  },
): Route[] {
  const { config, records, blobs, jobs, lake, secrets, publicUrl, projects, rights, recountCohorts } = deps;
  const { countsMin, signedUrlLifeMs: grantLifeMs } = config;
  const grants = new ReadingGrants(secrets);
  const objects = new Objects(blobs, grants);
  const audiences = new Audiences({ lake, rights });
  const copies = new TableCopies({ records, jobs }, config);
  const catalogue = new OpenCatalogue({ records, lake, objects, copies, countsMin, recountCohorts });
  const projectExists = async (id: string) => (await projects.find(id)) !== undefined;
  return [
    ...openRoutes({ catalogue, audiences, grants, publicUrl, grantLifeMs }),
    ...objectRoutes({ ...deps, objects, audiences, grants, countsMin, projectExists }),
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
