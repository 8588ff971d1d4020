import { join } from 'node:path';
import { annotationKeys, annotationLayout, RecordMapper } from '@ploidy/formats';
import type {
  ConversionTask,
  Convert,
  ConvertedTable,
  Reporter,
  Sql,
} from '../../../platform/engine/conversion.ts';
import { type Beginning, readBeginning } from './beginning.ts';
import { copyRecords } from './copy.ts';
import { fileSamples, sequenceRows } from './samples.ts';
import { literal } from './sql-text.ts';
import { VariantFile } from './variant-file.ts';

/** A VCF, plain or gzipped, into `variant` and `sequence` (docs/formats/vcf.md). One at a time in a process. */
export const convertVcf: Convert = async (task, sql, report) => {
  const beginning = await readBeginning(task.sourcePath);
  const samples = fileSamples(beginning, task.options, report);
  const seen = infoOfRecords(beginning.records);
  const file = new VariantFile();
  const mapper = new RecordMapper({
    setId: task.setId,
    sampleCount: samples.columnCount,
    sampleIds: samples.ids,
    declared: beginning.header.info,
    seen: seen.keys(),
    layout: annotationLayout(beginning.header, seen),
    passOnly: task.options.passOnly ?? false,
    onGroup: (group) => file.add(group),
  });
  await copyRecords({ task, sql, report, beginning, samples, mapper, file, path: pathOf(task, 'variant') });
  warnOfLeftOut(mapper, report);
  await sql.run(
    `COPY (${sequenceRows(samples, task.options)}) TO ${literal(pathOf(task, 'sequence'))} (FORMAT parquet, COMPRESSION zstd)`,
  );
  const tables = [await convertedTable(task, sql, 'variant'), await convertedTable(task, sql, 'sequence')];
  // Rows that the engine did not write would be rows lost.
  if (tables[0]?.rows !== mapper.rowCount)
    throw new Error(`${mapper.rowCount} rows were mapped, ${tables[0]?.rows} written`);
  report.progress(task.sourceSize, mapper.rowCount);
  return tables;
};

/** The first value of each INFO key among the first records. */
function infoOfRecords(records: Beginning['records']): Map<string, string> {
  const values = new Map<string, string>();
  const annotations = new Set<string>(annotationKeys);
  for (const record of records) {
    for (const entry of record.split('\t')[7]?.split(';') ?? []) {
      const [key = '', value = ''] = entry.split('=', 2);
      if (!values.has(key)) values.set(key, annotations.has(key) ? value : '');
    }
  }
  return values;
}

function warnOfLeftOut({ symbolicCount, withoutGenotypeCount }: RecordMapper, report: Reporter): void {
  if (symbolicCount > 0) {
    report.warn({
      message: `${symbolicCount} symbolic alleles (structural variants, copy number, breakends) were left out.`,
    });
  }
  if (withoutGenotypeCount > 0) {
    report.warn({
      message: `${withoutGenotypeCount} records have no genotypes (GT), so that nothing says which of the samples they belong to; they were left out.`,
    });
  }
}

async function convertedTable(
  task: ConversionTask,
  sql: Sql,
  table: 'variant' | 'sequence',
): Promise<ConvertedTable> {
  const path = pathOf(task, table);
  const [counted] = await sql.rows(`SELECT count(*) AS count FROM read_parquet(${literal(path)})`);
  return { table, path, rows: Number(counted?.['count'] ?? 0) };
}

function pathOf(task: ConversionTask, table: string): string {
  return join(task.outputFolder, `${table}.parquet`);
}
