import type { Engine } from '@ploidy/engine';
import type { Pages } from '../api/paging.ts';
import type { Route } from '../api/route.ts';
import type { Config } from '../config/config.ts';
import type { AddressUses, Audit } from '../domains/audit/index.ts';
import type { FileListeners, Files } from '../domains/files/index.ts';
import type { Projects } from '../domains/files/projects/index.ts';
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
} from '../domains/genomics/datasets/index.ts';
import {
  dropIndex,
  followingIndex,
  type HtsgetDeps,
  htsgetRoutes,
  runIndexes,
} from '../domains/genomics/htsget/index.ts';
import type { SignedAddresses } from '../domains/identity/addresses/index.ts';
import type { Ingestions } from '../domains/ingestion/index.ts';
import type { Blobs } from '../platform/blobs/index.ts';
import type { Jobs } from '../platform/jobs/index.ts';
import type { Records } from '../platform/records/index.ts';

interface GenomicsParts extends HtsgetPlatform {
  jobs: Jobs;
  records: Records;
  blobs: Blobs;
  audit: Audit;
  uses: AddressUses;
  addresses: SignedAddresses;
  projects: Projects;
  files: Files;
  ingestions: Ingestions;
  pages: Pages;
}

interface OpenedGenomics {
  readGroupSets: ReadGroupSets;
  referenceSets: ReferenceSets;
  routes: Route[];
}

/** Composes datasets, reads, references and their tickets. */
export function openGenomics(deps: GenomicsParts, config: Config): OpenedGenomics {
  const { records, blobs, audit, ingestions: all } = deps;
  const ingestions: ReadIngestions = {
    start: (file, options, by) =>
      all.create(file, { ...options, type: /\.cram$/i.test(file.name) ? 'cram' : 'bam' }, by),
    cancel: (tx, fileId, by) => all.cancelReads(tx, fileId, by),
  };
  const removal = new ReadsRemoval({ records, audit, ingestions });
  const readGroupSets = new ReadGroupSets(records);
  const referenceSets = new ReferenceSets(records, blobs);
  const routeDeps = { ...deps, readGroupSets, referenceSets, ingestions, removal };
  return {
    readGroupSets,
    referenceSets,
    routes: [
      ...datasetRoutes(deps),
      ...readRoutes(routeDeps),
      ...referenceRoutes(routeDeps),
      ...openHtsget({ ...deps, sets: readGroupSets }, config),
    ],
  };
}

/** Updates reads, references and indexes on events of their file. */
export const genomicsListeners: Pick<FileListeners, 'deleted' | 'overwritten' | 'followers'> = {
  deleted: [
    async (tx, fileId, keepRows) => {
      // A BAM is unreadable without its bytes; the bases of a FASTA are stored separately.
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

interface HtsgetPlatform {
  engine: Engine;
  publicUrl: () => string;
}

/** Composes tickets and blocks of reads and variants. */
function openHtsget(deps: HtsgetDeps & HtsgetPlatform, config: Config): Route[] {
  deps.jobs.handle(runIndexes(deps));
  return htsgetRoutes(deps, {
    publicUrl: deps.publicUrl,
    cacheBytes: config.htsgetCacheBytes,
    accountBytesMax: config.accountBytesMax,
  });
}
