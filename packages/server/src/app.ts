import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { blobSweep } from './blob-sweep.ts';
import type { Config } from './config.ts';
import { type Core, openCore } from './core.ts';
import { Accounts, accountRoutes } from './domains/accounts/index.ts';
import { Callers } from './domains/callers/index.ts';
import { Clients, clientRoutes } from './domains/clients/index.ts';
import {
  type FileParts,
  Files,
  fileRoutes,
  Transfers,
  transferRoutes,
  Uploads,
} from './domains/files/index.ts';
import { Ingestions, ingestionRoutes, runIngestions } from './domains/ingest/index.ts';
import { openInvitations } from './domains/invitations/index.ts';
import { keyRoutes } from './domains/keys/index.ts';
import { Lake, lakeRoutes, Queries, retireSource, runQueries, sweepSegments } from './domains/lake/index.ts';
import { OAuth } from './domains/oauth/index.ts';
import { Projects, projectRoutes } from './domains/projects/index.ts';
import { openSecurity } from './domains/security/index.ts';
import { BrowserSessions, Sessions } from './domains/sessions/index.ts';
import { type FirstRun, Passwords, setUp, setUpRoutes } from './domains/setup/index.ts';
import { openSignIn } from './domains/sign-in/index.ts';
import { engineSettings } from './engine-settings.ts';
import { Authentication, type Verifier } from './http/authentication.ts';
import { Gate } from './http/gate.ts';
import { Idempotency } from './http/idempotency.ts';
import { Metrics } from './http/metrics.ts';
import { RateLimit } from './http/rate-limit.ts';
import { buildServer } from './http/server.ts';
import { serviceRoutes } from './http/service-routes.ts';
import type { Logger } from './log.ts';
import { Maintenance } from './maintenance.ts';
import { Pages } from './paging.ts';
import { type Blobs, diskBlobs } from './platform/blobs/index.ts';
import { duckdbEngine, type Engine } from './platform/engine/index.ts';
import { type Jobs, openJobs } from './platform/jobs/index.ts';
import { type Mail, openMail } from './platform/mail/index.ts';
import { lockDataFolder } from './platform/records/index.ts';
import type { Route } from './route.ts';

/** How often a service that stops looks for connections that have become idle. */
const idleLookMs = 50;

/** A service that has been put together. */
export interface App {
  server: FastifyInstance;
  /** Listens and starts the jobs. Answers the address, and on the first start what its operator must know. */
  start(): Promise<{ baseUrl: string; firstRun: FirstRun | undefined }>;
  /** Lets requests in flight finish, hands leases back, closes everything. */
  stop(): Promise<void>;
}

interface Platform extends Core {
  config: Config;
  log: Logger;
  blobs: Blobs;
  engine: Engine;
  jobs: Jobs;
  mail: Mail;
}

/** The composition root: config → platform → domains → http, in that order. */
export async function createApp(config: Config, log: Logger): Promise<App> {
  const closers: (() => Promise<void> | void)[] = [];
  const close = async (): Promise<void> => {
    for (const closer of closers.toReversed()) await closer();
  };
  try {
    const platform = await openPlatform(config, log, closers);
    const address = new Address(config);
    const { routes, sweeps, ...credentials } = openDomains(platform, address);
    const idempotency = new Idempotency(platform.records, platform.secrets);
    if (config.databaseUrl === '') await idempotency.releaseInterrupted();
    const metrics = new Metrics(platform.jobs);
    const server = await buildServer({
      config,
      log,
      routes: [...routes, ...serviceRoutes(readinessChecks(platform), metrics)],
      gate: openGate(platform, credentials),
      idempotency,
      metrics,
    });
    const maintenance = new Maintenance(log, [...sweeps, () => idempotency.sweep()]);
    return {
      server,
      start: async () => {
        const baseUrl = address.listening(await server.listen({ host: config.host, port: config.port }));
        const firstRun = await setUp(platform, { dataFolder: config.dataFolder, baseUrl });
        await platform.jobs.start();
        maintenance.start();
        return { baseUrl, firstRun };
      },
      stop: async () => {
        await maintenance.stop();
        const late = setTimeout(() => server.server.closeAllConnections(), config.shutdownMs);
        // A connection whose last answer went out after `close` began would else be kept for its next request.
        const idle = setInterval(() => server.server.closeIdleConnections(), idleLookMs);
        await Promise.all([server.close(), platform.jobs.stop()]);
        clearInterval(idle);
        clearTimeout(late);
        await close();
      },
    };
  } catch (error) {
    await close();
    throw error;
  }
}

async function openPlatform(
  config: Config,
  log: Logger,
  closers: (() => Promise<void> | void)[],
): Promise<Platform> {
  const soleProcess = config.databaseUrl === '';
  if (soleProcess) {
    const lock = lockDataFolder(config.dataFolder);
    closers.push(() => lock.release());
  }
  const core = await openCore(config, log);
  closers.push(() => core.records.close());
  const blobs = diskBlobs({ folder: join(config.dataFolder, 'blobs') });
  const engine = await duckdbEngine(engineSettings(config));
  closers.push(() => engine.close());
  const jobs = openJobs({ records: core.records, log, leaseMs: config.jobLeaseMs, soleProcess });
  const mail = openMail({
    smtp: config.smtpServer,
    from: config.mailFrom || 'Ploidy <ploidy@localhost>',
    outboxFolder: join(config.dataFolder, 'outbox'),
    log,
  });
  return { ...core, config, log, blobs, engine, jobs, mail };
}

/** The address under which clients reach the service; known for certain only once it listens. */
class Address {
  #url: string;
  readonly #configured: string;

  constructor(config: Config) {
    this.#configured = config.publicUrl.replace(/\/+$/, '');
    this.#url = this.#configured;
  }

  listening(url: string): string {
    this.#url = this.#configured || url.replace('0.0.0.0', '127.0.0.1').replace('[::]', 'localhost');
    return this.#url;
  }

  readonly get = (): string => this.#url;
}

function openDomains(
  platform: Platform,
  address: Address,
): { routes: Route[]; sweeps: (() => Promise<unknown>)[]; verifiers: Verifier[]; cookies: BrowserSessions } {
  const { config, records, secrets, audit, blobs, engine, jobs, keys } = platform;
  const pages = new Pages(secrets);
  const accounts = new Accounts(records, audit);
  const projects = new Projects(records, audit);
  const ingestions = new Ingestions({ records, jobs, audit });
  const listeners: FileParts['listeners'] = {
    deleted: [async (tx, fileId, keepRows) => (keepRows ? undefined : retireSource(tx, fileId))],
    ingest: [
      async (tx, file, userId) => {
        await ingestions.queue(tx, file, {}, { userId, via: 'signature' });
      },
    ],
  };
  const fileParts: FileParts = { records, blobs, audit, listeners };
  const files = new Files(fileParts);
  const uploads = new Uploads(fileParts, { lifeMs: config.signedUrlLifeMs, sizeMax: config.fileMaxBytes });
  const transfers = new Transfers({
    key: secrets.derive('signed-urls'),
    publicUrl: address.get,
    lifeMs: config.signedUrlLifeMs,
  });
  const clients = new Clients(records, audit);
  const oauth = new OAuth(
    { records, secrets, audit, clients },
    { issuer: () => `${address.get()}/v1`, grantLifeMs: config.grantLifeMs },
  );
  clients.deleted.push(oauth.clientDeleted);
  const sessions = new Sessions(records, { lifeMs: config.sessionLifeMs, idleMs: config.sessionIdleMs });
  const browsers = new BrowserSessions(sessions, address.get);
  const signInParts = { ...platform, clients, oauth, sessions, browsers, publicUrl: address.get };
  const signIn = openSignIn(signInParts);
  const security = openSecurity({ ...signInParts, ...signIn, grants: oauth.grants });
  const passwords = new Passwords(records, audit);
  passwords.changed.push((tx, userId) => security.security.endEverything(tx, userId));
  const lake = new Lake(records, blobs, secrets.derive('masks'));
  const queries = new Queries({ records, engine, jobs, audit, lake }, config);
  const runParts = { records, engine, blobs, lake, audit, callers: new Callers(records) };
  jobs.handle(runQueries(runParts, config.queriesMax));
  jobs.handle(runIngestions(runParts, config.ingestionsMax));
  const invitations = openInvitations({ ...platform, pages, publicUrl: address.get }, config);
  return {
    routes: [
      ...accountRoutes(accounts),
      ...projectRoutes(projects, pages),
      ...fileRoutes({ ...fileParts, files, uploads, transfers, projects, pages }),
      ...transferRoutes({ ...fileParts, files, uploads, transfers }),
      ...ingestionRoutes({ ingestions, projects, files, pages }),
      ...lakeRoutes({ lake, queries, projects, pages }),
      ...clientRoutes(clients),
      ...oauth.routes(signIn.view),
      ...signIn.routes,
      ...security.routes,
      ...keyRoutes(keys, records, audit),
      ...invitations.routes,
      ...setUpRoutes(passwords),
    ],
    sweeps: [
      () => uploads.sweep(),
      invitations.sweep,
      () => sweepSegments(records, blobs),
      blobSweep(records, blobs, config.databaseUrl === ''),
      () => sessions.sweep(),
      signIn.sweep,
      ...oauth.sweeps,
    ],
    verifiers: [keys, oauth.accessTokens],
    cookies: browsers,
  };
}

function openGate(
  platform: Platform,
  credentials: { verifiers: Verifier[]; cookies: BrowserSessions },
): Gate {
  const { config, records, audit } = platform;
  return new Gate({
    authentication: new Authentication({ records, ...credentials, callers: new Callers(records) }),
    audit,
    rateLimit: new RateLimit(config.requestsPerMinute),
    accountHeaders: ['service-account', ...config.accountHeaders],
  });
}

function readinessChecks({ records, blobs, engine }: Platform) {
  return { records: () => records.check(), blobs: () => blobs.check(), engine: () => engine.ready() };
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
  };
  const { routes } = openDomains(platform, new Address(config));
  return [...routes, ...serviceRoutes({}, closed())];
}
