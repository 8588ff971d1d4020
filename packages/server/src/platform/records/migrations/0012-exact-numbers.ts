import type { Kysely } from 'kysely';
import { repairNumbers } from '../number-checks.ts';

/** Repairs numbers that cannot be read. From this step on `migrate` gives each column of numbers its check. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await repairNumbers(db);
}
