export { detailSeparator, type MappingSettings, RecordMapper, rowBytesMax } from './record-mapper.ts';
