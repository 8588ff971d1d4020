import { join } from 'node:path';
import { annotationKeys, annotationLayout } from '@ploidy/formats';
import type {
  ConversionTask,
  Convert,
  ConvertedTable,
  Reporter,
  Sql,
} from '../../../platform/engine/conversion.ts';
import { symbolicCounter } from './alternates-sql.ts';
import { type Beginning, readBeginning } from './beginning.ts';
import { copyRecords } from './copy.ts';
import { withoutGenotypeCounter } from './genotypes-sql.ts';
import { infoFields } from './info-sql.ts';
import { fileSamples, sequenceRows } from './samples.ts';
import { literal } from './sql-text.ts';

/** A VCF, plain or gzipped, into `variant` and `sequence` (docs/formats/vcf.md). One at a time in a process. */
export const convertVcf: Convert = async (task, sql, report) => {
  const beginning = await readBeginning(task.sourcePath);
  const samples = fileSamples(beginning, task.options, report);
  const seen = infoOfRecords(beginning.records);
  const layout = annotationLayout(beginning.header, seen);
  const statement = {
    setId: task.setId,
    sampleCount: samples.columnCount,
    sampleIds: samples.ids,
    info: infoFields(beginning.header.info, new Set(seen.keys()), layout?.key),
    layout,
    passOnly: task.options.passOnly ?? false,
  };
  await copyRecords({ task, sql, report, beginning, statement, path: pathOf(task, 'variant') });
  await warnOfLeftOut(sql, report);
  await sql.run(
    `COPY (${sequenceRows(samples, task.options)}) TO ${literal(pathOf(task, 'sequence'))} (FORMAT parquet, COMPRESSION zstd)`,
  );
  const tables = [await convertedTable(task, sql, 'variant'), await convertedTable(task, sql, 'sequence')];
  report.progress(task.sourceSize, tables[0]?.rows ?? 0);
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

async function warnOfLeftOut(sql: Sql, report: Reporter): Promise<void> {
  const counters = await sql.rows(
    'SELECT sequence_name AS name, last_value AS count FROM duckdb_sequences()',
  );
  const count = (name: string): number =>
    Number(counters.find((counter) => counter['name'] === name)?.['count'] ?? 0);
  const symbolic = count(symbolicCounter);
  if (symbolic > 0) {
    report.warn({
      message: `${symbolic} symbolic alleles (structural variants, copy number, breakends) were left out.`,
    });
  }
  const withoutGenotype = count(withoutGenotypeCounter);
  if (withoutGenotype > 0) {
    report.warn({
      message: `${withoutGenotype} records have no genotypes (GT), so that nothing says which of the samples they belong to; they were left out.`,
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
