/** Digests of what each migration does: the statements that it runs on empty tables of either store. */
import { createHash } from 'node:crypto';
import type { DatabaseConnection } from 'kysely';
import { transactionHandles } from '../../../packages/server/src/platform/records/handles.ts';
import { migrations } from '../../../packages/server/src/platform/records/migrations/index.ts';
import { postgresFlavour } from '../../../packages/server/src/platform/records/postgres/pools.ts';
import { sqliteFlavour } from '../../../packages/server/src/platform/records/sqlite/dialect.ts';

const flavours = { sqlite: sqliteFlavour, postgres: postgresFlavour } as const;

/** Digests by store and by the name of the migration. */
export type Steps = Record<keyof typeof flavours, Record<string, string>>;

export async function stepsOf(known: typeof migrations = migrations): Promise<Steps> {
  return { sqlite: await digests('sqlite', known), postgres: await digests('postgres', known) };
}

async function digests(
  store: keyof typeof flavours,
  known: typeof migrations,
): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const [name, step] of Object.entries(known)) {
    const digest = createHash('sha256');
    const connection = {
      executeQuery: async ({ sql, parameters }) => {
        digest.update(`${JSON.stringify([sql.trim().replace(/\s+/g, ' '), parameters])}\n`);
        return { rows: [] };
      },
    } satisfies Partial<DatabaseConnection>;
    const { tx } = transactionHandles(flavours[store])(connection as unknown as DatabaseConnection);
    await step.up(tx as never);
    found[name] = digest.digest('hex');
  }
  return found;
}
