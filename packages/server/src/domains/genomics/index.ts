export { attributesOfReadGroupSet, ReadGroupSets, type ReadsSource, readsOf } from './read-group-sets.ts';
export { genomicsRemovers } from './removal.ts';
