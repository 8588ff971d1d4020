import { isQuantity } from '../name-forms.ts';

/** Words for what is no count, the longest first. Names of genes (`TPM1`) are none of them. */
const units: readonly [word: RegExp, unit: string][] = [
  [/tpm(?!\d)|transcripts?[\s._-]*per[\s._-]*(?:kilobase[\s._-]*)?million/i, 'tpm'],
  // The GDC divides them by the upper quartile, and not by all reads.
  [/fpkm[\s._-]*uq/i, 'fpkm_uq'],
  [/[fr]pkm|per[\s._-]*kilobase/i, 'fpkm'],
  [/(?<![a-z])[cr]pm(?![a-z\d])|per[\s._-]*million/i, 'cpm'],
];

/**
 * Files whose counts are estimated fractions: `expected_count` (RSEM), `est_counts` (kallisto), and the output of nf-core and
 * tximport (`salmon.merged.gene_counts.tsv`). Later words name a transformation.
 */
const estimated =
  /(?:(?<![a-z])(?:expected|estimated|est)[\s._-]*|(?<![a-z])(?:salmon|rsem|kallisto|tximport|tximeta|txi)[\s._-]+(?:merged[\s._-]+)?(?:(?:gene|transcript)s?[\s._-]*)?)counts?(?:\.(?:tsv|csv|txt|tab|gz|bgz))*$/i;

/** Words before it that name transformed counts. */
const changed = /norm|scaled|log|vst|vsd|vsn|tmm|voom|score|adjust|correct|quantile|(?<![a-z])uq(?![a-z])/i;

/** Words for values that are no amounts any more: logarithms, scores, stabilized variances. `catalog` and `biology` are excluded. */
const transformed =
  /(?<!cata|dia|ana)(?<!o)log(?:(?![a-z])|(?=[ctfr]pk?m|p1))|vst|vsd|vsn|z[\s._-]*scores?|voom|asinh|sqrt|quantile|scaled|centered|combat/i;

/** Returns the unit in the name of the only column of values: `num_reads`, `count`, `TPM`. */
export function unitOfColumn(name: string): string | undefined {
  if (!isQuantity(name) || changed.test(name)) return undefined;
  return units.find(([word]) => word.test(name))?.[1] ?? (/count|reads?$/i.test(name) ? 'count' : undefined);
}

/** Returns whether a name of a file, a folder or a column marks its values as transformed. */
export const namesTransformed = (name: string): boolean => transformed.test(name);

/** A word before the ending `counts` is of the sample: `TPM-KO.counts`. */
const beforeCounts = /^.*(?=\.counts?(?:\.(?:tsv|csv|txt|tab|gz))*$)/i;

/**
 * Returns the unit in the name of a file, else in a folder of it, the innermost first. Undefined for none, or for counts: the
 * values show whether these are whole, except for known estimates.
 */
export function unitOfFileName(fileName: string): string | undefined {
  if (namesTransformed(fileName)) return undefined;
  const [file = '', ...folders] = fileName.split('/').toReversed();
  for (const part of [file, ...folders]) {
    const [, unit] = units.find(([word]) => word.test(part.replace(beforeCounts, ''))) ?? [];
    if (unit !== undefined) return unit;
    if (/count/i.test(part)) break;
  }
  return estimated.test(file) && !changed.test(file) ? 'count' : undefined;
}

/** Counts divided by a size factor, which are whole only where they were rounded; `normal` tissue is not normalized. */
const normalized = /(?<![a-z])norm(?:ali[sz]\w*|ed)?(?![a-z])|(?<![a-z])(?:tmm|rle|uq)(?![a-z])/i;

/** Returns whether a name of a file, or a column, marks its values as normalized. */
export const namesNormalized = (name: string): boolean => normalized.test(name);

const counts = /htseq|(?<!ac|dis)counts?(?![a-z])/i;
const otherMolecule =
  /(?<![a-z])(?:cna|cnv|gistic2?|copy[\s._-]*numbers?|mutations?|methyl\w*|hm(?:27|450)k?|epic(?:v2)?|beta[\s._-]*values?|(?:gene|crispr|chronos|ceres)[\s._-]*(?:effects?|dependency)|chromatin|atac[\s._-]*seq|(?:gene|transcript)s?[\s._-]*lengths?)(?![a-z])/i;
const expression = /rna|expr/i;

/** Returns whether the name of a file, or a folder of it, announces counts of reads. */
export function namesCounts(fileName: string): boolean {
  return counts.test(fileName) && !otherMolecule.test(ownName(fileName));
}

/** Returns whether the own name of a file announces copy numbers or mutations, and no expression. */
export function saysOtherMolecule(fileName: string): boolean {
  const own = ownName(fileName);
  return otherMolecule.test(own) && !namesExpression(own);
}

/** Returns whether the name of a file, or a folder of it, announces expression. */
export function namesExpression(fileName: string): boolean {
  return [expression, counts].some((word) => word.test(fileName)) || unitOfFileName(fileName) !== undefined;
}

const ownName = (fileName: string): string => fileName.slice(fileName.lastIndexOf('/') + 1);
