import { columnKey, type Header } from '../../delimited/index.ts';

const words = (list: string): string[] => list.split(/,\s*/);

export const symbolColumns: readonly string[] = words(
  'gene_name,gene_symbol,genename,symbol,hugo_symbol,external_gene_name,hgnc_symbol',
);

/** Transcript columns of programs: tximport and nf-core, kallisto, StringTie and Ballgown, bambu, RSEM, biomaRt. */
export const transcriptColumns: readonly string[] = words(
  'transcript_id,tx,tx_id,txid,tx_name,txname,transcript,transcriptid,target_id,t_name,tname,ensembl_transcript_id,ensembl_transcript_id_version',
);

/** Names that are samples as well: treated ones, and a transcriptome. */
const sharedWithSamples = new Set(['tx', 'transcript']);

/** Ids of genes in the order of preference. */
export const idColumns: readonly string[] = words('gene_id,geneid,ensembl_gene_id,ensembl_id,ensembl');

/** Numbers of genes at NCBI. */
export const entrezColumns: readonly string[] = words(
  'entrez,entrezid,entrez_id,entrez_gene,entrez_gene_id,entrezgene,entrezgene_id,ncbi_gene_id',
);

/** Columns with the gene of a line. */
const geneColumns = new Set([
  ...symbolColumns,
  ...transcriptColumns,
  ...idColumns,
  ...entrezColumns,
  ...words('gene,genes,feature,feature_id,id,name,target'),
]);

/** Columns of tables of any kind: lists of patients, too. */
const generalColumns = new Set(['id', 'name']);

const noSamples = new Set([
  ...symbolColumns,
  ...transcriptColumns,
  ...idColumns,
  ...entrezColumns,
  ...words(
    `hgnc_id,description,transcript_id(s),transcript_count,width,type,biotype,gc_content,percentage_gene_gc_content,tf_family,
    cytoband,locus_id,seqname,seqnames,chr,chrom,chromosome,start,end,start_position,end_position,chromosome_name,strand`,
  ),
]);

/** Statistics that users add to a table of several samples. */
const statistics = new Set(words('mean,average,median,stdev,variance,basemean,aveexpr'));

/** Statistics beside those; alone such a name is a sample (initials, total RNA). */
const furtherStatistics = new Set(words('sd,sum,total'));

/** Names by which R, its packages and pandas turn row names into a column. */
const rowNames = new Set(words('x,rn,rowname,rownames,row_names,index,unnamed:_0'));

export const isRowNames = (name: string): boolean => rowNames.has(columnKey(name));

export const isOfGenes = (name: string): boolean => geneColumns.has(columnKey(name));

/** Returns whether a column of genes may have another meaning as well. */
export const isGeneral = (name: string): boolean => generalColumns.has(columnKey(name));

export const isIds = (name: string): boolean =>
  [...idColumns, ...transcriptColumns].includes(columnKey(name));

export const isSymbols = (name: string): boolean => symbolColumns.includes(columnKey(name));

export const isTranscripts = (name: string): boolean => transcriptColumns.includes(columnKey(name));

/** Returns whether a column of transcripts may be a sample as well. */
export const mayBeSample = (name: string): boolean => sharedWithSamples.has(columnKey(name));

/** Names of columns about several samples. */
export function statisticsAmong(names: readonly string[]): string[] {
  const hasStatistics = names.some((name) => statistics.has(columnKey(name)));
  if (!hasStatistics) return [];
  return names.filter((name) => [statistics, furtherStatistics].some((words) => words.has(columnKey(name))));
}

/** `len`, `EffectiveLength`, `eff_len`, `transcript_length`. */
const isLength = /^(?:eff(?:ective)?_?)?(?:gene_|tx_|transcript_|exon_)?len(?:gth)?s?$/;

/** Returns whether a column describes the gene: `chr`, `gene_chr`. GC beside a length is its content, elsewhere it may be a sample. */
export function describesGene(name: string, header: Header): boolean {
  const key = columnKey(name);
  if (key === 'gc') return header.hasOne('length', 'gene_length');
  return isLength.test(key) || noSamples.has(key) || noSamples.has(key.replace(/^gene_/, ''));
}
