import type { Config } from './config.ts';
import type { Callers } from './domains/callers/index.ts';
import {
  Arrivals,
  type FileParts,
  Files,
  fileRoutes,
  PartedUploads,
  Transfers,
  transferRoutes,
  UploadRights,
  Uploads,
} from './domains/files/index.ts';
import type { Projects } from './domains/projects/index.ts';
import type { Logger } from './log.ts';
import type { Pages } from './paging.ts';
import type { Secrets } from './platform/secrets/index.ts';
import type { Route } from './route.ts';

export interface OpenedFiles {
  files: Files;
  routes: Route[];
  sweep: () => Promise<unknown>;
  /** To be done again and again, every few seconds. */
  watches: (() => Promise<unknown>)[];
}

/** Puts together files and the ways in which their bytes come and go. */
export function openFiles(
  fileParts: FileParts,
  parts: {
    projects: Projects;
    callers: Callers;
    pages: Pages;
    secrets: Secrets;
    log: Logger;
    publicUrl: () => string;
  },
  config: Config,
): OpenedFiles {
  const { projects, callers, pages, secrets, log, publicUrl } = parts;
  const { direct } = fileParts.blobs;
  const rights = new UploadRights(fileParts.records, callers);
  const uploads = new Uploads(fileParts, rights, {
    lifeMs: { whole: config.signedUrlLifeMs, parts: config.uploadLifeMs },
    sizeMax: config.fileMaxBytes,
    lateMs: direct ? config.requestTimeoutMs : 0,
  });
  const arrivals = direct && new Arrivals(fileParts, direct, uploads, log);
  const files = new Files(fileParts, arrivals);
  const partedUploads = new PartedUploads(fileParts, rights, { sizeMax: config.fileMaxBytes });
  const key = secrets.derive('signed-urls');
  const transfers = new Transfers({ key, publicUrl, lifeMs: config.signedUrlLifeMs, direct });
  return {
    files,
    routes: [
      ...fileRoutes({ ...fileParts, files, uploads, partedUploads, transfers, arrivals, projects, pages }),
      ...transferRoutes({ ...fileParts, files, uploads, partedUploads, transfers }),
    ],
    sweep: () => (arrivals ?? uploads).sweep(),
    watches: arrivals ? [() => arrivals.noticeAll()] : [],
  };
}
