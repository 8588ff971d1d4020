import type {
  AccountUser,
  AnnotationChange,
  AnnotationSource,
  ApiKey,
  AuditEvent,
  AuditFilter,
  Cohort,
  Delivery,
  Ehr,
  EhrSync,
  FolderEntry,
  Group,
  Ingestion,
  Invitation,
  InvitationQuery,
  NamedPolicy,
  Project,
  Query,
  StoredFile,
  User,
  Webhook,
} from './answers.ts';
import type { Api } from './connection.ts';
import { pages } from './pages.ts';

/** The largest page that the service returns. */
const pageSize = 1000;

/** Lists of the service, each read to its last page. */
export class Lists {
  readonly api: Api;

  constructor(api: Api) {
    this.api = api;
  }

  async *projects(name?: string): AsyncGenerator<Project> {
    yield* pages((nextPageToken) =>
      this.api.GET('/v1/projects', { params: { query: { pageSize, nextPageToken, ...(name && { name }) } } }),
    );
  }

  async *groups(name?: string): AsyncGenerator<Group> {
    yield* pages((nextPageToken) =>
      this.api.GET('/v1/account/groups', {
        params: { query: { pageSize, nextPageToken, ...(name && { name }) } },
      }),
    );
  }

  /** Lists the members of a group. */
  async *members(id: string): AsyncGenerator<User> {
    yield* pages((nextPageToken) =>
      this.api.GET('/v1/account/groups/{id}/members', {
        params: { path: { id }, query: { pageSize, nextPageToken } },
      }),
    );
  }

  /** Lists the users whose name, or for administrators e-mail address, begins with `name`. */
  async *users(name?: string): AsyncGenerator<AccountUser> {
    yield* pages((nextPageToken) =>
      this.api.GET('/v1/account/users', {
        params: { query: { pageSize, nextPageToken, ...(name && { name }) } },
      }),
    );
  }

  async *files(datasetId: string, name?: string): AsyncGenerator<StoredFile> {
    yield* pages((nextPageToken) =>
      this.api.GET('/v1/files', {
        params: { query: { pageSize, nextPageToken, datasetId, ...(name && { name }) } },
      }),
    );
  }

  /** Lists one folder level: names that begin with `prefix`, up to the next slash. */
  async *folder(datasetId: string, prefix = ''): AsyncGenerator<FolderEntry> {
    yield* pages((nextPageToken) =>
      this.api.GET('/v1/projects/{id}/files', {
        params: { path: { id: datasetId }, query: { pageSize, nextPageToken, prefix } },
      }),
    );
  }

  async *ingestions(datasetId: string): AsyncGenerator<Ingestion> {
    yield* pages((nextPageToken) =>
      this.api.GET('/v1/ingestions', { params: { query: { datasetId, pageSize, nextPageToken } } }),
    );
  }

  async *annotationSources(id: string): AsyncGenerator<AnnotationSource> {
    yield* pages((nextPageToken) =>
      this.api.GET('/v1/projects/{id}/annotation-sources', {
        params: { path: { id }, query: { pageSize, nextPageToken } },
      }),
    );
  }

  /** Lists changed values of annotation sources, with the number of samples that carry the allele. */
  async *annotationChanges(id: string, filter: { source?: string } = {}): AsyncGenerator<AnnotationChange> {
    yield* pages((nextPageToken) =>
      this.api.GET('/v1/projects/{id}/annotation-changes', {
        params: { path: { id }, query: { ...filter, pageSize, nextPageToken } },
      }),
    );
  }

  /** Lists invitations that were received, or sent for the groups of an account. */
  async *invitations(query: InvitationQuery = {}): AsyncGenerator<Invitation> {
    yield* pages((nextPageToken) =>
      this.api.GET('/v1/invitations', { params: { query: { ...query, pageSize, nextPageToken } } }),
    );
  }

  async *policies(name?: string): AsyncGenerator<NamedPolicy> {
    yield* pages((nextPageToken) =>
      this.api.GET('/v1/policies', { params: { query: { pageSize, nextPageToken, ...(name && { name }) } } }),
    );
  }

  /** Lists the newest events of the audit log that pass the filter, at most `count`. */
  async *auditEvents(filter: AuditFilter, count: number): AsyncGenerator<AuditEvent> {
    const size = Math.min(count, pageSize);
    const events = pages((nextPageToken) =>
      this.api.GET('/v1/audit-events', { params: { query: { ...filter, pageSize: size, nextPageToken } } }),
    );
    let left = count;
    for await (const event of events) {
      yield event;
      left--;
      if (left === 0) return;
    }
  }

  async *queries(datasetId: string): AsyncGenerator<Query> {
    yield* pages((nextPageToken) =>
      this.api.GET('/api/v1/analytics/data-lake/query', {
        params: { query: { datasetId, pageSize, nextPageToken } },
      }),
    );
  }

  async *cohorts(projectId: string): AsyncGenerator<Cohort> {
    yield* pages((nextPageToken) =>
      this.api.GET('/v1/cohorts', { params: { query: { projectId, pageSize, nextPageToken } } }),
    );
  }

  async *ehrs(): AsyncGenerator<Ehr> {
    yield* pages((nextPageToken) =>
      this.api.GET('/v1/ehrs', { params: { query: { pageSize, nextPageToken } } }),
    );
  }

  /** Lists the syncs of an EHR system, newest first. */
  async *ehrSyncs(ehrId: string): AsyncGenerator<EhrSync> {
    yield* pages((nextPageToken) =>
      this.api.GET('/v1/ehrs/{ehrId}/syncs', {
        params: { path: { ehrId }, query: { pageSize, nextPageToken } },
      }),
    );
  }

  async *webhooks(): AsyncGenerator<Webhook> {
    yield* pages((nextPageToken) =>
      this.api.GET('/v1/webhooks', { params: { query: { pageSize, nextPageToken } } }),
    );
  }

  /** Lists the deliveries of a webhook, newest first. */
  async *deliveries(webhookId: string): AsyncGenerator<Delivery> {
    yield* pages((nextPageToken) =>
      this.api.GET('/v1/webhooks/{webhookId}/deliveries', {
        params: { path: { webhookId }, query: { pageSize, nextPageToken } },
      }),
    );
  }

  async *apiKeys(): AsyncGenerator<ApiKey> {
    yield* pages((nextPageToken) =>
      this.api.GET('/v1/api-keys', { params: { query: { pageSize, nextPageToken } } }),
    );
  }
}
