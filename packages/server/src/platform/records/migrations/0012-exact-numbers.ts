import type { Kysely } from 'kysely';
import { repairNumbers } from '../number-checks.ts';

/** Repairs numbers that cannot be read. From this step on `migrate` adds a check to each column of numbers. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await repairNumbers(db);
}
