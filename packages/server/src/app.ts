import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { Address } from './address.ts';
import { blobSweep } from './blob-sweep.ts';
import { changedKeyWatch } from './changed-key.ts';
import type { Config } from './config.ts';
import { syncLimits } from './config-ehrs.ts';
import { type Core, closeCore, openCore } from './core.ts';
import { doAll } from './do-all.ts';
import { AccountDeletion, Accounts, accountRoutes } from './domains/accounts/index.ts';
import { auditRoutes } from './domains/audit/index.ts';
import { Callers } from './domains/callers/index.ts';
import { Removals, runRemovals } from './domains/deletion/index.ts';
import { openEhrs } from './domains/ehrs/index.ts';
import type { FileParts } from './domains/files/index.ts';
import { sweepReferences } from './domains/genomics/index.ts';
import { Groups } from './domains/groups/index.ts';
import { Ingestions, ingestionRoutes } from './domains/ingest/index.ts';
import { openInvitations } from './domains/invitations/index.ts';
import { keyRoutes } from './domains/keys/index.ts';
import { AnnotationWork, ServiceAnnotations } from './domains/lake/index.ts';
import {
  Evaluation,
  evaluationRoutes,
  Previews,
  policyRoutes,
  StoredPolicies,
} from './domains/policies/index.ts';
import { ProjectDeletion, Projects, projectExists, projectRoutes } from './domains/projects/index.ts';
import { type FirstRun, setUp } from './domains/setup/index.ts';
import { engineSettings } from './engine-settings.ts';
import { fileListeners } from './file-listeners.ts';
import { foreignBlobsWatch, requireOwnBlobs } from './foreign-blobs.ts';
import type { Credentials } from './http/authentication.ts';
import { Idempotency } from './http/idempotency.ts';
import { type Listening, listen } from './http/listening.ts';
import { Metrics } from './http/metrics.ts';
import { Overload } from './http/overload.ts';
import { Refusals } from './http/refusals.ts';
import { buildServer } from './http/server.ts';
import { serviceRoutes } from './http/service-routes.ts';
import type { Logger } from './log.ts';
import { Maintenance, type Sweep } from './maintenance.ts';
import { newerRecordsWatch } from './newer-records.ts';
import { openFiles } from './open-files.ts';
import { openGate } from './open-gate.ts';
import { openGenomics } from './open-genomics.ts';
import { openIdentity } from './open-identity.ts';
import { openLake } from './open-lake.ts';
import { openPeople } from './open-people.ts';
import { Pages } from './paging.ts';
import { duckdbEngine, type Engine } from './platform/engine/index.ts';
import { type Jobs, openJobs } from './platform/jobs/index.ts';
import { type Mail, openMail } from './platform/mail/index.ts';
import { type Outbound, openOutbound } from './platform/outbound/index.ts';
import { lockDataFolder } from './platform/records/index.ts';
import { removersOf } from './removers.ts';
import type { Route } from './route.ts';

/** How often the sweeps run. */
const sweepEveryMs = 10 * 60_000;
/** How late a sync may begin that is due, and how long bytes that a client put into the store may lie there unseen. */
const watchEveryMs = 5000;
/** Connections that wait to be taken. They come at random to one of many sockets: there is more room than for those that are expected. */
const connectionsWaitingMax = 16_384;
/** How often a service that stops looks for connections that have become idle. */
const idleLookMs = 50;

/** A service that has been put together. */
export interface App {
  server: FastifyInstance;
  /** Listens and starts the jobs. Answers the address, and on the first start what its operator must know. */
  start(): Promise<{ baseUrl: string; firstRun: FirstRun | undefined }>;
  /** Lets requests in flight finish, hands leases back, closes everything. */
  stop(): Promise<void>;
  /** Resolves when the service has found out that it must not go on. */
  failed: Promise<Error>;
}

interface Platform extends Core {
  config: Config;
  log: Logger;
  engine: Engine;
  jobs: Jobs;
  mail: Mail;
  /** One for requests and jobs, so that the policies of an account are kept once. */
  callers: Callers;
  outbound: Outbound;
}

/** The composition root: config → platform → domains → http, in that order. `given`: an engine that outlives the service. */
export async function createApp(config: Config, log: Logger, given?: Engine): Promise<App> {
  const closers: (() => Promise<void> | void)[] = [];
  const close = (): Promise<void> => doAll(closers.toReversed());
  try {
    const platform = await openPlatform(config, log, closers, given);
    const address = new Address(config);
    const { routes, sweeps, due, watches, credentials } = openDomains(platform, address);
    const idempotency = new Idempotency(platform.records, platform.secrets, log);
    if (config.databaseUrl === '') await idempotency.releaseInterrupted();
    const metrics = new Metrics(platform.jobs);
    const refusals = new Refusals(platform.audit);
    const limits = { delayMs: config.overloadDelayMs, requestsMax: config.requestsMax };
    const server = await buildServer({
      config,
      log,
      routes: [...routes, ...serviceRoutes(readinessChecks(platform), metrics)],
      gate: openGate(platform, refusals, credentials),
      idempotency,
      metrics,
      overload: new Overload(limits, log, metrics.registry),
    });
    const swept = [...sweeps, () => idempotency.sweep(), () => refusals.flush()];
    const { promise: failed, resolve: fail } = Promise.withResolvers<Error>();
    const shared =
      config.databaseUrl === ''
        ? []
        : [newerRecordsWatch(platform.records, fail), changedKeyWatch(platform, fail)];
    const repeated = [
      new Maintenance(log, swept, sweepEveryMs),
      new Maintenance(log, due, config.deletionCheckMs),
      new Maintenance(log, [...shared, foreignBlobsWatch(platform, fail), ...watches], watchEveryMs),
    ];
    let listening: Listening | undefined;
    return {
      server,
      failed,
      start: async () => {
        const { host, port } = config;
        listening = await listen(server, { host, port, backlog: connectionsWaitingMax });
        const baseUrl = address.listening(listening.address);
        const firstRun = await setUp(platform, { dataFolder: config.dataFolder, baseUrl });
        await warnOfMissing(platform);
        await platform.jobs.start();
        for (const one of repeated) one.start();
        return { baseUrl, firstRun };
      },
      stop: async () => {
        const late = setTimeout(() => server.server.closeAllConnections(), config.shutdownMs);
        // A connection whose last answer went out after `close` began would else be kept for its next request.
        const idle = setInterval(() => server.server.closeIdleConnections(), idleLookMs);
        const ends = [
          server.close(),
          listening?.close(),
          platform.jobs.stop(),
          ...repeated.map((one) => one.stop(config.shutdownMs)),
        ];
        await Promise.allSettled(ends);
        clearInterval(idle);
        clearTimeout(late);
        await refusals
          .flush()
          .catch((error: unknown) => log.error({ err: error }, 'refusals were not counted'));
        await doAll([() => Promise.all(ends), close]);
      },
    };
  } catch (error) {
    await close().catch((other: unknown) => log.error({ err: other }, 'not all was closed'));
    throw error;
  }
}

async function openPlatform(
  config: Config,
  log: Logger,
  closers: (() => Promise<void> | void)[],
  given: Engine | undefined,
): Promise<Platform> {
  const soleProcess = config.databaseUrl === '';
  if (soleProcess) {
    const lock = lockDataFolder(config.dataFolder);
    closers.push(() => lock.release());
  }
  const core = await openCore(config, log);
  closers.push(() => closeCore(core));
  const engine = given ?? (await duckdbEngine(engineSettings(config), log));
  if (!given) closers.push(() => engine.close());
  const jobs = openJobs({ records: core.records, log, leaseMs: config.jobLeaseMs, soleProcess });
  const mail = openMail({
    smtp: config.smtpServer,
    from: config.mailFrom || 'Ploidy <ploidy@localhost>',
    outboxFolder: join(config.dataFolder, 'outbox'),
    log,
  });
  const outbound = openOutbound(config);
  return { ...core, config, log, engine, jobs, mail, outbound, callers: new Callers(core.records) };
}

function openDomains(
  platform: Platform,
  address: Address,
): { routes: Route[]; credentials: Credentials } & Record<'sweeps' | 'due' | 'watches', Sweep[]> {
  const { config, log, records, secrets, audit, blobs, jobs, keys } = platform;
  const pages = new Pages(secrets);
  const groups = new Groups(records, audit);
  const accounts = new Accounts(records, audit, groups);
  const projects = new Projects(records, audit);
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
  const listeners = fileListeners(platform, ingestions, annotationWork);
  const fileParts: FileParts = { records, blobs, audit, listeners };
  const identity = openIdentity({ ...platform, publicUrl: address.get }, config);
  const opened = openFiles(fileParts, { ...platform, projects, pages, publicUrl: address.get }, config);
  const { files } = opened;
  const genomics = openGenomics(
    { ...platform, projects, files, ingestions, pages, publicUrl: address.get },
    config,
  );
  const lake = openLake({ ...platform, projects, pages, annotationWork, serviceAnnotations });
  jobs.handle(runRemovals({ records, blobs, audit, jobs, removers: removersOf(jobs) }));
  const ehrs = openEhrs(
    { ...platform, ingestions, pages, projects, publicUrl: address.get },
    syncLimits(config),
  );
  const invitations = openInvitations({ ...platform, pages, publicUrl: address.get }, config);
  return {
    routes: [
      ...accountRoutes(accounts, accountDeletion),
      ...projectRoutes(projects, projectDeletion, pages),
      ...openPeople({ ...platform, groups, pages, publicUrl: address.get }, config),
      ...opened.routes,
      ...ingestionRoutes({ ...genomics, ingestions, projects, files, pages }),
      ...genomics.routes,
      ...lake.routes,
      ...identity.routes,
      ...keyRoutes({ keys, records, audit, pages }),
      ...invitations.routes,
      ...ehrs.routes,
      ...policyRoutes(new StoredPolicies(records, audit), pages),
      ...evaluationRoutes(new Evaluation(records), new Previews(records)),
      ...auditRoutes(records, pages),
    ],
    sweeps: [
      async (signal) => {
        await requireOwnBlobs(records, blobs);
        signal.throwIfAborted();
        await opened.sweep();
      },
      invitations.sweep,
      ...lake.sweeps,
      ehrs.sweep,
      () => sweepReferences(records, blobs),
      blobSweep(records, blobs, config.databaseUrl === ''),
      ...identity.sweeps,
    ],
    due: [() => accountDeletion.removeDue(), () => projectDeletion.removeDue()],
    credentials: identity.credentials,
    watches: [...opened.watches, ...lake.watches, ehrs.due],
  };
}

/** A mistyped id would else show in nothing but columns that stay empty. */
async function warnOfMissing({ config, records, log }: Platform): Promise<void> {
  const { annotationProject: id } = config;
  if (id === '' || (await projectExists(records.read, id))) return;
  log.warn({ project: id }, 'PLOIDY_ANNOTATION_PROJECT is the id of no project: it annotates nothing');
}

function readinessChecks({ records, blobs, engine }: Platform) {
  const checkBlobs = async (): Promise<void> => {
    await requireOwnBlobs(records, blobs);
    await blobs.check();
  };
  return { records: () => records.check(), blobs: checkBlobs, engine: () => engine.ready() };
}

/** All routes as they are declared, without opening anything: for what is generated from them. Calling one is an error. */
export function routeCatalogue(config: Config): Route[] {
  const closed = (): never =>
    new Proxy(() => undefined, { get: () => closed(), apply: () => closed() }) as never;
  const platform = {
    config,
    log: closed(),
    records: closed(),
    secrets: closed(),
    audit: closed(),
    keys: closed(),
    blobs: closed(),
    engine: closed(),
    jobs: closed(),
    mail: closed(),
    callers: closed(),
    outbound: closed(),
  };
  const { routes } = openDomains(platform, new Address(config));
  return [...routes, ...serviceRoutes({}, closed())];
}
