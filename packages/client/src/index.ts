export {
  type Ingestion,
  PloidyClient,
  type Project,
  type Query,
  type StoredFile,
  type TableSchema,
  type UploadOptions,
  type WaitOptions,
} from './client.ts';
export { ClientError } from './client-error.ts';
export type { Connection } from './connection.ts';
