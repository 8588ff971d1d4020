import { join } from 'node:path';
import { annotationKeys, annotationLayouts, StructuralMapper } from '@ploidy/formats';
import type { ConversionTask, ConvertedTable, Reporter, Sql } from '../../../platform/engine/conversion.ts';
import { literal } from '../../../platform/engine/worker/quote.ts';
import { columnsOf } from '../tables/catalogue.ts';
import { agreedBuild, buildOf, onBuild } from '../tables/genome-build.ts';
import { warnOfNothing } from '../tables/nothing.ts';
import { writeSequence } from '../tables/samples.ts';
import { type Beginning, readBeginning } from './beginning.ts';
import { copyRecords } from './copy.ts';
import type { MappedRows } from './mapped-rows.ts';
import { fileSamples } from './samples.ts';
import type { StretchPlan } from './stretch-plan.ts';
import { StructuralFiles } from './structural-files.ts';
import { warnOfUnclear } from './unclear.ts';
import { warnOfUnread } from './unread.ts';

/** A VCF, plain or gzipped, into `variant`, `sequence`, `copynumber` and `fusion` (docs/formats/vcf.md). One at a time in a process. */
export async function convertVcf(
  task: ConversionTask,
  sql: Sql,
  report: Reporter,
  plan?: StretchPlan,
): Promise<ConvertedTable[]> {
  const beginning = await readBeginning(task.sourcePath);
  const build = buildOf(task, beginning.header.genomeBuild);
  const samples = fileSamples(beginning, task.options, report);
  const seen = infoOfRecords(beginning.records);
  const layouts = annotationLayouts(beginning.header, seen);
  const others = new StructuralFiles(task);
  const structural = new StructuralMapper({
    sampleCount: samples.columnCount,
    sampleIds: samples.ids,
    layouts,
    hasAlleleCopies: beginning.header.info.get('CN')?.number === 'A',
    onCopyNumber: (row) => others.addCopyNumber(row),
    onFusion: (row) => others.addFusion(row),
  });
  const settings = {
    columns: columnsOf('variant'),
    setId: task.setId,
    sampleCount: samples.columnCount,
    sampleIds: samples.ids,
    declared: beginning.header.info,
    seen: [...seen.keys()],
    layouts,
    passOnly: task.options.passOnly ?? false,
  };
  const path = pathOf(task, 'variant');
  const onStructural = (line: string) => structural.map(line);
  const otherRows = () => others.rowCount;
  try {
    const mapped = await copyRecords({
      task,
      sql,
      report,
      beginning,
      settings,
      onStructural,
      otherRows,
      path,
      plan,
    });
    warnOfLeftOut(mapped, structural, report);
    warnOfUnread(seen, layouts, report);
    warnOfUnclear(mapped.unclearCount + structural.unclearCount, report);
    const recordCount = mapped.lineCount - beginning.header.lineCount;
    if (mapped.rowCount + others.rowCount === 0) warnOfNothing(recordCount, report);
    const tables = [
      await variantTable(task, sql, mapped),
      ...(await others.end(sql)),
      await writeSequence(task, sql, samples),
    ];
    // Structural variants alone make no table of variants.
    const made = tables.filter(({ table, rows }) => table !== 'variant' || rows > 0 || tables.length === 2);
    report.progress(task.sourceSize, mapped.rowCount + others.rowCount);
    return onBuild(made, agreedBuild(task, build, mapped.genomeBuilds, report));
  } finally {
    others.close();
  }
}

/** The first value of each INFO key among the first records. */
export function infoOfRecords(records: Beginning['records']): Map<string, string> {
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

function warnOfLeftOut(mapped: MappedRows, structural: StructuralMapper, report: Reporter): void {
  if (structural.leftOutCount > 0) {
    report.warn({
      message: `${structural.leftOutCount} symbolic alleles (insertions, breakends without a partner and others) were left out: they are neither a copy number nor a fusion.`,
    });
  }
  const ownerless = mapped.withoutGenotypeCount + structural.ownerlessCount;
  if (ownerless > 0) {
    report.warn({
      message: `${ownerless} records have no genotypes (GT), so that nothing says which of the samples they belong to; they were left out.`,
    });
  }
}

async function variantTable(task: ConversionTask, sql: Sql, mapped: MappedRows): Promise<ConvertedTable> {
  const path = pathOf(task, 'variant');
  const rows = await sql.count(`read_parquet(${literal(path)})`);
  // Rows that the engine did not write would be rows lost.
  if (rows !== mapped.rowCount) throw new Error(`${mapped.rowCount} rows were mapped, ${rows} written`);
  return { table: 'variant', path, rows, ...(mapped.seal && { seal: mapped.seal }) };
}

function pathOf(task: ConversionTask, table: string): string {
  return join(task.outputFolder, `${table}.parquet`);
}
