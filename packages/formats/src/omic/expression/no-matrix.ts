import type { Header } from '../../delimited/index.ts';
import { InputError } from '../../input-error.ts';
import { looksLikeSample, measuredSample } from '../name-forms.ts';
import { haveKnownGenes, isGeneOrTranscript } from './gene-name.ts';
import { namesTransformed, saysOtherMolecule, unitOfColumn } from './unit.ts';

/**
 * Columns of a test between groups of samples, with difference and significance of a gene: DESeq2, edgeR, limma, Seurat,
 * scanpy, Cuffdiff.
 */
const differences =
  'log2foldchange,log2_fold_change,log2(fold_change),log2fc,avg_log2fc,logfc,avg_logfc,lfc,logfoldchanges,foldchange,fold_change'.split(
    ',',
  );
const certainties = [
  ...['pvalue,p_value,pval,p_val,pvals'],
  ...['padj,adj_p_val,p_adj,p_val_adj,pvals_adj,fdr,qvalue,q_value,qval'],
].map((names) => names.split(','));

/** Columns of the owner of a value: such a table has one line a gene and sample, and their values are ids of people. */
const owners =
  'sample_id,sampleid,sample_name,patient_id,patientid,subject_id,subjectid,donor_id,individual_id,specimen_id,tumor_sample_barcode'.split(
    ',',
  );

/** Throws `InputError` for the result of a comparison. sleuth has no difference: a probability and its correction are as conclusive. */
export function refuseComparison(header: Header): void {
  const [isSure, isCorrected] = certainties.map((names) => header.hasOne(...names));
  const isDifferent = header.hasOne(...differences);
  if (isDifferent ? isSure || isCorrected : isSure && isCorrected)
    throw new InputError(comparison, { line: 1 });
}

/** Throws `InputError` for a table of one line a gene and sample. */
export function refuseOwners(header: Header, fileName: string): void {
  if (header.hasOne(...owners))
    throw new InputError(saysOtherMolecule(fileName) ? otherMolecule : longTable, { line: 1 });
}

/** Throws `InputError` for a table whose name shows copy numbers or mutations. */
export function refuseOtherMolecule(fileName: string): void {
  if (saysOtherMolecule(fileName)) throw new InputError(otherMolecule, { line: 1 });
}

/** Throws `InputError` for copies of genes by GISTIC, whatever their name. */
export function refuseGistic(header: Header): void {
  if (header.has('Gene Symbol', 'Cytoband')) throw new InputError(gistic, { line: 1 });
}

/** Throws `InputError` where the columns of values have names of genes: each would be a sample. */
export function refuseGenes(names: readonly string[]): void {
  const areOfDepMap =
    names.every((name) => withEntrez.test(name)) && names.some((name) => /\d{4}\)$/.test(name));
  if (areOfDepMap || names.some(isGeneOrTranscript) || haveKnownGenes(names))
    throw new InputError(turned, { line: 1 });
}

/** Throws `InputError` where one sample has columns of several quantities (tximport's data frame; means beside deviations). */
export function refuseQuantities(names: readonly string[]): void {
  const measuresOf = new Map<string, Set<string>>();
  for (const name of names) {
    const { sample, measure } = measuredSample(name) ?? { sample: name.trim(), measure: 'its own value' };
    const key = sample.toLowerCase();
    measuresOf.set(key, (measuresOf.get(key) ?? new Set()).add(measure));
  }
  const several = [...measuresOf.values()].find(({ size }) => size > 1);
  if (several)
    throw new InputError(
      `The columns hold several quantities of each sample (${[...several].join(', ')}): write one table a quantity, with a column a sample.`,
      { line: 1 },
    );
}

/** Throws `InputError` where samples have values of different units, by their names: `S1.rpkm` beside `S2_TPM`. */
export function refuseSeveralUnits(names: readonly string[]): void {
  const measures = new Set(names.map((name) => measuredSample(name)?.measure ?? 'no unit'));
  const units = new Set([...measures].map((measure) => unitOfColumn(measure) ?? measure));
  if (units.size < 2 || [...units].every((unit) => unit === 'no unit')) return;
  const areUnits = [...measures].some(
    (measure) => unitOfColumn(measure) !== undefined || namesTransformed(measure),
  );
  if (!areUnits || (units.has('no unit') && !isMainly(names))) return;
  throw new InputError(
    `The columns hold values of several units (${[...units].slice(0, 5).join(', ')}): write one table a unit, with a column a sample.`,
    { line: 1 },
  );
}

/** Returns whether most of the names have a quantity: a single one may be called so. */
const isMainly = (names: readonly string[]): boolean =>
  names.filter((name) => measuredSample(name) !== undefined).length * 2 >= names.length;

/** Throws `InputError` where the lines are called as samples are. */
export function refuseSampleLines(names: readonly string[]): void {
  if (names.length > 0 && names.filter(looksLikeSample).length * 2 > names.length)
    throw new InputError(turned, { line: 1 });
}

/** `TP53 (7157)`, as DepMap calls its columns. */
const withEntrez = /^[\w.@-]+\s\(\d+\)$/;

/**
 * Throws `InputError` where R (`V2` is the second column) or pandas (from 0, without the names of rows) generated the names of
 * all samples.
 */
export function refuseMadeUpNames({ names }: Header, samples: readonly number[]): void {
  const hasRowNames = names[0] === '';
  const isOfR = samples.every((place) => names[place] === `V${hasRowNames ? place : place + 1}`);
  const isOfPandas = hasRowNames && samples.every((place) => names[place] === `${place - 1}`);
  if (isOfR || isOfPandas) throw new InputError(madeUp, { line: 1 });
}

const madeUp =
  'The value columns have the default names of R or pandas (V1, V2 … or 0, 1 …): name them after their samples. If the samples have these names, name the gene column gene_id.';

const otherMolecule =
  'According to the file name this table of genes holds copy numbers or mutations, or the like of methylation, so it is not taken for expression. Upload segments, a table with sample_id, gene and copy_number, or a MAF. If it is expression nevertheless, name its type.';

const longTable =
  'One column of this table holds the sample of each value: name it sample_id. Name the value column expression or raw_count, and add expression_unit. Only tables with one column per sample may have other names.';

const gistic =
  'This GISTIC table holds copy numbers, not expression: upload the segments, or a table with sample_id, gene and copy_number.';

const turned =
  'The columns of this table are genes instead of samples: transpose it, so that each line is a gene and each column a sample.';

const comparison =
  'This is the result of a comparison (fold changes and p-values), not expression of samples: upload the counts or the normalized values that were compared.';
