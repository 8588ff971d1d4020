import { type Remover, rowsOf } from '../deletion/index.ts';

/** What of a project's removal is htsget's part: the indexes of its VCF files. */
export const htsgetRemovers: readonly Remover[] = [
  rowsOf('project', 'variant_indexes', { key: 'file_id', blob: 'index_blob' }),
];
