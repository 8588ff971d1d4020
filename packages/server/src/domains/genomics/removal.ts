import { type Remover, rowsOf } from '../deletion/index.ts';

/** What of a project's removal is the genomics area's part. */
export const genomicsRemovers: readonly Remover[] = [
  rowsOf('project', 'readgroup_sets', { blob: 'index_blob' }),
  rowsOf('project', 'read_groups'),
  rowsOf('project', 'reference_sets', { blob: 'bases_blob' }),
  rowsOf('project', 'genome_references'),
];
