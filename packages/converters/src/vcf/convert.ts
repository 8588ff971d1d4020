import { join } from 'node:path';
import type { ConversionOptions, ConversionTask, ConvertedTable, Reporter, Sql } from '@ploidy/engine';
import { literal } from '@ploidy/engine/task-runtime';
import {
  annotationKeys,
  annotationLayouts,
  columnsBeforeSamples,
  computedLayout,
  keysWith,
  StructuralMapper,
  storedTable,
  tumorOf,
  type VcfHeader,
} from '@ploidy/formats';
import { requireEnd } from '../decompressed-source.ts';
import { studyTables } from '../tables/alterations.ts';
import { agreedBuild, buildOf, onBuild, warnOfBeyond, warnOfContradiction } from '../tables/genome-build.ts';
import { type NamedSamples, namedSamples, writeSequence } from '../tables/samples.ts';
import { repeatsIn } from '../tables/table-checks.ts';
import { warnIfEmpty } from '../tables/warn-if-empty.ts';
import { warnAmbiguousAnnotations, warnUnsupportedAnnotator } from './annotation-warnings.ts';
import { type Beginning, readBeginning } from './beginning.ts';
import { copyRecords } from './copy.ts';
import { fittingGenome, genomeFiles, openGenome } from './genome-files.ts';
import type { MappedRows } from './mapped-rows.ts';
import { checkReference, requireReference } from './reference-check.ts';
import type { StretchPlan } from './stretches/stretch-plan.ts';
import { StructuralFiles } from './structural-files.ts';
import { VcfAccount } from './vcf-account.ts';

/**
 * Converts a VCF, plain or gzipped, into `variant`, `variant_call`, `sequence`, `copynumber` and `fusion`
 * (docs/formats/vcf.md). A process converts one at a time.
 */
export async function convertVcf(
  task: ConversionTask,
  sql: Sql,
  report: Reporter,
  plan?: StretchPlan,
): Promise<ConvertedTable[]> {
  await requireEnd(task, report);
  const beginning = await readBeginning(task.sourcePath);
  const build = buildOf(task, beginning.header.genomeBuild);
  warnOfContradiction(beginning.headerLines, build, report);
  const samples = fileSamples(beginning, task.options, report);
  const seen = infoOfRecords(beginning.records);
  const genome = fittingGenome(task, build);
  const files = genome && (await genomeFiles(genome, task.outputFolder, sql));
  if (files) requireReference(beginning, files);
  const layouts = annotationLayouts(beginning.header, seen);
  const allLayouts = files ? [...layouts, computedLayout()] : layouts;
  const others = new StructuralFiles(task);
  const structural = new StructuralMapper({
    sampleCount: samples.columnCount,
    sampleIds: samples.ids,
    layouts: allLayouts,
    genome: files && openGenome(files),
    hasAlleleCopies: beginning.header.info.get('CN')?.number === 'A',
    isSubset: beginning.header.isSubset,
    declared: beginning.header.info,
    format: beginning.header.format,
    passOnly: task.options.passOnly ?? false,
    onCopyNumber: (row) => others.addCopyNumber(row),
    onFusion: (row) => others.addFusion(row),
  });
  const settings = {
    columns: storedTable('variant').columns,
    ...(task.options.variantCalls !== false && { callColumns: storedTable('variant_call').columns }),
    setId: task.setId,
    sampleCount: samples.columnCount,
    sampleIds: samples.ids,
    declared: beginning.header.info,
    isSubset: beginning.header.isSubset,
    format: beginning.header.format,
    sampleFilter: filterKeyOf(beginning),
    alleleFilter: keysWith('alleleFilters', beginning.header.info)[0],
    seen: [...seen.keys()],
    layouts: allLayouts,
    genomeFiles: files,
    passOnly: task.options.passOnly ?? false,
    tumor: tumorOf(beginning.header, seen),
  };
  const path = pathOf(task, 'variant');
  const callsPath = pathOf(task, 'variant_call');
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
      callsPath,
      plan,
    });
    checkReference(mapped, files, report);
    warnOfLeftOut(mapped, structural, report);
    warnUnsupportedAnnotator(seen, layouts, report);
    warnOfSubset(beginning.header, seen, report);
    warnAmbiguousAnnotations(mapped.unclearCount + structural.unclearCount, report);
    const recordCount = mapped.lineCount - beginning.header.lineCount - mapped.blankCount;
    const account = new VcfAccount({
      header: beginning.header,
      layouts,
      settings,
      mapped,
      structural,
      recordCount,
    });
    for (const message of account.remarks) report.warn({ message });
    report.account(account.account);
    if (mapped.rowCount + others.rowCount === 0) warnIfEmpty(recordCount, report);
    if (beginning.header.hasOldMitochondrion) await warnOfMitochondrion(path, sql, report);
    const tables = [
      mappedTable('variant', path, mapped),
      ...(settings.callColumns ? [mappedTable('variant_call', callsPath, mapped)] : []),
      ...(await others.end(sql)),
      await writeSequence(task, sql, samples),
    ];
    for (const { table, path } of tables)
      if (table === 'copynumber')
        for (const message of await repeatsIn(sql, table, path)) report.warn({ message });
    // Structural variants alone make no table of variants.
    const hasOthers = others.rowCount > 0;
    const made = tables.filter(
      ({ table, rows }) => rows > 0 || table === 'sequence' || (table === 'variant' && !hasOthers),
    );
    const { tumor } = settings;
    const examined = tumor === undefined ? samples.ids : samples.ids.slice(tumor, tumor + 1);
    made.push(...(await studyTables(task, sql, made, { samples: examined, isPaired: true })));
    report.progress(task.sourceSize, mapped.rowCount + others.rowCount);
    const agreed = agreedBuild(task, build, mapped.genomeBuilds, report);
    await warnOfBeyond(made, agreed, sql, report);
    return onBuild(made, agreed);
  } finally {
    others.close();
  }
}

/** First value of each INFO key among the first records. */
export function infoOfRecords(records: Beginning['records']): Map<string, string> {
  const values = new Map<string, string>();
  const annotations = new Set<string>(annotationKeys);
  for (const record of records) {
    for (const entry of record.split('\t')[7]?.split(';') ?? []) {
      const [key = '', value = ''] = entry.split('=', 2);
      if (entry !== '.' && !values.has(key)) values.set(key, annotations.has(key) ? value : '');
    }
  }
  return values;
}

/** FORMAT key with the filters of genotypes, by the header or the first records. */
function filterKeyOf({ header, records }: Beginning): string | undefined {
  const [declared] = keysWith('filter', header.format);
  if (declared !== undefined) return declared;
  return records.some((record) => record.split('\t', 9)[8]?.split(':').includes('FT')) ? 'FT' : undefined;
}

/** Share of calls whose fraction may be far from that of their reads without a warning. */
const differingShareMax = 0.02;

function warnOfLeftOut(mapped: MappedRows, structural: StructuralMapper, report: Reporter): void {
  if (structural.leftOutCount > 0) {
    report.warn({
      message: `${structural.leftOutCount} symbolic alleles were left out, such as insertions and breakends without a mate: they are neither a copy number nor a fusion.`,
    });
  }
  if (structural.oddEndCount > 0)
    report.warn({
      message: `${structural.oddEndCount} copy numbers have an END before POS, or a list of END or SVLEN that does not match the alternates. That field was ignored: the end follows from the other one, or is NULL.`,
    });
  if (structural.junctionCount > 0)
    report.warn({
      message: `${structural.junctionCount} deletions or duplications claim a junction alone (SVCLAIM=J), and no change of copies: copy_number and status are those of CN, else NULL.`,
    });
  if (mapped.oddQualityCount > 0)
    report.warn({
      message: `${mapped.oddQualityCount} records have a QUAL that is no quality, such as one below 0 or with a decimal comma: quality is NULL.`,
    });
  if (mapped.oddNumberCount > 0)
    report.warn({
      message: `${mapped.oddNumberCount} values of variant_call are no depths, reads or qualities, such as fractions or the greatest number of 32 bits: they are NULL.`,
    });
  if (mapped.unchangedCount > 0)
    report.warn({
      message: `${mapped.unchangedCount} alternates equal the reference, so it is unknown what they change: they were left out.`,
    });
  if (mapped.ambiguousCount > 0)
    report.warn({
      message: `${mapped.ambiguousCount} alleles have letters for several bases, such as R for A or G, or N for an unknown one. They are kept, and match no allele of other files.`,
    });
  if (mapped.repeatedRowCount > 0)
    report.warn({
      message: `At least ${mapped.repeatedRowCount} rows repeat the allele and the sample of another record: queries count these variants twice. Remove the repeated records (bcftools norm -d exact).`,
    });
  const { comparedFractionCount: compared, differingFractionCount: differing } = mapped;
  if (differing > compared * differingShareMax)
    report.warn({
      message: `The allele fraction of ${differing} of ${compared} calls with 20 reads or more differs from that of their reads by more than 0.2. It may be of something else than these reads: compare allele_fraction with alternate_depth in variant_call.`,
    });
  if (mapped.hasNumberedSex)
    report.warn({
      message:
        'Some chromosomes are named 23 to 26. PLINK uses these for X, Y, XY and MT. They keep these names, so queries for chrX do not find them. Rename them (bcftools annotate --rename-chrs).',
    });
  const ownerless = mapped.accounts.reduce((sum, one) => sum + one.ownerless, structural.ownerlessCount);
  if (ownerless > 0) {
    report.warn({
      message: `${ownerless} records have no genotypes (GT), so it is unknown which samples have their alleles: they were left out.`,
    });
  }
}

/** Depths of INFO serve the only sample without its own, but not after other samples were removed. */
function warnOfSubset(header: VcfHeader, seen: ReadonlyMap<string, string>, report: Reporter): void {
  const isAsked = header.samples?.length === 1 && header.isSubset && !header.format.has('DP');
  if (!isAsked || !(seen.has('DP') || seen.has('DP4'))) return;
  report.warn({
    message:
      'Samples were removed from the file (bcftools view -s), but INFO/DP and DP4 still count the reads of all samples: depths are NULL.',
  });
}

async function warnOfMitochondrion(path: string, sql: Sql, report: Reporter): Promise<void> {
  const found = `(FROM read_parquet(${literal(path)}) WHERE chromosome = 'chrM' LIMIT 1)`;
  if ((await sql.count(found)) === 0) return;
  report.warn({
    message:
      'chrM of the file is NC_001807 (UCSC hg19). Its positions differ from NC_012920, which ClinVar, gnomAD and GRCh37 use, so annotations do not match. Call chrM again on NC_012920.',
  });
}

function mappedTable(table: string, path: string, mapped: MappedRows): ConvertedTable {
  const written = mapped.written.get(path);
  // A row that was not written is lost.
  if (written?.rows !== mapped.rowCount)
    throw new Error(`${mapped.rowCount} rows were mapped, ${written?.rows} written`);
  return { table, path, ...written };
}

function pathOf(task: ConversionTask, table: string): string {
  return join(task.outputFolder, `${table}.parquet`);
}

/** `ids`: one a column; for a file without sample columns the one of the request, or none. */
interface FileSamples extends NamedSamples {
  /** Sample columns of the file. */
  columnCount: number;
}

/** Names and patients of a file's samples, from its header and the request. */
function fileSamples(beginning: Beginning, options: ConversionOptions, report: Reporter): FileSamples {
  const names = beginning.header.samples ?? unnamedSamples(beginning.records[0]);
  return { columnCount: names.length, ...namedSamples(names, options, report) };
}

/** Files without a #CHROM line still have sample columns; they are called sample1, sample2 … */
function unnamedSamples(record: string | undefined): string[] {
  const columns = record?.split('\t') ?? [];
  if (columns.at(-1) === '') columns.pop();
  return columns.slice(columnsBeforeSamples).map((_, index) => `sample${index + 1}`);
}
