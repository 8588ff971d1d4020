import type { BucketTables } from './schema-buckets.ts';
import type { CohortTables } from './schema-cohorts.ts';
import type { DeletionTables } from './schema-deletion.ts';
import type { EhrTables } from './schema-ehrs.ts';
import type { GenomicsTables } from './schema-genomics.ts';
import type { HtsgetTables } from './schema-htsget.ts';
import type { InvitationTables } from './schema-invitations.ts';
import type { LakeCatalogueTables } from './schema-lake.ts';
import type { PeopleTables } from './schema-people.ts';
import type { PlatformTables } from './schema-platform.ts';
import type { SamlTables } from './schema-saml.ts';
import type { SignInTables } from './schema-sign-in.ts';
import type { UploadPartTables } from './schema-uploads.ts';
import type { WebhookTables } from './schema-webhooks.ts';

/** Epoch milliseconds. */
type Time = number;
/** 0 or 1. */
type Flag = number;
/** JSON text. */
type Json = string;

export interface UsersTable {
  id: string;
  /** Lower case; unique among those that are not claimed, and for each account among those that it claims. */
  email: string;
  type: string;
  /** JSON: familyName, givenName, name, preferredUsername. */
  profile: Json;
  /** The names in `profile`, folded, each after a line feed: what a prefix is looked for in. */
  name_keys: string;
  /** argon2id, or null until the user has set a password. */
  password_hash: string | null;
  /** When a link that was sent to the address was followed; null: not proven. */
  email_verified_at: Time | null;
  /** Account whose identity provider alone vouches for the address: valid there only. Null once a mail or a password confirms it. */
  email_claimed_by: string | null;
  created_at: Time;
}

interface AccountsTable {
  id: string;
  name: string;
  type: string;
  owner_id: string;
  /** Permission of assistants: none, to read, or to change data too. */
  assistants: 'off' | 'read' | 'write';
  deletion_at: Time | null;
  created_at: Time;
}

export interface GroupsTable {
  id: string;
  account_id: string;
  name: string;
  name_key: string;
  description: string;
  type: string;
  created_at: Time;
}

interface GroupMembersTable {
  group_id: string;
  user_id: string;
  account_id: string;
  added_at: Time;
}

export interface PoliciesTable {
  id: string;
  account_id: string;
  name: string;
  name_key: string;
  document: Json;
  created_at: Time;
  updated_at: Time;
}

export interface ProjectsTable {
  id: string;
  account_id: string;
  name: string;
  /** `name` folded for comparison without regard to case. */
  name_key: string;
  description: string;
  deletion_at: Time | null;
  created_at: Time;
}

export interface FilesTable {
  id: string;
  account_id: string;
  project_id: string;
  name: string;
  name_key: string;
  content_type: string;
  /** The bytes; a row exists in this table only once its bytes are complete. */
  blob_key: string;
  size: number;
  sha256: string;
  /** `query`: the result of a query, which its user may read without other rights. `ehr`: what a sync pulled. `bucket`: bytes in a connected bucket. */
  origin: 'upload' | 'query' | 'ehr' | 'bucket';
  owner_id: string;
  created_at: Time;
  modified_at: Time;
}

/** Promise to accept bytes for a file: the content of POST /files or POST /uploads. The file appears when the bytes are complete. */
export interface UploadsTable {
  id: string;
  file_id: string;
  account_id: string;
  project_id: string;
  name: string;
  content_type: string;
  /** Set if a file that took the name meanwhile is replaced. */
  overwrite: Flag;
  /** Set if the file existed when the upload began, and might be replaced. */
  replaces: Flag;
  /** The bytes of the file that this upload has made: they may be sent again. */
  made_blob: string | null;
  /** Base64, or null. */
  content_md5: string | null;
  size: number | null;
  ingest: Flag;
  owner_id: string;
  created_at: Time;
  expires_at: Time;
  /** Bytes of all parts that have arrived; null for an upload in one piece. */
  parts_size: number | null;
  /** Time of the join of its parts. The row stays until it expires, for repeated requests. */
  completed_at: Time | null;
  /** ETag of the bytes in the store that were adopted or refused; null before. */
  arrived_tag: string | null;
  /** The credential that began it (`Caller.via`): it ends with that. Null: an earlier version did not note it. */
  via: string | null;
}

export interface ApiKeysTable {
  /** The `jti` of the token. */
  id: string;
  account_id: string;
  user_id: string;
  /** Made in a sign-in through the identity provider of this account. */
  only_account: string | null;
  name: string;
  created_at: Time;
  expires_at: Time;
  revoked_at: Time | null;
  /** The key with which it was made; null: a person made it. */
  parent_id: string | null;
}

interface SigningKeysTable {
  /** The `kid`. */
  id: string;
  purpose: string;
  algorithm: string;
  /** JWK. */
  public_key: Json;
  /** JWK, sealed with the master key. */
  private_key_sealed: string;
  created_at: Time;
}

/** One-time links: only a hash is stored; used by a conditional update. */
interface OneTimeTokensTable {
  /** SHA-256 of the token, hex. */
  id: string;
  purpose: string;
  /** Subject of the link: see domains/authentication/setup/one-time-links.ts. */
  subject_id: string;
  created_at: Time;
  expires_at: Time;
  used_at: Time | null;
}

export interface AuditEventsTable {
  account_id: string;
  /** 1, 2, 3 … within the account, without a gap. */
  sequence: number;
  at: Time;
  user_id: string | null;
  /** Authentication of the caller: `apiKey:<id>`, `session`, `host`, `job`. */
  via: string;
  action: string;
  resource_type: string;
  resource_id: string;
  project_id: string | null;
  outcome: string;
  details: Json;
  request_id: string | null;
  previous_hash: string;
  hash: string;
}

export interface AuditHeadsTable {
  account_id: string;
  sequence: number;
  hash: string;
  /** When the removal of the account began: from then on only the removal itself appends. */
  closed_at: Time | null;
}

interface IdempotencyKeysTable {
  /** SHA-256 of user, method, path and key. */
  id: string;
  body_hash: string;
  state: 'running' | 'done';
  status: number | null;
  body: string | null;
  /** Sealed JSON, as the body is: a header may hold a secret, too. */
  headers: string | null;
  /** Distinguishes attempts with the same key, too. */
  created_at: Time;
}

export interface IngestionsTable {
  id: string;
  account_id: string;
  project_id: string;
  file_id: string;
  file_name: string;
  /** Null until recognised. */
  type: string | null;
  options: Json;
  state: 'queued' | 'running' | 'succeeded' | 'failed' | 'cancelled';
  bytes_done: number;
  bytes_total: number;
  rows: number;
  warning_count: number;
  warnings: Json;
  error: Json | null;
  /** Genome build of its positions (`GRCh38` …), once known. */
  genome_build: string | null;
  /** Rows of each table, samples and patients, once it has succeeded. */
  found: Json | null;
  /** Names of the gene models whose consequences its rows have; null: none. */
  gene_models: Json | null;
  user_id: string;
  job_id: string;
  created_at: Time;
  started_at: Time | null;
  ended_at: Time | null;
}

/** All tables of the service. */
export interface Database
  extends PlatformTables,
    LakeCatalogueTables,
    DeletionTables,
    EhrTables,
    BucketTables,
    GenomicsTables,
    HtsgetTables,
    InvitationTables,
    SamlTables,
    WebhookTables,
    CohortTables,
    SignInTables,
    UploadPartTables,
    PeopleTables {
  users: UsersTable;
  accounts: AccountsTable;
  groups: GroupsTable;
  group_members: GroupMembersTable;
  policies: PoliciesTable;
  projects: ProjectsTable;
  files: FilesTable;
  uploads: UploadsTable;
  api_keys: ApiKeysTable;
  signing_keys: SigningKeysTable;
  one_time_tokens: OneTimeTokensTable;
  audit_events: AuditEventsTable;
  audit_heads: AuditHeadsTable;
  idempotency_keys: IdempotencyKeysTable;
  ingestions: IngestionsTable;
}
