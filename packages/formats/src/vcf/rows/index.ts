export { MappingCounts, type PlainCounts } from './mapping-counts.ts';
export type { MappingSettings } from './mapping-settings.ts';
export { RecordMapper, smallGroupsMax } from './record-mapper.ts';
export { compareKeys, type SortedGroup } from './variant-group.ts';
