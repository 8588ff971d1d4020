import { sql } from 'kysely';
import { sealedSigningKeys } from '../../domains/authentication/keys/index.ts';
import { isUnavailable, type Records } from '../../platform/records/index.ts';
import type { Secrets } from '../../platform/secrets/index.ts';

/**
 * Returns a periodic check that calls `end` once the records are sealed with another master key. A process that was suspended
 * or disconnected meanwhile would go on sealing with a key that no longer exists.
 */
export function changedKeyWatch(
  { records, secrets }: { records: Records; secrets: Secrets },
  end: (error: Error) => void,
): () => Promise<void> {
  return async () => {
    const { table, column, key } = sealedSigningKeys;
    const asked = sql<{ key: string; value: string }>`
      select ${sql.ref(key)} as key, ${sql.ref(column)} as value from ${sql.table(table)}`;
    const { rows } = await asked.execute(records.read).catch((error: unknown) => {
      if (isUnavailable(error)) return { rows: [] };
      throw error;
    });
    if (!rows.every((row) => opens(secrets, row)))
      end(
        new Error(
          'The master key was changed (admin rotate-key) while this process ran: give it the new key file and start it again.',
        ),
      );
  };
}

function opens(secrets: Secrets, { key, value }: { key: string; value: string }): boolean {
  try {
    sealedSigningKeys.renew(secrets, value, key);
    return true;
  } catch {
    // Any other fault: a start would be refused.
    return false;
  }
}
