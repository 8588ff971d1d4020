import type { Pages } from '../api/paging.ts';
import type { Route } from '../api/route.ts';
import type { Config } from '../config/config.ts';
import {
  DirectUploads,
  drsRoutes,
  type FileDeps,
  Files,
  fileRoutes,
  PartedUploads,
  Transfers,
  transferRoutes,
  UploadRights,
  Uploads,
} from '../domains/files/index.ts';
import type { Projects } from '../domains/files/projects/index.ts';
import type { Callers } from '../domains/identity/callers/index.ts';
import type { Logger } from '../platform/log/log.ts';
import type { Secrets } from '../platform/secrets/index.ts';
import type { Sweep } from './maintenance/maintenance.ts';

export interface OpenedFiles {
  files: Files;
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
    secrets: Secrets;
    log: Logger;
    publicUrl: () => string;
  },
  config: Config,
): OpenedFiles {
  const { projects, callers, pages, secrets, log, publicUrl } = deps;
  const { direct } = fileDeps.blobs;
  const rights = new UploadRights(fileDeps.records, callers);
  const uploads = new Uploads(fileDeps, rights, {
    lifeMs: { whole: config.signedUrlLifeMs, parts: config.uploadLifeMs },
    sizeMax: config.fileMaxBytes,
    lateMs: direct ? config.requestTimeoutMs : 0,
  });
  const directUploads = direct && new DirectUploads(fileDeps, direct, uploads, log);
  const files = new Files(fileDeps, directUploads);
  const partedUploads = new PartedUploads(fileDeps, rights, { sizeMax: config.fileMaxBytes });
  const key = secrets.derive('signed-urls');
  const transfers = new Transfers({ key, publicUrl, lifeMs: config.signedUrlLifeMs, direct });
  return {
    files,
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
      ...drsRoutes({ files, transfers, publicUrl }),
      ...transferRoutes({ ...fileDeps, callers, files, uploads, partedUploads, transfers }),
    ],
    sweep: (signal) => (directUploads ? directUploads.sweep(signal) : uploads.sweep()),
    watches: directUploads ? [() => directUploads.noticeAll()] : [],
  };
}
