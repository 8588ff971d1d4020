export type {
  AccountUser,
  AuditEvent,
  AuditFilter,
  EhrSync,
  FolderEntry,
  Group,
  Ingestion,
  Invitation,
  NamedPolicy,
  PolicyPreview,
  Project,
  ProposedChange,
  Query,
  QueryPreview,
  ResultFormat,
  RowsPage,
  StoredFile,
  StoredPolicy,
  TableSchema,
  User,
} from './answers.ts';
export { PloidyClient, type UploadSource } from './client.ts';
export { ClientError } from './client-error.ts';
export { bodyOf, type Connection, originOf } from './connection.ts';
export { ingestionTypes } from './generated/openapi.ts';
export type { Operations } from './operations.ts';
export { pages } from './pages.ts';
export { isPassing, isPassingStatus, pause, type RetryOptions, retry } from './retry.ts';
export { linesIn, type Row } from './rows.ts';
export type { BytesListener } from './upload.ts';
export type { PartedUpload, UploadOptions } from './upload-parts.ts';
export { type WaitOptions, waitUntil } from './wait.ts';
