import type { QueryOutcome } from '@ploidy/engine';
import type { Blobs } from '../../../platform/blobs/blobs.ts';
import type { NewSegment } from './catalogue.ts';

/** Tables of notes on versions. They are computed for each project anew. */
export const revisionTables: ReadonlySet<string> = new Set(['_revision', '_newer']);

/** File of notes to be written. */
interface RevisionFile {
  table: string;
  select: string;
  path: string;
}

/**
 * Plans the notes by which queries choose the current versions of resources, of which most have one version
 * only. `_revision`: arriving versions of resources that have others. `_newer`: others that are newer than the
 * arriving one. Whichever ingestions are removed later, the current version of a resource with several visible
 * ones is noted: it is in `_revision`, or was alone when it was published, and then all others note it.
 * `ours` and `theirs`: relations of the arriving and of the present versions.
 */
export function planRevisions(ours: string, theirs: string, folder: string): RevisionFile[] {
  const at = (alias: string) => `coalesce(${alias}.last_updated, TIMESTAMP '1900-01-01')`;
  const sorted = 'ORDER BY resource_type, resource_id';
  return [
    {
      table: '_revision',
      path: `${folder}/revision.parquet`,
      select: `SELECT resource_type, resource_id, last_updated, deleted FROM ${ours}
        SEMI JOIN (SELECT DISTINCT resource_type, resource_id FROM ${foundIn(theirs, ours)})
        USING (resource_type, resource_id) ${sorted}`,
    },
    {
      table: '_newer',
      path: `${folder}/newer.parquet`,
      select: `SELECT DISTINCT t.resource_type, t.resource_id, t.last_updated, t.deleted, t._ordinal AS version
        FROM ${theirs} AS t JOIN ${ours} AS o ON t.resource_type = o.resource_type AND t.resource_id = o.resource_id
        WHERE ${at('t')} > ${at('o')} AND NOT (o.deleted AND o.last_updated IS NULL) ${sorted}`,
    },
  ];
}

/**
 * Selects the present versions of arriving resources. An inner join hashes the arriving ids, and the scan of the
 * present ones skips row groups without them. A semi join reads all, and may hash all.
 */
function foundIn(theirs: string, ours: string): string {
  return `(SELECT t.* FROM ${theirs} AS t JOIN (SELECT DISTINCT resource_type, resource_id FROM ${ours}) AS arriving
    ON t.resource_type = arriving.resource_type AND t.resource_id = arriving.resource_id)`;
}

/** Adopts the written notes; files without rows are left in their folder. */
export async function adoptRevisions(
  blobs: Blobs,
  files: readonly RevisionFile[],
  outcomes: readonly QueryOutcome[],
): Promise<NewSegment[]> {
  const segments: NewSegment[] = [];
  for (const [index, { table, path }] of files.entries()) {
    const outcome = outcomes[index];
    if (outcome && outcome.rowCount > 0)
      segments.push({
        table,
        rowCount: outcome.rowCount,
        blob: await blobs.adopt(path, outcome),
        genomeBuild: null,
      });
  }
  return segments;
}
