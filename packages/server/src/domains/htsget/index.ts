import type { Blobs } from '../../platform/blobs/blobs.ts';
import type { Jobs } from '../../platform/jobs/jobs.ts';
import type { Records } from '../../platform/records/records.ts';
import type { Route } from '../../route.ts';
import type { Audit } from '../audit/index.ts';
import type { Files } from '../files/index.ts';
import type { ReadGroupSets } from '../genomics/index.ts';
import { projectLookup } from '../projects/index.ts';
import { blocksRoute } from './block-routes.ts';
import { type BlockUrlSettings, BlockUrls } from './block-urls.ts';
import { readsKind } from './reads.ts';
import { serviceInfoRoute } from './service-info.ts';
import { Contents } from './streamed.ts';
import { ticketRoutes } from './ticket-routes.ts';
import { VariantIndexes } from './variant-indexes.ts';
import { variantsKind } from './variants.ts';

export { htsgetRemovers } from './removal.ts';
export { runIndexes } from './run-index.ts';
export { dropIndex, followingIndex } from './variant-indexes.ts';

export interface HtsgetParts {
  records: Records;
  blobs: Blobs;
  audit: Audit;
  jobs: Jobs;
  files: Files;
  sets: ReadGroupSets;
}

export interface HtsgetSettings extends BlockUrlSettings {
  /** Bytes of headers and indexes that are kept in memory. */
  cacheBytes: number;
}

/** Tickets and blocks of reads and variants (the htsget protocol 1.3). */
export function htsgetRoutes(parts: HtsgetParts, settings: HtsgetSettings): Route[] {
  const { records, blobs, audit } = parts;
  const contents = new Contents(blobs, settings.cacheBytes);
  const urls = new BlockUrls(settings);
  const kinds = [
    readsKind(parts.sets, contents),
    variantsKind(parts.files, new VariantIndexes(parts), contents),
  ];
  return kinds.flatMap((kind) => [
    serviceInfoRoute(kind, settings.publicUrl),
    ...ticketRoutes(kind, urls),
    blocksRoute(kind, { contents, urls, audit, projectExists: projectLookup(records.read) }),
  ]);
}
