import { basename } from 'node:path';
import type { Convert, ConvertedTable } from '@ploidy/engine';
import { literal } from '@ploidy/engine/task-runtime';
import { studyTables } from './alterations.ts';

/** Names of the pair in a file of somatic calls, of which the second is examined (vcf/convert.ts). */
const pair = ['NORMAL', 'TUMOR'];

/**
 * Derives `alteration` and `sample_profile` from tables of an earlier ingestion. Paths are those of one file each, named after the
 * table. Of a pair of NORMAL and TUMOR only the tumor is examined.
 */
export const deriveStudy: Convert = async (task, sql, report) => {
  const tables: ConvertedTable[] = [];
  for (const path of [task.sourcePath, ...(task.besidePaths ?? [])]) {
    const rows = await sql.count(`read_parquet(${literal(path)})`);
    tables.push({ table: basename(path, '.parquet'), path, rows });
  }
  const sequence = tables.find(({ table }) => table === 'sequence');
  const found = sequence
    ? await sql.rows(
        `SELECT id, any_value(test_type) AS assay FROM read_parquet(${literal(sequence.path)}) WHERE id IS NOT NULL GROUP BY id ORDER BY id`,
      )
    : [];
  const ids = found.map(({ id }) => String(id));
  const samples = ids.join() === pair.join() ? ids.slice(1) : ids;
  const [testType] = found.flatMap(({ assay }) => (typeof assay === 'string' ? [assay] : []));
  const options = { ...task.options, ...(testType !== undefined && { testType }) };
  const derived = await studyTables({ ...task, options }, sql, tables, { samples });
  report.progress(
    task.sourceSize,
    derived.reduce((sum, { rows }) => sum + rows, 0),
  );
  return derived;
};
