import type { Pages } from '../api/paging.ts';
import type { Route } from '../api/route.ts';
import type { Config } from '../config/config.ts';
import type { AddressUses } from '../domains/audit/index.ts';
import {
  type BucketClients,
  Buckets,
  bucketRoutes,
  DirectUploads,
  drsRoutes,
  type FileDeps,
  Files,
  fileRoutes,
  PartedUploads,
  runBuckets,
  Transfers,
  transferRoutes,
  UploadRights,
  Uploads,
} from '../domains/files/index.ts';
import type { Projects } from '../domains/files/projects/index.ts';
import type { Holders, SignedAddresses } from '../domains/identity/addresses/index.ts';
import type { Callers } from '../domains/identity/callers/index.ts';
import { readObject } from '../platform/blobs/index.ts';
import type { Jobs } from '../platform/jobs/index.ts';
import type { Logger } from '../platform/log/log.ts';
import type { Outbound } from '../platform/outbound/index.ts';
import type { Secrets } from '../platform/secrets/index.ts';
import type { Sweep } from './maintenance/maintenance.ts';

interface OpenedFiles {
  files: Files;
  uploads: Uploads;
  transfers: Transfers;
  routes: Route[];
  sweep: Sweep;
  /** Work repeated every few seconds. */
  watches: (() => Promise<unknown>)[];
}

/** Composes files and the transfers of their bytes. */
export function openFiles(
  fileDeps: FileDeps,
  deps: {
    projects: Projects;
    callers: Callers;
    pages: Pages;
    addresses: SignedAddresses;
    holders: Holders;
    uses: AddressUses;
    log: Logger;
    secrets: Secrets;
    jobs: Jobs;
    outbound: Outbound;
    buckets: BucketClients;
    publicUrl: () => string;
  },
  config: Config,
): OpenedFiles {
  const { projects, callers, pages, addresses, holders, uses, log, publicUrl } = deps;
  const { direct } = fileDeps.blobs;
  const rights = new UploadRights(fileDeps.records, callers, holders);
  const uploads = new Uploads(fileDeps, rights, {
    lifeMs: { whole: config.signedUrlLifeMs, parts: config.uploadLifeMs },
    sizeMax: config.fileMaxBytes,
    lateMs: config.requestTimeoutMs,
  });
  const directUploads = direct && new DirectUploads(fileDeps, direct, uploads, log);
  const files = new Files(fileDeps, directUploads);
  const partedUploads = new PartedUploads(fileDeps, rights, { sizeMax: config.fileMaxBytes });
  const transfers = new Transfers(addresses, direct);
  const buckets = new Buckets({ ...fileDeps, ...deps });
  const { fileMaxBytes: sizeMax } = config;
  deps.jobs.handle(runBuckets({ ...fileDeps, callers, clients: deps.buckets, sizeMax, read: readObject }));
  return {
    files,
    uploads,
    transfers,
    routes: [
      ...fileRoutes({
        ...fileDeps,
        files,
        uploads,
        partedUploads,
        transfers,
        directUploads,
        projects,
        pages,
      }),
      ...bucketRoutes({ buckets, projects }),
      ...drsRoutes({ files, transfers, publicUrl }),
      ...transferRoutes({ ...fileDeps, uses, files, uploads, partedUploads, transfers }),
    ],
    sweep: (signal) => (directUploads ? directUploads.sweep(signal) : uploads.sweep()),
    watches: [() => buckets.lookDue(), ...(directUploads ? [() => directUploads.noticeAll()] : [])],
  };
}
