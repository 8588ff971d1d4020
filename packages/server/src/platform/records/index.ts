export { onPostgres, orderedText, sequenceKey } from './columns.ts';
export { isUnavailable, isUniqueViolation } from './errors.ts';
export { lockDataFolder } from './lock-data-folder.ts';
export type { PlatformLog } from './log.ts';
export type { RecordsSettings } from './open.ts';
export { openRecords } from './open.ts';
export type { Reader, Records, Transaction } from './records.ts';
export type { Database } from './schema.ts';
