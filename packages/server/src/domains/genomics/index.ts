export { HeaderChecksums } from './agreement.ts';
export { datasetRoutes } from './dataset-routes.ts';
export { type NewReads, publishReads } from './publish-reads.ts';
export {
  attributesOfReadGroupSet,
  ReadGroupSets,
  type ReadsRow,
  type ReadsSource,
  readsOf,
} from './read-group-sets.ts';
export { type ReadIngestions, readRoutes } from './read-routes.ts';
export { ReadsRemoval } from './reads-removal.ts';
export { dropReads, expectReads, failReads, moveReads, outdateReads } from './reads-state.ts';
export { referenceRoutes } from './reference-routes.ts';
export { ReferenceSets } from './reference-sets.ts';
export { dropReferences, findSetOf, moveReferences, publishReferences } from './reference-state.ts';
export { genomicsRemovers } from './removal.ts';
export { discardStaged, stageReferences, sweepReferences } from './stage-references.ts';
