import { join } from 'node:path';
import type { Convert, ConvertedTable } from '@ploidy/engine';
import { genomeRanges, literal, withColumns } from '@ploidy/engine/task-runtime';
import { alleleColumns, annotation, storedTable } from '@ploidy/formats';
import { filledColumns, sameAllele } from './fill.ts';

/** Rows that are joined at once; they bound the memory of the process. */
const rangeRowsMax = 250_000;

/**
 * A segment of `variant` with its columns filled from annotations (`besidePaths`, the newest first), by ranges of the genome
 * with a file each. Nothing is sorted, and memory holds one range. Rows keep their order and all their columns.
 */
export const annotateSegment: Convert = async (task, sql, report) => {
  const file = `read_parquet(${literal(task.sourcePath)}, file_row_number = true)`;
  const own = withColumns(storedTable('variant').columns, file);
  const paths = task.besidePaths ?? [];
  const sources = paths.map((_, index) => `a${index}`);
  const filled = [...filledColumns(sources)].map(([column, value]) => `${value} AS ${column}`).join(', ');
  const joins = sources.map((source) => `LEFT JOIN ${source} ON ${sameAllele(source)}`).join(' ');
  const keys = alleleColumns.join(', ');
  const columns = annotation.columns.map(({ name }) => name).join(', ');
  const tables: ConvertedTable[] = [];
  let rowsDone = 0;
  for (const [index, range] of (await genomeRanges(sql, own, rangeRowsMax)).entries()) {
    for (const [at, source] of sources.entries()) {
      // Rows of an annotation, which may cover the whole genome, are kept only for variants of the range.
      await sql.run(`CREATE OR REPLACE TEMP TABLE ${source} AS
        SELECT ${columns} FROM ${withColumns(annotation.columns, `read_parquet(${literal(paths[at] ?? '')})`)} AS a
        SEMI JOIN (SELECT ${keys} FROM ${own} WHERE ${range}) AS v USING (${keys}) WHERE ${range}`);
    }
    const path = join(task.outputFolder, `${index}.parquet`);
    const rows = `SELECT v.* EXCLUDE (file_row_number) REPLACE (${filled})
      FROM (SELECT * FROM ${own} WHERE ${range}) AS v ${joins} ORDER BY v.file_row_number`;
    const count = await sql.run(
      `COPY (${rows}) TO ${literal(path)} (FORMAT parquet, COMPRESSION zstd, COMPRESSION_LEVEL 1)`,
    );
    tables.push({ table: 'variant', path, rows: count });
    rowsDone += count;
    report.progress(0, rowsDone);
  }
  const read = await sql.count(own);
  if (read !== rowsDone) throw new Error(`${read} variants were read, ${rowsDone} written`);
  return tables;
};
