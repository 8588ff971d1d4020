import type { Route } from '../../../api/route.ts';
import type { Blobs } from '../../../platform/blobs/blobs.ts';
import type { Jobs } from '../../../platform/jobs/jobs.ts';
import type { Records } from '../../../platform/records/records.ts';
import type { FilesTable } from '../../../platform/records/schema.ts';
import type { AddressUses } from '../../audit/index.ts';
import { type Files, requireAccountRoom } from '../../files/index.ts';
import { projectLookup } from '../../files/projects/index.ts';
import type { SignedAddresses } from '../../identity/addresses/index.ts';
import type { ReadGroupSets } from '../datasets/index.ts';
import { blocksRoute } from './blocks/block-routes.ts';
import { BlockUrls } from './blocks/block-urls.ts';
import { ThreadContents } from './contents/thread-contents.ts';
import { readsKind } from './reads.ts';
import { serviceInfoRoute } from './service-info.ts';
import { ticketRoutes } from './ticket-routes.ts';
import { VariantIndexes } from './variant-indexes.ts';
import { variantsKind } from './variants.ts';

export { runIndexes } from './run-index.ts';
export { dropIndex, followingIndex, htsgetRemovers } from './variant-indexes.ts';

export interface HtsgetDeps {
  records: Records;
  blobs: Blobs;
  uses: AddressUses;
  addresses: SignedAddresses;
  jobs: Jobs;
  files: Files;
  sets: ReadGroupSets;
}

interface HtsgetSettings {
  /** Public address of the service, without a trailing slash. */
  publicUrl: () => string;
  /** Bytes of headers and indexes cached in memory. */
  cacheBytes: number;
  /** Bytes of an account; undefined for no limit. */
  accountBytesMax: number | undefined;
}

/** Routes for tickets and blocks of reads and variants (htsget 1.3). */
export function htsgetRoutes(deps: HtsgetDeps, settings: HtsgetSettings): Route[] {
  const { records, blobs, uses } = deps;
  const contents = new ThreadContents(blobs, settings.cacheBytes);
  const urls = new BlockUrls(deps.addresses);
  const requireRoom = ({ account_id, size }: FilesTable) =>
    requireAccountRoom(records.read, account_id, settings.accountBytesMax, size);
  const kinds = [
    readsKind(deps.sets, contents),
    variantsKind({ ...deps, indexes: new VariantIndexes(deps), contents, requireRoom }),
  ];
  return kinds.flatMap((kind) => [
    serviceInfoRoute(kind, settings.publicUrl),
    ...ticketRoutes(kind, urls),
    blocksRoute(kind, { urls, uses, projectExists: projectLookup(records.read) }),
  ]);
}
