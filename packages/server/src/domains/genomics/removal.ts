import type { Transaction } from '../../platform/records/records.ts';
import { type Remover, rowsOf } from '../deletion/index.ts';

/** What of a project's removal is the genomics area's part: what belongs to a set goes before the set. */
export const genomicsRemovers: readonly Remover[] = [
  rowsInSets('read_groups', 'readgroup_sets'),
  rowsOf('project', 'readgroup_sets', { blob: 'index_blob' }),
  rowsInSets('genome_references', 'reference_sets'),
  rowsOf('project', 'reference_sets', { blob: 'bases_blob' }),
];

/** Rows that name their set, and by it their project. */
function rowsInSets(
  table: 'read_groups' | 'genome_references',
  sets: 'readgroup_sets' | 'reference_sets',
): Remover {
  return {
    of: 'project',
    table,
    remove: async (tx: Transaction, id, rowsMax) => {
      const inProject = tx.selectFrom(sets).select('id').where('project_id', '=', id);
      const some = tx.selectFrom(table).select('id').where('set_id', 'in', inProject).limit(rowsMax);
      const gone = await tx.deleteFrom(table).where('id', 'in', some).executeTakeFirst();
      return { rows: Number(gone.numDeletedRows), blobs: [] };
    },
  };
}
