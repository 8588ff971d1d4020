export { type MappingSettings, RecordMapper, smallGroupsMax } from './record-mapper.ts';
export { compareKeys, type RowKey, type SortedGroup } from './variant-group.ts';
