import { type Kysely, sql } from 'kysely';

/** Ways into tables that grow: for lists in each of their orders, and for what is swept or stopped. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await lists(db);
  await sweeps(db);
}

async function lists(db: Kysely<unknown>): Promise<void> {
  await index(db, 'files', 'account_size', ['account_id', 'size', 'id']);
  await index(db, 'files', 'owner', ['owner_id', 'name_key', 'id']);
  await index(db, 'files', 'owner_size', ['owner_id', 'size', 'id']);
  await index(db, 'invitations', 'inviter', ['inviter_id', 'id']);
  await index(db, 'queries', 'user', ['project_id', 'user_id', 'id']);
  await longer(db, 'queries', 'state', ['project_id', 'state', 'id']);
  await longer(db, 'group_members', 'account', ['account_id', 'user_id', 'group_id']);
  await longer(db, 'genome_references', 'md5checksum', ['md5checksum', 'set_id', 'position']);
  await longer(db, 'genome_references', 'accession', ['accession', 'set_id', 'position']);
}

async function sweeps(db: Kysely<unknown>): Promise<void> {
  await index(db, 'idempotency_keys', 'age', ['created_at']);
  await index(db, 'one_time_tokens', 'expiry', ['expires_at']);
  await index(db, 'saml_requests', 'account', ['account_id']);
  await index(db, 'saml_assertions', 'account', ['account_id']);
  const few: [table: string, column: string, condition: string][] = [
    ['sessions', 'ended_at', 'ended_at is not null'],
    ['sessions', 'only_account', 'only_account is not null'],
    ['grants', 'revoked_at', 'revoked_at is not null'],
    ['grants', 'only_account', 'only_account is not null'],
    ['grants', 'code_expires_at', 'code_used_at is null'],
    ['ingestions', 'project_id', "state in ('queued', 'running')"],
    ['annotated_segments', 'retired_at', 'retired_at is not null'],
    ['lakes', 'project_id', 'version > compacted_version and compaction_job_id is null'],
  ];
  for (const [table, column, condition] of few) {
    const name = sql.raw(`${table}_few_${column}`);
    await sql`create index ${name} on ${sql.table(table)} (${sql.ref(column)}) where ${sql.raw(condition)}`.execute(
      db,
    );
  }
}

/** Puts more columns behind those of an index. */
async function longer(db: Kysely<unknown>, table: string, name: string, columns: string[]): Promise<void> {
  await db.schema.dropIndex(`${table}_${name}`).execute();
  await index(db, table, name, columns);
}

async function index(db: Kysely<unknown>, table: string, name: string, columns: string[]): Promise<void> {
  await db.schema.createIndex(`${table}_${name}`).on(table).columns(columns).execute();
}
