import type { Caller } from '../../access/caller.ts';
import type { ResourceAttributes } from '../../access/resource.ts';
import type { Records, Transaction } from '../../platform/records/records.ts';
import type { FilesTable, IngestionsTable } from '../../platform/records/schema.ts';
import { Problem } from '../../problem.ts';
import type { Callers } from '../callers/index.ts';
import { attributesOf } from '../files/index.ts';
import { attributesOfTables } from '../lake/index.ts';

/**
 * Whether somebody sees the rows of some patients only. What is ingested says whose samples are (a newer Specimen, a list of samples), and so
 * whose rows he sees: he could say that they are his own.
 */
export function seesSomePatientsOnly(
  caller: Caller,
  of: { account_id: string; project_id: string },
): boolean {
  const tables = attributesOfTables(of);
  const [real, masked] = [caller.rows('lake.read', tables), caller.rows('lake.readMasked', tables)];
  return real !== true && (typeof real !== 'boolean' || typeof masked !== 'boolean');
}

/** Problem 403 for who does. */
export function requireWholeSight(caller: Caller, file: FilesTable): void {
  if (!seesSomePatientsOnly(caller, file)) return;
  const message =
    'Who sees the rows of some patients only cannot ingest: what is ingested says whose samples are. Ask somebody who may read all, or nothing, of the project.';
  throw new Problem(403, 'FORBIDDEN', message);
}

/**
 * Refuses what would replace what a file gave, or is about to give: it could be rows of which somebody else has said whose they are. Not asked by
 * the gate, because who repeats his first request would be refused the answer to it.
 */
export async function requireFirst(
  read: Records['read'] | Transaction,
  file: FilesTable,
  but?: string,
): Promise<void> {
  let others = read
    .selectFrom('ingestions')
    .select('id')
    .where('file_id', '=', file.id)
    .where('state', 'in', ['queued', 'running', 'succeeded']);
  if (but !== undefined) others = others.where('id', '<', but);
  if (!(await others.limit(1).executeTakeFirst())) return;
  const message =
    'The file is ingested already, or is being ingested. To replace its rows needs updateData, and of an upload overwrite: true.';
  throw new Problem(403, 'FORBIDDEN', message);
}

/**
 * Problem 403 unless whoever asked for an ingestion may do it now: rights may have gone while it waited or ran. The request asked for
 * `createData`, or of a file that it replaced `updateData`, by the way in which it came about the ingestion, the file or the project.
 */
export async function requireStillAllowed(
  { records, callers }: { records: Records; callers: Callers },
  ingestion: IngestionsTable,
  file: FilesTable,
): Promise<void> {
  const { user_id: userId, account_id: account, project_id: dataset } = ingestion;
  const caller = await callers.resolve({ userId, via: 'job', keyAccount: account });
  const asked: ResourceAttributes[] = [
    { ...attributesOf(file), type: 'ingestion' },
    attributesOf(file),
    { account, dataset, type: 'project', id: dataset },
  ];
  const may = (operation: 'ingestions.run' | 'ingestions.replace'): boolean =>
    asked.some((about) => caller?.may(operation, about));
  if (!caller || !(may('ingestions.run') || may('ingestions.replace'))) {
    const message =
      'Whoever began the ingestion no longer has createData. Somebody who has must begin it again.';
    throw new Problem(403, 'FORBIDDEN', message);
  }
  requireWholeSight(caller, file);
  if (!may('ingestions.replace')) await requireFirst(records.read, file, ingestion.id);
}
