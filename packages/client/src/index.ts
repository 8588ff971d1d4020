export {
  type AccountUser,
  type AuditEvent,
  type AuditFilter,
  type EhrSync,
  type FolderEntry,
  type Group,
  type Ingestion,
  type Invitation,
  type NamedPolicy,
  PloidyClient,
  type PolicyPreview,
  type Project,
  type ProposedChange,
  type Query,
  type QueryPreview,
  type StoredFile,
  type TableSchema,
  type UploadOptions,
  type User,
} from './client.ts';
export { ClientError } from './client-error.ts';
export { bodyOf, type Connection, originOf } from './connection.ts';
export { isPassing } from './patience.ts';
export type { BytesListener } from './upload.ts';
export { type WaitOptions, waitUntil } from './wait.ts';
