export { type MappingSettings, RecordMapper } from './record-mapper.ts';
export { compareKeys, type EncodedGroup, type RowKey } from './variant-group.ts';
