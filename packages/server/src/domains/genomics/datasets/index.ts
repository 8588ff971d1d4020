export { HeaderChecksums } from './agreement.ts';
export { datasetRoutes } from './dataset-routes.ts';
export { publishReads } from './reads/publish-reads.ts';
export {
  attributesOfReadGroupSet,
  ReadGroupSets,
  type ReadsRow,
  type ReadsSource,
  readsOf,
} from './reads/read-group-sets.ts';
export { readRoutes } from './reads/read-routes.ts';
export { type ReadIngestions, ReadsRemoval } from './reads/reads-removal.ts';
export { dropReads, expectReads, failReads, moveReads, outdateReads } from './reads/reads-state.ts';
export { referenceRoutes } from './references/reference-routes.ts';
export { ReferenceSets } from './references/reference-sets.ts';
export {
  dropReferences,
  findSetOf,
  hasBases,
  moveReferences,
  publishReferences,
  type StoredReference,
  storedReferences,
} from './references/reference-state.ts';
export { discardStaged, stageReferences, sweepReferences } from './references/stage-references.ts';
export { genomicsRemovers } from './removal.ts';
