import type { Kysely } from 'kysely';
import { hasCode } from '../../base/error-code.ts';
import { type Migration, migrations } from './migrations/index.ts';
import { checkNumbers } from './number-checks.ts';
import type { Reader, Transaction } from './records.ts';
import { refusalOf, unknownStep } from './unknown-steps.ts';

type MigrationRows = { schema_migrations: { name: string; applied_at: number } };

/**
 * Brings the schema forward inside the caller's transaction, which holds the store's migration lock. Of two processes that
 * start at once, the second finds nothing left to do. Kysely's own migrator neither locks out another process on SQLite nor
 * uses a transaction there.
 *
 * Refuses a store of a newer version, or of a build before 0.1.0: its rules are unknown to this one.
 */
export async function migrate(
  transaction: Transaction,
  steps: Readonly<Record<string, Migration>>,
): Promise<void> {
  // A step uses no tables but those it makes.
  const tx = transaction as unknown as Kysely<unknown>;
  await tx.schema
    .createTable('schema_migrations')
    .ifNotExists()
    .addColumn('name', 'text', (c) => c.primaryKey())
    .addColumn('applied_at', 'bigint', (c) => c.notNull())
    .execute();
  const rows = tx.withTables<MigrationRows>();
  const applied = await rows.selectFrom('schema_migrations').select('name').execute().catch(refuseForeign);
  const done = new Set(applied.map((row) => row.name));
  const refusal = refusalOf([...done], steps);
  if (refusal !== undefined) throw new Error(refusal);
  const waiting = Object.keys(steps).filter((name) => !done.has(name));
  for (const name of waiting.sort()) {
    const step = steps[name];
    if (step === undefined) continue;
    await (done.size === 0 ? step.up(tx).catch(refuseForeign) : step.up(tx));
    await rows.insertInto('schema_migrations').values({ name, applied_at: Date.now() }).execute();
  }
  // Here, so that a column of a later step has its check without a word of that step.
  if (waiting.length > 0 && Object.hasOwn(steps, '0012-exact-numbers')) await checkNumbers(tx);
}

/** Returns a step that this version does not know and that was made since it opened the records. */
export async function newerStep(
  read: Reader,
  steps: Readonly<Record<string, Migration>> = migrations,
): Promise<string | undefined> {
  const rows = (read as unknown as Kysely<MigrationRows>).selectFrom('schema_migrations').select('name');
  return unknownStep(
    (await rows.execute()).map(({ name }) => name),
    steps,
  );
}

/** PostgreSQL's codes of a missing column and of an existing table: in a database without records, foreign tables. */
function refuseForeign(error: unknown): never {
  if (!hasCode(error, '42703', '42P07')) throw error;
  const message =
    'The database holds tables of something else, with names that Ploidy needs. Give it a database of its own, or a role whose search_path begins with a schema of its own.';
  throw new Error(message, { cause: error });
}
