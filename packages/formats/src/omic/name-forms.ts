import { columnKey } from '../delimited/index.ts';
import { haveKnownGenes, isGeneOrTranscript } from './expression/gene-name.ts';

const wordsOf = (list: string): ReadonlySet<string> => new Set(list.trim().split(/[,\s]+/));

/** Words for what is measured or computed, of which names of columns of values are made. */
const quantities = wordsOf(
  `len length lengths eff effective efflen num number reads read fragments frags fragment umi umis count counts est estimated expected raw normalized
  normalised scaled tpm fpkm rpkm cpm rpm fpkmuq uq coverage cov depth abundance abund expression expr value values unstranded stranded intensity ibaq lfq tmm mean median
  average score log log2 log10 log1p vst zscore pct percent isopct fraction ratio bootstrap variance stdev inferential multimapped ambiguous unique total sum numreads`,
);

/** Words of programs and their files beside the quantities; no person, cell line or aliquot is called so. */
const programs = wordsOf(
  `out output outs result results report reports final filtered raw merged matrix table data summary gene genes transcript transcripts isoform isoforms exon quant
  quants fusion fusions prediction predictions candidates discarded abridged coding effect sv svs snv snvs indel indels somatic germline variants calls call passed cnv cna segments
  segment segs ctat lr inspector fusioninspector finspector star starfusion arriba defuse fusioncatcher jaffa jaffal longgf pizzly squid ericscript genion isoquant oarfish bambu flair
  talon stringtie salmon kallisto rsem htseq featurecounts cufflinks express sailfish telescope lrkallisto bustools facets ascat sequenza purple cnvkit freec controlfreec ichorcna
  qdnaseq battenberg titan gatk modelsegments strelka strelka2 mutect mutect2 varscan manta delly lumpy smoove gridss svaba severus sniffles sniffles2 cutesv svim pbsv clair3
  deepvariant octopus freebayes lofreq pindel dragen illumina pipeline analysis stats maf vcf tsv csv txt aligned sorted dedup rna rnaseq dna wgs wes lib library run batch`,
);

/** Names that programs give to every sample, and people to the first one; with a number or a molecule behind them as well. */
const everyones =
  /^(?:(?:the|my|a)?[\s._-]*)?(?:tumou?r|normal|sample|subject|control|case|test|patient|default|unknown|unnamed|undetermined|name|id|bar(?:code)?|20|somatic|germline|primary|blood|metastasis|relapse|diseased?|healthy|proband|individual|index|child|mother|father|ref(?:erence)?|query|unspecified|dummy|placeholder|input|output|sm|rg|lane|reads)(?:[\s._-]*(?:sample|dna|rna|bam|tissue|id|name))?[\s._-]*\d{0,2}$/i;
/** The sample of the specification's examples and of libraries that were built from them. */
const ofExamples = /^(?:NA0000\d|null|none|na|n\/a)$/i;

/** Returns whether a name of a sample is one that programs use for all, so that it identifies no sample. */
export function isEveryones(name: string): boolean {
  const text = name.trim();
  return everyones.test(text) || ofExamples.test(text) || (isOfPrograms(text) && !isQuantity(text));
}

/** Returns whether a name is made of words of programs alone. */
export function isOfPrograms(name: string): boolean {
  const words = name
    .toLowerCase()
    .split(/[\s._-]+/)
    .filter((word) => word !== '');
  return words.length > 0 && words.every((word) => programs.has(word) || quantities.has(word));
}

/** Returns whether a name of a column is of what is measured, and not of a sample: `len`, `num_reads`, `TPM`. */
export function isQuantity(name: string): boolean {
  const words = columnKey(name.replaceAll(/(?<=[a-z])(?=[A-Z])/g, '_')).split('_');
  const isPlain = (word: string): boolean =>
    word === '' || /^(?:n|no|nr|of|per|in|and|s|million)$/.test(word);
  return words.every((word) => isPlain(word) || quantities.has(word)) && !words.every(isPlain);
}

/**
 * Words for quantities, statistics and transformations of a sample, of which a part of a name is made. Words for kinds of samples
 * (`total`, `input`), and for their growth (`log`), are none of them.
 */
const measure =
  /^(?:log(?:2|10|1p)?|ln|norm|raw|num|eff)?(?:len(?:gth)?s?|tpm|[fr]pkm|[cr]pm|tmm|counts?|reads|abundances?|uq)(?:uq|p1)?$/i;
const further = wordsOf(
  'mean median avg average sd std stdev sem cv variance iqr mad pvalue padj zscore zscores log2 log10 log1p ln rlog vst vsd voom',
);
/** Words before those. */
const modifier =
  /^(?:raw|expected|estimated|est|effective|eff|normali[sz]ed|norm|scaled|log|num|z|scores?|quantile|p1)$/i;
const isMeasure = (word: string): boolean => measure.test(word) || further.has(word.toLowerCase());
const isOfMeasure = (word: string): boolean => isMeasure(word) || modifier.test(word);

/** Number added before a logarithm: `log2(TPM+1)`. */
const addend = /\+[\d.]+(?=\)?$)/;

/** Statistics and lengths, which are no values of a sample. */
const statistic =
  /^(?:len(?:gth)?s?|efflength|mean|median|avg|average|sd|std|stdev|sem|cv|variance|iqr|mad|pvalue|padj)$/i;

/** Returns whether a quantity is a statistic or a length. */
export const isStatistic = (quantity: string): boolean =>
  quantity.split(/[^a-z]+/i).some((word) => statistic.test(word));

/** Letters of the unit behind the digits of a name, where nothing else divides them: `S1TPM`. */
const joined = /(?<=\d)(?=(?:TPM|[FR]PKM|CPM)$)/;

/**
 * Splits a name of a column that joins a quantity with a sample: `length.S1`, `sd_S1`, `S1_count`, `S1_log2(TPM+1)`,
 * `S1-FPKM-UQ`; undefined for others. Before a sample a dash is part of its name: `TPM-KO`.
 */
export function measuredSample(name: string): { sample: string; measure: string } | undefined {
  const text = name.trim();
  const words = wordsIn(text.replace(addend, ''), /[^._\s:()+-]+/g);
  const last = words.findLastIndex(({ word }) => !isOfMeasure(word));
  const behind = words.slice(last + 1);
  if (last >= 0 && behind.some(({ word }) => isMeasure(word)))
    return {
      sample: text.slice(0, words[last]?.end).trim(),
      measure: text.slice(behind[0]?.start).replace(/\)$/, '').toLowerCase(),
    };
  const before = wordsIn(text, /[^._\s:]+/g);
  const first = before.findIndex(({ word }) => !isOfMeasure(word));
  const quantity = before[first - 1];
  if (quantity && before.slice(0, first).some(({ word }) => isMeasure(word)))
    return { sample: text.slice(before[first]?.start), measure: text.slice(0, quantity.end).toLowerCase() };
  const at = joined.exec(text)?.index ?? 0;
  return at === 0 ? undefined : { sample: text.slice(0, at), measure: text.slice(at).toLowerCase() };
}

function wordsIn(text: string, form: RegExp): { word: string; start: number; end: number }[] {
  return Array.from(text.matchAll(form), ({ 0: word, index }) => ({
    word,
    start: index,
    end: index + word.length,
  }));
}

/** Returns the one quantity that all columns join with samples; undefined where they differ or one lacks it. */
export function sharedMeasure(names: readonly string[]): string | undefined {
  const [shared, ...others] = new Set(names.map((name) => measuredSample(name)?.measure));
  return others.length === 0 ? shared : undefined;
}

/** Ids of people, aliquots and cell lines of the large programs. */
const ofSamples =
  /^(?:TCGA-[A-Z0-9]{2}-[A-Z0-9]{4}|TARGET-\d\d-|ACH-\d{6}|GTEX-[A-Z0-9]{4,}|K562|HG0\d{4}|NA1\d{4}|SRR\d{5,}|ERR\d{5,}|DRR\d{5,}|SAM[NED][A-Z]?\d{5,}|GSM\d{4,}|CPTAC|GENIE-|P-\d{7}|DO\d{3,}|SP\d{4,}|SIDM\d+|PD\d{4,}[a-z])/;

export const looksLikeSample = (name: string): boolean => ofSamples.test(name.trim());

/** Returns whether a name is surely that of a gene or transcript: `ENSG…`, `TP53 (ENSG…)`, `TP53|7157`. */
const looksLikeGene = (name: string): boolean => isGeneOrTranscript(name.trim());

/** Biotypes of Ensembl that are no name of a gene. */
const biotypes = wordsOf(
  'protein_coding lncRNA lincRNA rRNA snRNA snoRNA miRNA misc_RNA processed_pseudogene Mt_rRNA Mt_tRNA',
);

/** Names in a file by their meaning. */
interface FileNames {
  samples: readonly string[];
  /** The first genes. */
  genes: readonly string[];
  /** The first chromosomes, as the lake names them. */
  chromosomes?: ReadonlySet<string>;
  /** The header, where it names the samples. */
  columns?: readonly string[] | undefined;
}

const isChromosome = (name: string): boolean => /^(?:chr)?(?:[1-9]|1\d|2[0-4]|[XYM]|MT)$/i.test(name.trim());

/** Describes for people why names cannot be of samples, or not of genes or chromosomes. */
export function faultOfNames({
  samples,
  genes,
  chromosomes = new Set(),
  columns = [],
}: FileNames): string | undefined {
  const areNone = chromosomes.size > 0 && ![...chromosomes].some(isChromosome);
  if (areNone && samples.every(isChromosome)) return ofSwapped;
  const mainly = (test: (name: string) => boolean): boolean =>
    genes.length > 0 && genes.filter(test).length * 2 > genes.length;
  const named = new Set(columns);
  if (mainly((name) => named.has(name))) return ofPairs;
  if (new Set(genes).size <= biotypesMax && genes.some((name) => biotypes.has(name))) return ofBiotypes;
  const areGenes = samples.some(looksLikeGene) || haveKnownGenes(samples);
  if (!mainly(looksLikeSample) && !areGenes) return undefined;
  return 'The samples of this file are called as genes are, or its genes as samples: the columns are swapped, or the table is turned. Each line must be of a gene, with samples in sample_id or in the header.';
}

/** Ensembl has fewer kinds of genes than that. */
const biotypesMax = 100;
const ofSwapped =
  'The samples of this file are called as chromosomes are, and its chromosomes are not: the names of two columns are swapped.';
const ofPairs =
  'The lines and the columns of this table have the same names: it compares samples or bases in pairs, as correlations and distances do, and holds no genes.';
const ofBiotypes =
  'This file counts reads by biotype (protein_coding, rRNA …), not by gene: upload the counts of the genes.';
