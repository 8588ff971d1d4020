import { clinicalKeys } from '../clinical.ts';
import { infoFrequency } from '../frequencies.ts';
import type { ForeignRecord, PlainAnnotation, Translated } from './plain-annotation.ts';
import { namedChange } from './protein-change.ts';
import { sureOfAll } from './unsure.ts';

/** Tables of genes; the first that a record has counts. */
const tables: readonly RegExp[] = [
  /^refGene$/,
  /^refGeneWithVer$/,
  /^ensGene\d*$/,
  /^knownGene$/,
  /^wgEncodeGencode\w+$/,
];

/** `Gene.refGene` … of these keys, in the order of their tables. */
export function annovarKeys(keys: Iterable<string>): string[] {
  const named = [...keys].filter((key) => key.startsWith('Gene.'));
  return tables.flatMap((table) => named.filter((key) => table.test(key.slice('Gene.'.length))).sort());
}

const coding = 'coding_sequence_variant';
const splice = 'splice_site_variant';
/** Functions whose transcripts are in GeneDetail. */
const isDetailed = /^(?:ncRNA_)?(?:splicing|UTR[35])$/;
/** Maximum of alternates; a record has a few. */
const functionsMax = 8;
/**
 * Ids of known variants, in the notation of the tables of dbSNP and COSMIC, in texts of counts. Each annotation has them, so
 * they are few.
 */
const existingId = /\b(?:rs|COS[A-Z]?)\d{1,15}\b/g;
const existingMax = 16;
/** Maximum number of keys of all alternates; a record has some dozens. */
const valueKeysMax = 1000;

/** Func → terms of the Sequence Ontology. */
const functions: ReadonlyMap<string, string> = new Map([
  ['splicing', splice],
  ['ncRNA_exonic', 'non_coding_transcript_exon_variant'],
  ['ncRNA_intronic', 'intron_variant'],
  ['ncRNA_splicing', splice],
  ['ncRNA', 'non_coding_transcript_variant'],
  ['UTR5', '5_prime_UTR_variant'],
  ['UTR3', '3_prime_UTR_variant'],
  ['ncRNA_UTR5', '5_prime_UTR_variant'],
  ['ncRNA_UTR3', '3_prime_UTR_variant'],
  ['intronic', 'intron_variant'],
  ['upstream', 'upstream_gene_variant'],
  ['downstream', 'downstream_gene_variant'],
  ['intergenic', 'intergenic_variant'],
  ['exonic', coding],
]);

/** ExonicFunc → terms of the Sequence Ontology; blanks and underscores are the same. */
const exonicFunctions: ReadonlyMap<string, string> = new Map([
  ['nonsynonymous_SNV', 'missense_variant'],
  ['synonymous_SNV', 'synonymous_variant'],
  ['stopgain', 'stop_gained'],
  ['stopgain_SNV', 'stop_gained'],
  ['stoploss', 'stop_lost'],
  ['stoploss_SNV', 'stop_lost'],
  ['startloss', 'start_lost'],
  ['startgain', '5_prime_UTR_premature_start_codon_gain_variant'],
  ['frameshift_insertion', 'frameshift_variant'],
  ['frameshift_deletion', 'frameshift_variant'],
  ['frameshift_block_substitution', 'frameshift_variant'],
  ['frameshift_substitution', 'frameshift_variant'],
  ['nonframeshift_insertion', 'inframe_insertion'],
  ['nonframeshift_deletion', 'inframe_deletion'],
  ['nonframeshift_block_substitution', 'protein_altering_variant'],
  ['nonframeshift_substitution', 'protein_altering_variant'],
]);

/** INFO keys of ClinVar that it writes into each block. */
export const annovarValues = [
  ...clinicalKeys.significance,
  ...clinicalKeys.disease,
  ...clinicalKeys.review,
  ...clinicalKeys.annotatedAlleleId,
];

/** Fields of a table of genes. */
const fieldNames = ['Func', 'Gene', 'GeneDetail', 'ExonicFunc', 'AAChange'] as const;
const isOfKnown = (key: string): boolean => /^(?:avsnp|snp|cosmic)\d+/i.test(key);

/** Returns whether annotations are read from a key, besides frequencies and values of ClinVar. */
export const isOfAnnovar = (key: string, table: string): boolean =>
  isOfKnown(key) || fieldNames.some((name) => key === `${name}.${table}`);

/** Values of an alternate from `ANNOVAR_DATE` to `ALLELE_END`. */
type Block = ReadonlyMap<string, string>;

/** Decodes `\x3b` → `;`; codes of other characters stay. */
function unescaped(text: string): string {
  return text.replaceAll(/\\x([2-7][0-9a-f])/gi, (_, code) => String.fromCharCode(Number.parseInt(code, 16)));
}

/** Returns the blocks of a record, one for each alternate; handwritten ones may lack the marks around them. */
function blocksOf(info: string): Block[] {
  const marked = [...info.matchAll(/(?:^|;)ANNOVAR_DATE=[^;]*;(.*?)(?:;ALLELE_END|$)/g)];
  const texts = marked.length > 0 ? marked.map(([, text = '']) => text) : [info];
  return texts.map((text) => {
    const block = new Map<string, string>();
    for (const entry of text.split(';')) {
      const at = entry.indexOf('=');
      const value = entry.slice(at + 1);
      if (at > 0 && value !== '.' && value !== '') block.set(entry.slice(0, at), value);
    }
    return block;
  });
}

/** Fields of one table of genes, `refGene`. */
export function translateAnnovar(
  table: string,
  record: ForeignRecord,
): Translated & { unclearCount: number } {
  const blocks = blocksOf(record.infoText);
  const annotations = blocks.map((block, at) => annotationsOf(block, table, at + 1));
  if (blocks.length !== record.alternates.length)
    return { annotations: sureOfAll(annotations), unclearCount: record.alternates.length };
  const values = new Map<string, string[]>();
  // Fields of the only block are in INFO unchanged.
  const keys = blocks.length === 1 ? [] : blocks.flatMap((block) => [...block.keys()]);
  const read = [...new Set(keys)].filter(
    (key) => (annovarValues as readonly string[]).includes(key) || infoFrequency(key),
  );
  for (const key of read.slice(0, valueKeysMax)) {
    values.set(
      key,
      blocks.map((block) => unescaped(block.get(key) ?? '')),
    );
  }
  return { annotations: annotations.flat(), values, unclearCount: 0 };
}

function annotationsOf(block: Block, table: string, alternate: number): PlainAnnotation[] {
  const field = (name: (typeof fieldNames)[number]): string => unescaped(block.get(`${name}.${table}`) ?? '');
  const exonic = exonicFunctions.get(field('ExonicFunc').replaceAll(' ', '_')) ?? coding;
  const known = [...block]
    .filter(([key]) => isOfKnown(key))
    .flatMap(([, value]) => unescaped(value).match(existingId) ?? []);
  const existing = [...new Set(known)].slice(0, existingMax).join('&');
  const changes = field('AAChange').split(',').flatMap(changeOf);
  const named = new Set(changes.map(({ gene }) => gene));
  const genes = genesOf(field('Func'), field('Gene'));
  // ExonicFunc describes the genes of AAChange. Without AAChange it is used only if there is one gene.
  const unnamed = named.size === 0 && genes.size === 1 ? exonic : coding;
  const others = [...genes].flatMap(([gene, functionsOfGene]) => {
    const left = [...functionsOfGene].filter((name) => name !== 'exonic' || !named.has(gene));
    if (left.length === 0 && named.has(gene)) return [];
    const effects = left.map((name) => (name === 'exonic' ? unnamed : (functions.get(name) ?? name)));
    const isOnlyDetailed = genes.size === 1 && left.length === 1 && isDetailed.test(left[0] ?? '');
    const details = isOnlyDetailed ? detailsOf(field('GeneDetail')) : [];
    if (details.length === 0) return [{ gene, effects }];
    return details.map(({ transcript, change }) => ({
      gene,
      transcript,
      effects: effects.map((effect) => (effect === splice ? siteOf(change) : effect)),
    }));
  });
  const found = [...changes.map((change) => ({ ...change, effects: [exonic] })), ...others];
  if (found.length > 0) return found.map((one) => ({ ...one, alternate, existing }));
  const effects = functionsIn(field('Func')).map((name) => functions.get(name) ?? name);
  return effects.length > 0 ? [{ alternate, effects, gene: undefined, existing }] : [];
}

function functionsIn(text: string): string[] {
  return [...new Set(text.split(';'))].filter((name) => name !== '').slice(0, functionsMax);
}

/**
 * Returns the genes and the effects of each. As many lists of genes as functions are paired (`upstream;downstream` of `A;B`); a
 * single one belongs to all; otherwise the pairs are unknown. Between genes there are only the neighbours, which have no
 * effect.
 */
function genesOf(functionText: string, geneText: string): Map<string, Set<string>> {
  const named = functionsIn(functionText);
  const lists = geneText.split(';').map((list) => list.split(','));
  const genes = new Map<string, Set<string>>();
  if (named.includes('intergenic')) return genes;
  const areAll = named.length === 1 || lists.length === 1;
  for (const [at, list] of lists.entries()) {
    const own = named.length === lists.length ? [named[at] ?? ''] : areAll ? named : [];
    for (const gene of list) {
      if (gene === '' || gene === 'NONE' || gene === '.') continue;
      genes.set(gene, (genes.get(gene) ?? new Set()).union(new Set(own)));
    }
  }
  return genes;
}

/** Parses the transcripts of GeneDetail, `NM_1:exon3:c.123+1G>A,NM_2:c.*35G>A`; it names no genes. */
function detailsOf(text: string): { transcript: string; change: string }[] {
  return text.split(/[,;]/).flatMap((one) => {
    const [transcript = '', ...rest] = one.split(':');
    const change = rest.find((part) => /^[cr]\./.test(part));
    return change === undefined || transcript === '' ? [] : [{ transcript, change }];
  });
}

/** Distinguishes the two splice sites by the change, `c.123+1G>A`. */
function siteOf(change: string): string {
  const sign = /^c\.[-*]?\d+([+-])\d/.exec(change)?.[1];
  if (sign === undefined) return splice;
  return sign === '+' ? 'splice_donor_variant' : 'splice_acceptor_variant';
}

/** Parses `BRAF:NM_004333:exon15:c.T1799A:p.V600E`. */
function changeOf(text: string): { gene: string; transcript: string; proteinChange: string | undefined }[] {
  const [gene = '', transcript = '', ...rest] = text.split(':');
  if (gene === '' || transcript === '') return [];
  const change = rest.find((part) => part.startsWith('p.'));
  return [{ gene, transcript, proteinChange: change && namedChange(change) }];
}
