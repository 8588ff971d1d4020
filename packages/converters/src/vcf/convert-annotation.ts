import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { ConversionTask, ConvertedTable, Reporter, Sql } from '@ploidy/engine';
import { genomeRanges, literal } from '@ploidy/engine/task-runtime';
import { alleleColumns, annotation, annotationLayouts, chromosomes } from '@ploidy/formats';
import { agreedBuild, buildOf, onBuild, warnOfBeyond, warnOfContradiction } from '../tables/genome-build.ts';
import { warnAmbiguousAnnotations } from './annotation-warnings.ts';
import type { Beginning } from './beginning.ts';
import { infoOfRecords } from './convert.ts';
import { copyRecords } from './copy.ts';
import { fittingGenome, genomeFiles } from './genome-files.ts';
import { requireReference } from './reference-check.ts';
import { VcfAccount } from './vcf-account.ts';

/** Alleles that are checked for repetition at once. */
const rangeRowsMax = 250_000;

/**
 * Converts a VCF of known alleles (ClinVar, gnomAD, dbSNP, COSMIC, a cohort) into `_annotation`: each allele once, spelled as
 * in `variant`, in the order of chromosome and position. Its samples do not count.
 */
export async function convertAlleles(
  beginning: Beginning,
  task: ConversionTask,
  sql: Sql,
  report: Reporter,
): Promise<ConvertedTable[]> {
  const build = buildOf(task, beginning.header.genomeBuild);
  warnOfContradiction(beginning.headerLines, build, report);
  const seen = infoOfRecords(beginning.records);
  const genome = fittingGenome(task, build);
  const files = genome && (await genomeFiles(genome, task.outputFolder, sql));
  if (files) requireReference(beginning, files);
  let structuralCount = 0;
  const settings = {
    columns: annotation.columns,
    setId: task.setId,
    sampleCount: 0,
    sampleIds: [],
    sitesOnly: true,
    declared: beginning.header.info,
    seen: [...seen.keys()],
    layouts: annotationLayouts(beginning.header, seen),
    genomeFiles: files,
    passOnly: task.options.passOnly ?? false,
  };
  const onStructural = () => {
    structuralCount += 1;
  };
  const path = join(task.outputFolder, `${annotation.name}.parquet`);
  const otherRows = () => 0;
  const mapped = await copyRecords({ task, sql, report, beginning, settings, onStructural, otherRows, path });
  if (structuralCount > 0) {
    const message = `The symbolic alleles and breakends of ${structuralCount} records were left out: they cannot be matched with the alleles of other files.`;
    report.warn({ message });
  }
  warnAmbiguousAnnotations(mapped.unclearCount, report);
  if (mapped.rowCount > 0 && !(await hasChromosome(sql, path))) {
    const message =
      'No chromosome of the file has a known name (1, chr1, NC_000001.11): it annotates only variants of files with the same names.';
    report.warn({ message });
  }
  const repeated = await leaveOutRepeated(task, sql, path);
  if (repeated > 0) {
    const message = `${repeated} records repeat the allele of an earlier record: the first one is used.`;
    report.warn({ message });
  }
  const rows = await sql.count(`read_parquet(${literal(path)})`);
  if (rows !== mapped.rowCount - repeated)
    throw new Error(`${mapped.rowCount} alleles were mapped, ${rows} written, ${repeated} left out`);
  const { header } = beginning;
  const recordCount = mapped.lineCount - header.lineCount - mapped.blankCount;
  const { layouts } = settings;
  report.account(new VcfAccount({ header, layouts, settings, mapped, recordCount }).account);
  report.progress(task.sourceSize, rows);
  const tables = [{ table: annotation.name, path, rows }];
  const agreed = agreedBuild(task, build, mapped.genomeBuilds, report);
  await warnOfBeyond(tables, agreed, sql, report);
  return onBuild(tables, agreed);
}

/**
 * Keeps the first row of each allele: repeated ones would double the variants that they are joined with. Returns the number of
 * removed rows.
 */
export async function leaveOutRepeated(task: ConversionTask, sql: Sql, path: string): Promise<number> {
  const relation = `read_parquet(${literal(path)}, file_row_number = true)`;
  const keys = alleleColumns.join(', ');
  const ranges = await genomeRanges(sql, relation, rangeRowsMax);
  let repeated = 0;
  for (const range of ranges) {
    const alleles = `(SELECT count(*) AS times FROM ${relation} WHERE ${range} GROUP BY ${keys})`;
    const [found] = await sql.rows(`SELECT sum(times - 1)::INTEGER AS count FROM ${alleles}`);
    repeated += Number(found?.['count'] ?? 0);
  }
  if (repeated === 0) return 0;
  const parts: string[] = [];
  for (const [index, range] of ranges.entries()) {
    const part = join(task.outputFolder, `part-${index}.parquet`);
    const first = `SELECT * FROM ${relation} WHERE ${range}
      QUALIFY row_number() OVER (PARTITION BY ${keys} ORDER BY file_row_number) = 1`;
    await copy(sql, `SELECT * EXCLUDE (file_row_number) FROM (${first}) ORDER BY file_row_number`, part);
    parts.push(part);
  }
  const joined = join(task.outputFolder, 'joined.parquet');
  await sql.run('SET threads = 1');
  await copy(sql, `SELECT * FROM read_parquet([${parts.map(literal).join(', ')}])`, joined);
  await rename(joined, path);
  for (const part of parts) await rm(part);
  return repeated;
}

/** Returns whether some allele is on a human chromosome. */
async function hasChromosome(sql: Sql, path: string): Promise<boolean> {
  const names = chromosomes.map(literal).join(', ');
  const first = `(FROM read_parquet(${literal(path)}) WHERE chromosome IN (${names}) LIMIT 1)`;
  return (await sql.count(first)) > 0;
}

async function copy(sql: Sql, select: string, path: string): Promise<void> {
  await sql.run(
    `COPY (${select}) TO ${literal(path)} (FORMAT parquet, COMPRESSION zstd, COMPRESSION_LEVEL 1)`,
  );
}
