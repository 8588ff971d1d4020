import type { components, paths } from './generated/openapi.ts';

type Answer<P extends keyof paths, M extends 'get' | 'post'> = paths[P] extends {
  [K in M]: { responses: infer R };
}
  ? R extends { 200: { content: { 'application/json': infer B } } }
    ? B
    : R extends { 202: { content: { 'application/json': infer B } } }
      ? B
      : never
  : never;

export type Project = Answer<'/v1/projects/{id}', 'get'>;
export type StoredFile = Answer<'/v1/files', 'get'>['items'][number];
/** A file, or a folder by the beginning that names in it share. */
export type FolderEntry = Answer<'/v1/projects/{id}/files', 'get'>['items'][number];
export type Cohort = Answer<'/v1/cohorts', 'get'>['items'][number];
export type ApiKey = Answer<'/v1/api-keys', 'get'>['items'][number];
export type Ehr = Answer<'/v1/ehrs', 'get'>['items'][number];
export type EhrSync = Answer<'/v1/ehrs/{ehrId}/syncs/{syncId}', 'get'>;
export type Webhook = Answer<'/v1/webhooks', 'get'>['items'][number];
export type Delivery = Answer<'/v1/webhooks/{webhookId}/deliveries', 'get'>['items'][number];
export type AnnotationSource = Answer<'/v1/projects/{id}/annotation-sources', 'get'>['items'][number];
export type AnnotationChange = Answer<'/v1/projects/{id}/annotation-changes', 'get'>['items'][number];
export type Ingestion = Answer<'/v1/ingestions/{id}', 'get'>;
export type QueryPreview = Exclude<Answer<'/api/v1/analytics/data-lake/query', 'post'>, { queryId: string }>;
export type Query = Answer<'/api/v1/analytics/data-lake/query/{queryId}', 'get'>;
export type RowsPage = Answer<'/api/v1/analytics/data-lake/rows', 'post'>;
type NewQuery = NonNullable<
  paths['/api/v1/analytics/data-lake/query']['post']['requestBody']
>['content']['application/json'];
export type ResultFormat = NonNullable<NewQuery['format']>;
export type TimestampForm = NonNullable<NewQuery['timestamps']>;
export type Invitation = Answer<'/v1/invitations/{id}', 'get'>;
export type TableSchema = Answer<'/api/v1/analytics/data-lake/schema', 'get'>['schemas'][number];
export type Group = Answer<'/v1/account/groups/{id}', 'get'>;
export type User = Answer<'/v1/user', 'get'>;
export type AccountUser = Answer<'/v1/account/users', 'get'>['items'][number];
export type InvitationQuery = Omit<
  NonNullable<paths['/v1/invitations']['get']['parameters']['query']>,
  'pageSize' | 'nextPageToken'
>;
export type NamedPolicy = Answer<'/v1/policies/{policyId}', 'get'>;
/** A policy as the answer to the change that stored it. */
export type StoredPolicy = Answer<'/v1/policies', 'post'>;
export type PolicyPreview = Answer<'/v1/policies/preview', 'post'>;
export type ProposedChange = NonNullable<
  paths['/v1/policies/preview']['post']['requestBody']
>['content']['application/json']['changes'][number];
export type AuditEvent = Answer<'/v1/audit-events', 'get'>['items'][number];
export type AuditFilter = Omit<
  NonNullable<paths['/v1/audit-events']['get']['parameters']['query']>,
  'pageSize' | 'nextPageToken'
>;
export type NewIngestion = NonNullable<
  paths['/v1/ingestions']['post']['requestBody']
>['content']['application/json'];
/** Privilege that policies grant. */
export type Privilege = components['schemas']['Privilege'];
/** Type of a resource that policies decide about. */
export type ResourceType = components['schemas']['ResourceType'];
/** Comparison of an attribute with a value or another attribute. */
export type Operator = components['schemas']['Operator'];
