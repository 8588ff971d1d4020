import { formatsThatPublish } from '@ploidy/converters';
import type { ConversionOptions } from '@ploidy/engine';
import { columnNameOf, keyColumns } from '@ploidy/formats/tables';
import type { Caller } from '../../access/caller.ts';
import { attributesOfNew } from '../../access/resource.ts';
import { Problem } from '../../base/problem.ts';
import type { Records, Transaction } from '../../platform/records/records.ts';
import type { FilesTable, IngestionsTable } from '../../platform/records/schema.ts';
import { attributesOf, type Files } from '../files/index.ts';
import type { Callers } from '../identity/callers/index.ts';
import { attributesOfTables } from '../lake/index.ts';
import { attributesOfIngestion } from './ingestion.ts';

/**
 * Reports whether a caller may read some patients only. Ingested data assign samples to patients (a newer
 * Specimen, a list of samples), so such a caller could assign foreign rows to an own patient.
 */
export function seesSomePatientsOnly(
  caller: Caller,
  of: { account_id: string; project_id: string },
): boolean {
  const tables = attributesOfTables(of);
  const [real, masked] = [caller.rows('lake.read', tables), caller.rows('lake.readMasked', tables)];
  return real !== true && (typeof real !== 'boolean' || typeof masked !== 'boolean');
}

/**
 * Checks the right to rows that enter or leave a project with their file, by a move or a deletion. A file
 * with rows of a patient also assigns samples of other files.
 */
export async function requireFullAccessToRows(
  tx: Transaction,
  caller: Caller,
  file: FilesTable,
  project: string,
): Promise<void> {
  const { account_id: account } = file;
  const isPartial = seesSomePatientsOnly(caller, { account_id: account, project_id: project });
  // Rows that enter a project with their file are ingested there, by another name.
  const mayEnter =
    project === file.project_id ||
    caller.may('ingestions.create', attributesOfNew('ingestion', { account, id: project }, caller));
  if (!isPartial && mayEnter) return;
  const row = await tx
    .selectFrom('segments')
    .select('id')
    .where('source_file_id', '=', file.id)
    .where('removed_version', 'is', null)
    .limit(1)
    .executeTakeFirst();
  if (row) throw new Problem(403, 'FORBIDDEN', isPartial ? someRowsOnly : noIngestion);
}

const someRowsOnly =
  'The file has rows in a project of which you see some patients only: it would change the patients of samples. Ask a user who may read all, or nothing, of the project.';

const noIngestion =
  'The file has rows, and moving them needs createData for ingestions in the other project. Delete the rows first, or ask a user who may ingest there.';

/** Problem 403 for a caller who may read some patients only. */
export function requireFullAccess(caller: Caller, file: FilesTable): void {
  if (!seesSomePatientsOnly(caller, file)) return;
  const message =
    'Users who may read some patients only cannot ingest, since ingested data assign samples to patients. Ask a user who may read all, or nothing, of the project.';
  throw new Problem(403, 'FORBIDDEN', message);
}

/**
 * Refuses to replace present or pending rows of a file: another user may have assigned them to patients. Not
 * checked by the gate, which would refuse a repeated request its earlier response.
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
    'The file is ingested already, or is being ingested. Replacing its rows needs updateData, and for an upload overwrite: true.';
  throw new Problem(403, 'FORBIDDEN', message);
}

/** Reports whether a column gets another mask than the default, which shows nothing but hashes of patients and samples. */
export function choosesMasks({ table }: Pick<ConversionOptions, 'table'>): boolean {
  const isKey = (title: string) => keyColumns.some((key) => key === columnNameOf(title));
  return (table?.columns ?? []).some(
    ({ name, mask = 'null' }) => mask !== 'null' && !(mask === 'hash' && isKey(name)),
  );
}

const readFormats: ReadonlySet<string> = new Set(formatsThatPublish('reads'));

/**
 * Problem 403 unless the user of an ingestion still has the right to it, which may have ended meanwhile. That is `createData`
 * for the ingestion or the read group set, or `updateData`, and the rights that its file needs.
 */
export async function requireStillAllowed(
  { records, callers, files }: { records: Records; callers: Callers; files: Files },
  ingestion: IngestionsTable,
  file: FilesTable,
): Promise<void> {
  const { user_id: userId, account_id: account } = ingestion;
  const caller = await callers.resolve({ userId, via: 'job', keyAccount: account });
  const about = attributesOfIngestion(ingestion);
  const mayReplace = caller?.may('ingestions.replace', { ...attributesOf(file), type: 'ingestion' });
  const mayCreate =
    caller?.may('ingestions.run', about) ||
    (readFormats.has(ingestion.type ?? '') &&
      caller?.may('reads.create', { ...about, type: 'readGroupSet' }));
  if (!caller || !(mayCreate || mayReplace)) {
    const message =
      'The user who began the ingestion no longer has createData. A permitted user has to begin it again.';
    throw new Problem(403, 'FORBIDDEN', message);
  }
  const options = JSON.parse(ingestion.options) as ConversionOptions;
  const needed = await files.neededToIngest(file, caller, choosesMasks(options));
  if (!needed.every(({ operation, attributes }) => caller.may(operation, attributes))) {
    const message =
      'The user who began the ingestion may no longer ingest the file like this. A permitted user has to begin it again.';
    throw new Problem(403, 'FORBIDDEN', message);
  }
  requireFullAccess(caller, file);
  if (!mayReplace) await requireFirst(records.read, file, ingestion.id);
}
