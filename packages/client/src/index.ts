export { answerFault } from './answer-fault.ts';
export type {
  AccountUser,
  AnnotationChange,
  AnnotationSource,
  AuditEvent,
  AuditFilter,
  Delivery,
  EhrSync,
  FolderEntry,
  Group,
  Ingestion,
  Invitation,
  NamedPolicy,
  Operator,
  PolicyPreview,
  Privilege,
  Project,
  ProposedChange,
  Query,
  QueryPreview,
  ResourceType,
  ResultFormat,
  RowsPage,
  StoredFile,
  StoredPolicy,
  TableSchema,
  TimestampForm,
  User,
  Webhook,
} from './answers.ts';
export { PloidyClient, type UploadSource } from './client.ts';
export { ClientError } from './client-error.ts';
export { type Api, bodyOf, type Connection, openApi, originOf } from './connection.ts';
export { eventKinds, ingestionTypes } from './generated/openapi.ts';
export { Lists } from './lists.ts';
export type { Operations } from './operations.ts';
export { nextToken, pages } from './pages.ts';
export { isPassing, isPassingStatus, pause, type RetryOptions, retry } from './retry.ts';
export { linesIn, type Row } from './rows.ts';
export {
  type LinkedSample,
  type LinkedSamples,
  linkedSamples,
  mergedSamples,
  readLinkedSamples,
  replaceLinkedSamples,
} from './samples.ts';
export { type TarEntry, tarBytes } from './tar.ts';
export type { BytesListener, PartedUpload, UploadOptions } from './upload-parts.ts';
export { type WaitOptions, waitUntil } from './wait.ts';
