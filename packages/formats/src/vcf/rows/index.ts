export { readFormatKeys } from './calls/call-keys.ts';
export { infoSlots } from './info-slots.ts';
export { MappingCounts, type PlainCounts } from './mapping-counts.ts';
export type { MappingSettings } from './mapping-settings.ts';
export type { RecordAccount } from './record-account.ts';
export { RecordMapper, smallGroupsMax } from './record-mapper.ts';
export { compareKeys, groupRowsMax, type SortedGroup } from './variant-group.ts';
