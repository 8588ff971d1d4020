import type { Kysely } from 'kysely';
import { hasCode } from '../../base/error-code.ts';
import { type Migration, migrations } from './migrations/index.ts';
import { checkNumbers } from './number-checks.ts';
import type { Reader, Transaction } from './records.ts';
import { type AppliedSteps, refusalOf, unknownStep } from './unknown-steps.ts';

type MigrationRows = { schema_migrations: { name: string; applied_at: number; beside: string | null } };
type Rows = Kysely<MigrationRows>;

/** Step that adds the column `beside`. */
const besideStep = '0048-steps-beside';

/** Reads the applied steps. */
async function appliedSteps(rows: Rows): Promise<AppliedSteps> {
  const names = await rows.selectFrom('schema_migrations').select('name').execute();
  const hasBeside = names.some(({ name }) => name === besideStep);
  const all = hasBeside
    ? await rows.selectFrom('schema_migrations').select(['name', 'beside']).execute()
    : names;
  return new Map(all.map((row) => [row.name, 'beside' in row ? (row.beside as string | null) : null]));
}

/**
 * Brings the schema forward inside the caller's transaction, which holds the store's migration lock. Of two processes that
 * start at once, the second finds nothing left to do. Kysely's own migrator neither locks out another process on SQLite nor
 * uses a transaction there.
 *
 * Refuses a store of a newer version that this one does not work beside, or of a build before 0.1.0: its rules are unknown.
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
  const done = await appliedSteps(rows).catch(refuseForeign);
  const refusal = refusalOf([...done.keys()], steps, done);
  if (refusal !== undefined) throw new Error(refusal);
  const waiting = Object.keys(steps).filter((name) => !done.has(name));
  for (const name of waiting.sort()) {
    const step = steps[name];
    if (step === undefined) continue;
    await (done.size === 0 ? step.up(tx).catch(refuseForeign) : step.up(tx));
    const { beside } = step;
    const row = { name, applied_at: Date.now(), ...(beside !== undefined && { beside }) };
    await rows.insertInto('schema_migrations').values(row).execute();
  }
  // Here, so that a column of a later step has its check without a word of that step.
  if (waiting.length > 0 && Object.hasOwn(steps, '0012-exact-numbers')) await checkNumbers(tx);
}

/** Returns a step that was made since this version opened the records, beside which it must not work. */
export async function newerStep(
  read: Reader,
  steps: Readonly<Record<string, Migration>> = migrations,
): Promise<string | undefined> {
  const applied = await appliedSteps(read as unknown as Rows);
  return unknownStep(applied.keys(), steps, applied);
}

/** PostgreSQL's codes of a missing column and of an existing table: in a database without records, foreign tables. */
function refuseForeign(error: unknown): never {
  if (!hasCode(error, '42703', '42P07')) throw error;
  const message =
    'The database holds tables of something else, with names that Ploidy needs. Give it a database of its own, or a role whose search_path begins with a schema of its own.';
  throw new Error(message, { cause: error });
}
