import type { Config } from './config.ts';
import type { Audit } from './domains/audit/index.ts';
import type { FileListeners, Files } from './domains/files/index.ts';
import {
  datasetRoutes,
  dropReads,
  dropReferences,
  moveReads,
  moveReferences,
  outdateReads,
  ReadGroupSets,
  type ReadIngestions,
  ReadsRemoval,
  ReferenceSets,
  readRoutes,
  referenceRoutes,
} from './domains/genomics/index.ts';
import { dropIndex, followingIndex } from './domains/htsget/index.ts';
import type { Ingestions } from './domains/ingest/index.ts';
import type { Projects } from './domains/projects/index.ts';
import { type HtsgetPlatform, openHtsget } from './open-htsget.ts';
import type { Pages } from './paging.ts';
import type { Blobs } from './platform/blobs/index.ts';
import type { Jobs } from './platform/jobs/index.ts';
import type { Records } from './platform/records/index.ts';
import type { Route } from './route.ts';

export interface GenomicsParts extends HtsgetPlatform {
  jobs: Jobs;
  records: Records;
  blobs: Blobs;
  audit: Audit;
  projects: Projects;
  files: Files;
  ingestions: Ingestions;
  pages: Pages;
}

export interface OpenedGenomics {
  readGroupSets: ReadGroupSets;
  referenceSets: ReferenceSets;
  routes: Route[];
}

/** Puts together datasets, reads and references, and their tickets. */
export function openGenomics(parts: GenomicsParts, config: Config): OpenedGenomics {
  const { records, blobs, audit, ingestions: all } = parts;
  const ingestions: ReadIngestions = {
    start: (file, options, by) => all.create(file, { ...options, type: 'bam' }, by),
    cancel: (tx, fileId, by) => all.cancelReads(tx, fileId, by),
  };
  const removal = new ReadsRemoval({ records, audit, ingestions });
  const readGroupSets = new ReadGroupSets(records);
  const referenceSets = new ReferenceSets(records, blobs);
  const routeParts = { ...parts, readGroupSets, referenceSets, ingestions, removal };
  return {
    readGroupSets,
    referenceSets,
    routes: [
      ...datasetRoutes(parts),
      ...readRoutes(routeParts),
      ...referenceRoutes(routeParts),
      ...openHtsget({ ...parts, sets: readGroupSets }, config),
    ],
  };
}

/** What becomes of reads, references and indexes when something happens to their file. */
export const genomicsListeners: Pick<FileListeners, 'deleted' | 'overwritten' | 'followers'> = {
  deleted: [
    async (tx, fileId, keepRows) => {
      // Without its bytes nothing of a BAM can be read; a FASTA's bases are kept apart.
      await dropReads(tx, fileId);
      await dropIndex(tx, fileId);
      if (!keepRows) await dropReferences(tx, fileId);
    },
  ],
  overwritten: [outdateReads, dropIndex],
  followers: [
    followingIndex,
    async (fileId) => ({
      follow: async (tx, project) => {
        await moveReads(tx, fileId, project);
        await moveReferences(tx, fileId, project);
        return true;
      },
      discard: async () => undefined,
    }),
  ],
};
