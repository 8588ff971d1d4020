import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Engine } from '@ploidy/engine';
import type { FastifyInstance } from 'fastify';
import { Pages } from '../api/paging.ts';
import type { Route } from '../api/route.ts';
import { pathOf } from '../base/public-path.ts';
import { storeOrigins } from '../config/blobs.ts';
import type { Config } from '../config/config.ts';
import { syncLimits } from '../config/ehrs.ts';
import { auditRoutes } from '../domains/audit/index.ts';
import { openInvitations } from '../domains/authentication/invitations/index.ts';
import { keyRoutes } from '../domains/authentication/keys/index.ts';
import type { LaunchPatients } from '../domains/authentication/oauth/index.ts';
import { type FirstRun, setUp } from '../domains/authentication/setup/index.ts';
import { queueLostRemovals, Removals, runRemovals } from '../domains/deletion/index.ts';
import { openEhrs } from '../domains/ehrs/index.ts';
import type { FileDeps } from '../domains/files/index.ts';
import {
  isInView,
  ProjectDeletion,
  Projects,
  projectExists,
  projectLookup,
  projectRoutes,
} from '../domains/files/projects/index.ts';
import { sweepReferences } from '../domains/genomics/datasets/index.ts';
import { AccountDeletion, Accounts, accountRoutes } from '../domains/identity/accounts/index.ts';
import { SignedAddresses } from '../domains/identity/addresses/index.ts';
import { Groups } from '../domains/identity/groups/index.ts';
import {
  Evaluation,
  evaluationRoutes,
  Previews,
  policyRoutes,
  StoredPolicies,
} from '../domains/identity/policies/index.ts';
import { Ingestions, ingestionRoutes } from '../domains/ingestion/index.ts';
import { AnnotationWork, ownTablesAt, RowRights, ServiceAnnotations } from '../domains/lake/index.ts';
import { openEvents } from '../domains/protocols/events/index.ts';
import { Authentication, type Credentials } from '../http/access/authentication.ts';
import { Gate } from '../http/access/gate.ts';
import { Idempotency } from '../http/access/idempotency.ts';
import { RateLimit } from '../http/access/rate-limit.ts';
import { Refusals } from '../http/access/refusals.ts';
import { Visitors } from '../http/access/visitors.ts';
import { LoadShedding } from '../http/connection/load-shedding.ts';
import { Waits } from '../http/connection/waits.ts';
import { Metrics } from '../http/metrics.ts';
import { untilStopped } from '../http/readiness.ts';
import { buildServer } from '../http/server.ts';
import { serviceRoutes } from '../http/service-routes.ts';
import { doAll } from '../platform/concurrency/do-all.ts';
import type { Logger } from '../platform/log/log.ts';
import type { Core } from './core.ts';
import { fileListeners } from './file-listeners.ts';
import { changedKeyWatch } from './maintenance/changed-key.ts';
import { maintenanceOf } from './maintenance/chores.ts';
import { endLostWork } from './maintenance/lost-work.ts';
import type { Sweep } from './maintenance/maintenance.ts';
import { newerRecordsWatch } from './maintenance/newer-records.ts';
import { removersOf } from './maintenance/removers.ts';
import { openFiles } from './open-files.ts';
import { openGenomics } from './open-genomics.ts';
import { openIdentity } from './open-identity.ts';
import { openLake } from './open-lake.ts';
import { openPeople } from './open-people.ts';
import { openPlatform, type Platform } from './open-platform.ts';
import { referencePages } from './reference/pages.ts';
import { Address, listenError } from './start/address.ts';
import { openProbes } from './start/probes.ts';

/** Build of packages/console. */
const consoleFolder = dirname(fileURLToPath(import.meta.resolve('@ploidy/console')));
/** Connections that wait to be accepted; the system may allow fewer. */
const backlog = 4096;

/** Composed service. */
export interface App {
  server: FastifyInstance;
  /** Platform of the service, for other work in its process: what is written through it is known to the next request. */
  core: Core;
  /**
   * Listens and starts the jobs. Returns the address, and on the first start the information for its
   * operator.
   */
  start(): Promise<{ baseUrl: string; probesUrl?: string; firstRun: FirstRun | undefined }>;
  /** Lets requests in flight finish, returns leases, closes everything. */
  stop(): Promise<void>;
  /** Resolves when the service must not continue. */
  failed: Promise<Error>;
}

/** Composes the service: config → platform → domains → http. `given`: an engine that outlives the service. */
export async function createApp(config: Config, log: Logger, given?: Engine): Promise<App> {
  const closers: (() => Promise<void> | void)[] = [];
  const close = (): Promise<void> => doAll(closers.toReversed());
  try {
    const platform = await openPlatform(config, log, closers, given);
    const address = new Address(config);
    const { routes, sweeps, due, watches, credentials, endWaits } = openDomains(platform, address);
    const idempotency = new Idempotency(platform.records, platform.secrets, log);
    if (config.databaseUrl === '') await idempotency.releaseInterrupted();
    const isApi = config.roles.has('api');
    const metrics = new Metrics(platform);
    const refusals = new Refusals(platform.audit);
    const limits = { delayMs: config.overloadDelayMs, requestsMax: config.requestsMax };
    const { ready, stop: beUnready } = untilStopped(platform.ready);
    const served = [...(isApi ? routes : []), ...serviceRoutes(ready, metrics)];
    const server = await buildServer({
      config,
      console: { folder: consoleFolder, storeOrigins: storeOrigins(config) },
      log,
      routes: served,
      pages: referencePages(served),
      ...openGate(platform, refusals, credentials),
      idempotency,
      metrics,
      shedding: new LoadShedding(limits, log, metrics.registry),
      waits: new Waits(config.requestsMax, metrics.registry),
    });
    const swept = [...sweeps, () => idempotency.sweep()];
    const { promise: failed, resolve: fail } = Promise.withResolvers<Error>();
    const shared =
      config.databaseUrl === ''
        ? []
        : [newerRecordsWatch(platform.records, fail), changedKeyWatch(platform, fail)];
    const repeated = maintenanceOf(platform, {
      ...{ sweeps: swept, due, watches },
      ownSweeps: [() => platform.blobs.sweepLocal()],
      ownWatches: [...shared, () => refusals.flushDue(), () => platform.uses.flushDue()],
    });
    return {
      server,
      core: platform,
      failed,
      start: async () => {
        const { host, port } = config;
        const listening = server.listen({ host, port, backlog }).catch((error: unknown) => {
          throw listenError(error, config);
        });
        const baseUrl = address.listening(await listening);
        const probesUrl = await openProbes({ config, log, metrics, ready }, closers);
        const firstRun = await setUp(platform, { dataFolder: config.dataFolder, baseUrl });
        await warnOfMissing(platform);
        await platform.jobs.start();
        for (const one of repeated) one.start();
        return { baseUrl, ...(probesUrl !== undefined && { probesUrl }), firstRun };
      },
      stop: async () => {
        beUnready();
        for (const end of endWaits) end();
        const ends = [
          server.close(),
          platform.jobs.stop(),
          ...repeated.map((one) => one.stop(config.shutdownMs)),
        ];
        await Promise.allSettled(ends);
        for (const events of [refusals, platform.uses])
          await events
            .flush()
            .catch((error: unknown) => log.error({ err: error }, 'audit events were not counted'));
        await doAll([() => Promise.all(ends), close]);
      },
    };
  } catch (error) {
    await close().catch((other: unknown) => log.error({ err: other }, 'not all was closed'));
    throw error;
  }
}

/** Opens the domains, which share the platform. */
export function openDomains(
  platform: Platform,
  address: Address,
): { routes: Route[]; credentials: Credentials; endWaits: (() => void)[] } & Record<
  'sweeps' | 'due' | 'watches',
  Sweep[]
> {
  const { config, log, records, secrets, audit, blobs, jobs, keys } = platform;
  const pages = new Pages(secrets);
  const groups = new Groups(records, audit);
  const accounts = new Accounts(records, audit, groups, config.accountsPerUser);
  const projects = new Projects(records, audit, config.projectsPerAccount);
  const removals = new Removals(jobs);
  const projectDeletion = new ProjectDeletion({ records, audit, removals, log }, config.deletionGraceMs);
  const accountDeletion = new AccountDeletion(
    {
      records,
      audit,
      removals,
      log,
      removeProjects: (tx, account) => projectDeletion.removeWithAccount(tx, account),
    },
    config.deletionGraceMs,
  );
  const serviceAnnotations = new ServiceAnnotations(config.annotationProject);
  const annotationWork = new AnnotationWork(jobs, serviceAnnotations);
  const ingestions = new Ingestions({ records, jobs, audit });
  const rights = new RowRights(secrets.derive('masks'), config.countsMin, (project) =>
    ownTablesAt(records.read, project),
  );
  const listeners = fileListeners(platform, ingestions, annotationWork, rights);
  const fileDeps: FileDeps = { records, blobs, audit, listeners, accountBytesMax: config.accountBytesMax };
  const patients: LaunchPatients = {
    list: (...asked) => lake.patients.list(...asked),
    has: (...asked) => lake.patients.has(...asked),
  };
  const identity = openIdentity({ ...platform, patients, publicUrl: address.get }, config);
  const { holders } = identity;
  const addresses = new SignedAddresses({
    ...{ key: secrets.derive('signed-urls'), publicUrl: address.get, holders },
    lifeMs: config.signedUrlLifeMs,
  });
  const shared = { ...platform, projects, pages, addresses, holders, publicUrl: address.get };
  const opened = openFiles(fileDeps, shared, config);
  const { files, uploads, transfers } = opened;
  const genomics = openGenomics({ ...shared, files, ingestions }, config);
  const lake = openLake({
    ...shared,
    files,
    uploads,
    transfers,
    ingestions,
    annotationWork,
    serviceAnnotations,
    rights,
  });
  jobs.handle(runRemovals({ records, blobs, audit, jobs, removers: removersOf(jobs) }));
  const ehrs = openEhrs(
    { ...platform, ingestions, pages, projects, publicUrl: address.get },
    syncLimits(config),
  );
  const events = openEvents({ ...platform, pages, projects });
  const invitations = openInvitations({ ...platform, pages, publicUrl: address.get }, config);
  return {
    routes: [
      ...accountRoutes(accounts, accountDeletion),
      ...projectRoutes(projects, projectDeletion, pages),
      ...openPeople({ ...shared, groups }),
      ...opened.routes,
      ...ingestionRoutes({ ...genomics, ingestions, projects, files, pages }),
      ...genomics.routes,
      ...lake.routes,
      ...identity.routes,
      ...keyRoutes({ keys, records, audit, pages }),
      ...invitations.routes,
      ...ehrs.routes,
      ...events.routes,
      ...policyRoutes(new StoredPolicies(records, audit), pages),
      ...evaluationRoutes(new Evaluation(records), new Previews(records)),
      ...auditRoutes(records, pages),
    ],
    sweeps: [
      opened.sweep,
      invitations.sweep,
      ...lake.sweeps,
      ehrs.sweep,
      events.sweep,
      () => sweepReferences(records, blobs),
      () => endLostWork(records),
      (signal) => blobs.sweep(signal),
      ...identity.sweeps,
    ],
    due: [
      () => accountDeletion.removeDue(),
      () => projectDeletion.removeDue(),
      () => queueLostRemovals(records, jobs),
    ],
    credentials: identity.credentials,
    endWaits: [identity.endWaits, events.endWaits],
    watches: [...opened.watches, ...lake.watches, ehrs.due, events.watch],
  };
}

/** Warns about a missing annotation project: a mistyped id would only leave columns empty. */
async function warnOfMissing({ config, records, log }: Platform): Promise<void> {
  const { annotationProject: id } = config;
  if (id === '' || (await projectExists(records.read, id))) return;
  log.warn({ project: id }, 'PLOIDY_ANNOTATION_PROJECT is the id of no project: it annotates nothing');
}

/** Composes authentication and authorization of requests, and the distinction of their visitors. */
function openGate(
  { config, records, audit }: Pick<Core, 'records' | 'audit'> & { config: Config },
  refusals: Refusals,
  credentials: Credentials,
): { gate: Gate; visitors: Visitors } {
  const authentication = new Authentication(credentials, pathOf(config.publicUrl));
  const gate = new Gate({
    authentication,
    audit,
    refusals,
    rateLimit: new RateLimit(config.requestsPerMinute),
    accountHeaders: ['service-account', ...config.accountHeaders],
    projectExists: projectLookup(records.read),
    isInView: (caller, project) => isInView(records.read, caller, project),
  });
  return { gate, visitors: new Visitors(authentication, credentials.browserIn) };
}
