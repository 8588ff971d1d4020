import type { Transaction } from '../../../platform/records/records.ts';
import { type Remover, rowsOf } from '../../deletion/index.ts';

/** Removes the genomics records of a project, the content of a set before the set. */
export const genomicsRemovers: readonly Remover[] = [
  rowsInSets('read_groups', 'readgroup_sets'),
  rowsOf('project', 'readgroup_sets', { blob: 'index_blob' }),
  rowsInSets('genome_references', 'reference_sets'),
  rowsOf('project', 'reference_sets', { blob: 'bases_blob' }),
];

/** Removes rows that refer to the project through their set. */
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
