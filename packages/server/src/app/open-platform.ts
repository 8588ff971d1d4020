import { statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { duckdbEngine, type Engine } from '@ploidy/engine';
import type { Config } from '../config/config.ts';
import { engineSettings } from '../config/engine-settings.ts';
import { AddressUses } from '../domains/audit/index.ts';
import { BucketClients } from '../domains/files/index.ts';
import { Callers } from '../domains/identity/callers/index.ts';
import { loggingSlow, withProblems } from '../domains/lake/index.ts';
import { readiness } from '../http/readiness.ts';
import { withPlaced } from '../platform/blobs/index.ts';
import { type Jobs, openJobs, type Places } from '../platform/jobs/index.ts';
import type { Logger } from '../platform/log/log.ts';
import { type Mail, openMail } from '../platform/mail/index.ts';
import { type Outbound, openOutbound, outboundAgents } from '../platform/outbound/index.ts';
import { lockDataFolder } from '../platform/records/index.ts';
import { type Core, closeCore, lastBackupIn, openCore } from './core.ts';
import { placesOf } from './maintenance/places.ts';
import { jobsOfRoles } from './maintenance/roles.ts';

/** Platform of the service, which its domains share. */
export interface Platform extends Core {
  config: Config;
  log: Logger;
  engine: Engine;
  jobs: Jobs;
  /** Places of queries in this process, which requests take too. */
  queryPlaces: Places;
  /** Returns the bytes of the disk of the data folder. */
  disk: () => Promise<{ freeBytes: number; bytes: number } | undefined>;
  /** Returns the time of the last complete backup. */
  lastBackup: () => Promise<number | undefined>;
  /** Problem 503 when a part does not answer. */
  ready: () => Promise<void>;
  mail: Mail;
  /** Shared by requests and jobs, so that the policies of an account are cached once. */
  callers: Callers;
  outbound: Outbound;
  /** Clients of connected buckets, whose objects `blobs` reads as well. */
  buckets: BucketClients;
  /** Uses of signed addresses and grants, for the audit log. */
  uses: AddressUses;
}

/** Opens the platform; `closers` receives what ends it, in the order of its opening. */
export async function openPlatform(
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
  if (soleProcess)
    await core.blobs.recover().catch((error: unknown) => {
      log.error({ err: error }, 'not all that an earlier process left could be cleared away');
    });
  const engine = loggingSlow(withProblems(given ?? (await duckdbEngine(engineSettings(config), log))), {
    ...config,
    log,
  });
  if (!given) closers.push(() => engine.close());
  const places = placesOf(config);
  const queue = openJobs({ records: core.records, log, places, leaseMs: config.jobLeaseMs, soleProcess });
  const jobs = jobsOfRoles(queue, config);
  const mail = openMail({
    smtp: config.smtpServer,
    from: config.mailFrom || 'Ploidy <ploidy@localhost>',
    outboxFolder: join(config.dataFolder, 'outbox'),
    log,
  });
  const outbound = openOutbound(config);
  const buckets = new BucketClients({ ...core, outbound, agents: outboundAgents(config) });
  closers.push(() => buckets.close());
  const blobs = withPlaced(core.blobs, buckets.open, config.cacheMaxBytes);
  const uses = new AddressUses(core.audit);
  const callers = new Callers(core.records);
  const queryPlaces = places.query;
  const disk = () => diskOf(config.dataFolder);
  const lastBackup = () => lastBackupIn(core.records.read);
  const ready = readiness({
    records: () => core.records.check(),
    blobs: () => blobs.check(),
    engine: () => engine.ready(),
  });
  const made = {
    config,
    log,
    engine,
    jobs,
    queryPlaces,
    disk,
    lastBackup,
    ready,
    mail,
    outbound,
    buckets,
    uses,
    callers,
  };
  return { ...core, blobs, ...made };
}

async function diskOf(folder: string): Promise<{ freeBytes: number; bytes: number } | undefined> {
  // A file system that reports nothing has no metric.
  const found = await statfs(folder).catch(() => undefined);
  return found && { freeBytes: found.bavail * found.bsize, bytes: found.blocks * found.bsize };
}
