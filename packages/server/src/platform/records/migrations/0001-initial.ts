import { type Kysely, sql } from 'kysely';
import { statementsOf } from '../columns.ts';
import { createBlobTriggers } from './initial/blob-triggers.ts';
import { filesTables } from './initial/files.ts';
import { identityTables } from './initial/identity.ts';
import { lakeTables } from './initial/lake.ts';
import { platformTables } from './initial/platform.ts';
import { signInTables } from './initial/sign-in.ts';

/** Creates the schema of version 0.1.0. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const area of [platformTables, identityTables, signInTables, filesTables, lakeTables])
    for (const statement of statementsOf(db, area)) await sql.raw(statement).execute(db);
  await createBlobTriggers(db);
}
