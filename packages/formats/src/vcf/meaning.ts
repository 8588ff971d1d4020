import type { FieldDefinition } from './header.ts';

/** Meaning of a key of INFO or FORMAT, as far as a column of the lake asks for it. */
export type Meaning =
  | 'copies'
  | 'normalCopies'
  | 'genes'
  | 'depth'
  | 'referenceDepth'
  | 'alternateDepth'
  | 'alleleDepths'
  | 'fraction'
  | 'filter'
  | 'alleleFilters';

/** Words of descriptions that make of a number another one: its quality, its logarithm, a part of it. */
const otherNumber =
  /qual|likelihood|probab|posterior|scor(?:e|ing)|confiden|p-?value|\blog|ratio|interval|lower|upper|deviation|\bstd|error|median|bias|\bstrand|forward|reverse|position in|mapping|mapq|entropy|p\(|z-?score|rank|\bmean\b|percentile/i;
const minorCopies =
  /minor|major|lesser|allele[- ]specific|subclon|haplotype|each allele|per allele|b[- ]allele/i;

const isNumber = ({ type }: FieldDefinition): boolean => type === 'Integer' || type === 'Float';
const isOne = ({ number }: FieldDefinition): boolean => number === '1' || number === '.' || number === 'A';
const reads =
  /\breads?\b|fragment|\bpairs?\b|molecule|\bumis?\b|depth|coverage|\bcounts?\b|observation|evidence|support/i;
const ofAlternate = /\balt|variant|\bsupport(?:s|ing)?\b|mutant|mutat|non-?ref|\bsv\b|breakpoint|junction/i;
const ofReference = /\bref(?:erence)?\b|wild[- ]?type/i;

/** Copies of a unit that is repeated, and not of the place in the genome. */
export const isOfUnit = (text: string): boolean => /tandem|\brepeat|\bmotif|\bunits?\b/i.test(text);

/** Names by which most programs call these; a description that contradicts goes before. */
const names: Readonly<Record<string, Meaning>> = {
  CN: 'copies',
  TCN: 'copies',
  ECN: 'normalCopies',
  FT: 'filter',
};

/** Returns what a key means by its description, type, number and name together. */
export function meaningOf(field: FieldDefinition): Meaning | undefined {
  const { id, description: text, type } = field;
  const known = names[id];
  if (text === '') return known;
  if (isNumber(field))
    return (
      ofNumber(field) ??
      (known === 'copies' && isOne(field) && !otherNumber.test(text) && !isOfUnit(text) ? known : undefined)
    );
  if (type !== 'String' && type !== 'Character') return undefined;
  if (/filter status (?:for|of) each allele/i.test(text)) return 'alleleFilters';
  if (/filter/i.test(text) && /genotype|sample|call/i.test(text)) return 'filter';
  if (known === 'filter') return known;
  return namesGenes(id, text) ? 'genes' : undefined;
}

function ofNumber(field: FieldDefinition): Meaning | undefined {
  const { id, number, description } = field;
  // Words about how reads were chosen are not about what is counted.
  const text = description.replace(/high[- ]quality|\([^()]*\)|,? for reads where.*/gi, '');
  if (otherNumber.test(text)) return undefined;
  if (/copy[\s_-]?(?:number|state|count)|\bcopies\b|ploidy/i.test(text) && isOne(field)) {
    if (
      minorCopies.test(text) ||
      isOfUnit(text) ||
      /number of (?!copies)\w+ (?:with|in)|supporting/i.test(text)
    )
      return undefined;
    return /expected|reference copy|normal (?:copy|state|sample)|baseline|for ref/i.test(text) &&
      !/deviation/i.test(text)
      ? 'normalCopies'
      : 'copies';
  }
  if (/fraction|frequency|proportion|\bvaf\b/i.test(text) || /^VAF$/i.test(id))
    return (isShare(field) && isOfReads(text)) || (/^(?:VAF|FREQ)$/i.test(id) && !isOfStudy(text))
      ? 'fraction'
      : undefined;
  if (!reads.test(text) || field.type !== 'Integer') return undefined;
  if (
    /allele number|number of (?:samples|alleles|homozygous)|allele count|filtered|low[- ]quality|secondary/i.test(
      text,
    )
  )
    return undefined;
  const [alternate, reference] = [ofAlternate.test(text), ofReference.test(text)];
  if (alternate && reference && isOtherOrder(text)) return undefined;
  if (alternate && reference)
    return number === 'R' || number === '2' || (number === '.' && /order/i.test(text))
      ? 'alleleDepths'
      : undefined;
  if (number === 'R') return 'alleleDepths';
  if (reference) return number === '1' ? 'referenceDepth' : undefined;
  if (alternate) return isOne(field) ? 'alternateDepth' : undefined;
  return number === '1' && /depth|coverage/i.test(text) ? 'depth' : undefined;
}

/** Returns whether a list is described with the alternate before the reference, or with a sum of all: its places are others. */
export const isOtherOrder = (text: string): boolean =>
  /\b(?:alt|variant|mutant)\w*\W+(?:(?:and|then|or)\W+)?(?:the\W+)?(?:ref|wild)/i.test(text) ||
  /\btotal\b\W+(?:\w+\W+){0,2}(?:alt|variant|mutant|ref)/i.test(text);

/** Returns whether each alternate has one value, a share: two bounds of an interval are none, nor are percentages as numbers. */
export const isShare = ({ number, type, description }: FieldDefinition): boolean =>
  !/^(?:G|[02-9]|\d{2,})$/.test(number) && (type === 'String' || !/per ?cent|%/i.test(description));

/** Allele B of an array may be the reference. */
const isOfReads = (text: string): boolean =>
  /read|allele|alt|variant|tumou?r|sample/i.test(text) && !isOfStudy(text) && !/\bb[- ]allele/i.test(text);

/** Frequencies of a study or a population say nothing of the reads of one sample. */
export const isOfStudy = (text: string): boolean =>
  /association|study|gwas|population|cohort|1000 ?g|gnomad|exac|topmed|panel|database|dbsnp|esp6500|effect allele/i.test(
    text,
  );

/** Returns whether values are symbols of genes that a change reaches: not of genes near it, no number or part of one. */
function namesGenes(id: string, text: string): boolean {
  const isNear = /near|closest|upstream|downstream|flank|distance|intergenic|tss|promoter|noncod|enhancer/i;
  if (isNear.test(id) || isNear.test(text)) return false;
  const isOther =
    /format:|transcript|\bid\b|accession|ontology|phenotype|disease|panel|score|count|number of|strand|type|model|constraint|whether|position|orientation|inheritance|description|probab/i;
  if (/^(?:gene(?:s|_?(?:name|symbol))?s?|symbols?|hgnc(?:_symbol)?|hugo(?:_symbol)?)$/i.test(id))
    return true;
  return /\bgenes?\b(?! ?(?:id|model|panel|list))|\bhugo\b|\bhgnc symbol/i.test(text) && !isOther.test(text);
}

/** Words for what a key speaks of, by topic: an unread one of a topic that nothing else fills is a warning. */
export const topicsOfKeys: readonly (readonly [topic: string, word: RegExp])[] = [
  ['copy numbers', /copy[\s_-]?(?:number|state)|\bcopies\b|ploidy/i],
  [
    'depths',
    /^AD |read depth|supporting reads|number of reads|allelic depth|(?:ref|alt)\w* (?:reads|depth|count)|(?:discordant|split|spanning|supporting|junction)[ -](?:reads?|pairs?|fragments?)/i,
  ],
  ['population frequencies', /gnomad|1000 ?g(?:enomes)?|\bexac\b|topmed|population.*freq|freq.*population/i],
  ['genes', /\bgenes?\b|hgnc|hugo|transcripts?\b|consequence|csq/i],
  ['clinical significance', /clinvar|clnsig|clinical significance/i],
  ['COSMIC', /cosmic/i],
  ['filters', /genotype[- ]?(?:level )?filter|sample.*filter/i],
];
