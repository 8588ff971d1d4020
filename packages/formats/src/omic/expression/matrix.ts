import {
  attributesOf,
  columnKey,
  Header,
  isNumber,
  numberAt,
  RecordFault,
  textAt,
} from '../../delimited/index.ts';
import { InputError } from '../../input-error.ts';
import type { Row } from '../../parquet/index.ts';
import type { OpenFile, Opening, TabularFormat } from '../format.ts';
import { isGeneId, namedGene } from './gene-name.ts';
import { type GeneTable, geneTable, symbolColumns } from './row-names.ts';
import { sampleNameOfColumn } from './sample-columns.ts';
import { saysCounts, saysExpression, saysOtherMolecule, unitOfFileName } from './unit.ts';

const noSamples = new Set([
  ...symbolColumns,
  ...`entrez,entrezid,entrez_id,entrez_gene,entrez_gene_id,entrezgene,entrezgene_id,hgnc_id,ncbi_gene_id,gene_id,geneid,ensembl,ensembl_id,ensembl_gene_id,description,\
length,effective_length,transcript_id(s),transcript_length,transcript_count,width,type,biotype,gc_content,percentage_gene_gc_content,tf_family,seqname,seqnames,chr,chrom,chromosome,\
start,end,start_position,end_position,chromosome_name,strand`.split(','),
]);
/** What a test of groups of samples gives of a gene (DESeq2, edgeR, limma), by how much they differ and how sure that is. */
const differences = 'log2foldchange,log2_fold_change,log2fc,logfc,lfc'.split(',');
const certainties = 'pvalue,p_value,pval,padj,adj_p_val,fdr,qvalue,q_value'.split(',');
/** Columns that say whose a value is: such a table has one line a gene and sample, and the values of these would be ids of people. */
const owners =
  'sample_id,sampleid,sample_name,patient_id,patientid,subject_id,subjectid,donor_id,individual_id,specimen_id,tumor_sample_barcode'.split(
    ',',
  );
const featureCountsColumns = ['Geneid', 'Chr', 'Start', 'End', 'Strand', 'Length'];

/** One line a gene, one column a sample: featureCounts, joined HTSeq counts, tables from R. */
export const matrix: TabularFormat = { type: 'expression', name: 'expression', open };

/** `htseq-count`: no header, a gene and its count. Other tables of two columns look the same, so the genes or the name have to tell. */
export const htseq: TabularFormat = {
  type: 'expression',
  name: 'HTSeq',
  open: ({ header: first, records, fileName, isTypeNamed }) => {
    const lines = [first.names, ...records];
    const isCounts = lines.every((line) => line.length === 2 && /^\d+$/.test(line[1] ?? ''));
    const isKnown = isTypeNamed || /htseq|count/i.test(fileName) || isGeneId(first.names[0] ?? '');
    if (!isCounts || !isKnown) return undefined;
    const unit = unitOfFileName(fileName);
    const header = new Header(['gene', 'count']);
    const guess = unit === undefined ? guessOf(fileName) : 'none';
    return { ...opened({ header, gene: 0 }, unit ?? 'count', guess), isHeaderless: true };
  },
};

function open({ header, records, fileName, isTypeNamed }: Opening): OpenFile | undefined {
  if (records.length === 0) return undefined;
  if (header.hasOne(...differences) && header.hasOne(...certainties))
    throw new InputError(comparison, { line: 1 });
  const isFeatureCounts = header.has(...featureCountsColumns);
  const isKnown = isTypeNamed || saysExpression(fileName);
  const found = geneTable(header, records, isKnown);
  // Those of featureCounts tell the gene in any order, but may stand behind row names.
  const isInPlace = isFeatureCounts && found?.header.names[0] !== '';
  const table = isInPlace ? { header, gene: header.place('Geneid') } : found;
  if (!table) return undefined;
  const places = samplePlaces(table);
  if (places.length === 0) return undefined;
  // Several values of one sample are no matrix, and nothing says what each of them is.
  const isUnnamed = places.some((place) => sampleNameOfColumn(table.header.names[place] ?? '') === undefined);
  if (places.length > 1 && isUnnamed) return undefined;
  const values = records.flatMap((fields) => places.map((place) => fields[place]?.trim() ?? ''));
  const numbers = values.filter((value) => isNumber(value));
  const isMatrix = numbers.length > 0 && numbers.length >= values.length / 2;
  const hasNegative = numbers.some((value) => Number(value) < 0);
  if (!isTypeNamed && !isMatrix) return undefined;
  if (header.hasOne(...owners)) throw new InputError(longTable, { line: 1 });
  if (!isTypeNamed && !isFeatureCounts && saysOtherMolecule(fileName))
    throw new InputError(otherMolecule, { line: 1 });
  if (!isTypeNamed && hasNegative) return undefined;
  const isWhole = !hasNegative && numbers.every((value) => Number.isInteger(Number(value)));
  const named = unitOfFileName(fileName);
  const unit = named === 'count' && hasNegative ? undefined : named;
  const isCounts = isFeatureCounts || isWhole;
  const guess = isFeatureCounts || unit !== undefined ? 'none' : guessOf(fileName);
  return opened(table, unit ?? (isCounts ? 'count' : undefined), guess);
}

const otherMolecule =
  'By its name this table of genes holds copy numbers or mutations, so it is not taken for expression. Upload segments, a table with sample_id, gene and copy_number, or a MAF; name its type if it is expression all the same.';

const longTable =
  'A column of this table says whose each value is: call it sample_id, and that of the values expression or raw_count, with expression_unit beside it. Only tables of one column a sample have other names.';

const comparison =
  'This is the result of a comparison (fold changes and p-values), which is no expression of samples: upload the counts or the normalized values that were compared.';

/** Columns that say something of the gene: `chr`, `gene_chr`; GC beside a length is its content, elsewhere it may be somebody's name. */
function isOfGene(name: string, header: Header): boolean {
  const key = columnKey(name);
  if (key === 'gc') return header.hasOne('length', 'gene_length');
  return noSamples.has(key) || noSamples.has(key.replace(/^gene_/, ''));
}

function samplePlaces({ header, gene }: GeneTable): number[] {
  const others = header.has(...featureCountsColumns) ? featureCountsColumns : [];
  // Row names have no name themselves, and stand first.
  const skipped = [gene, header.names[0] === '' ? 0 : gene, ...others.map((name) => header.place(name))];
  return header.names.flatMap((name, place) =>
    skipped.includes(place) || isOfGene(name, header) ? [] : [place],
  );
}

/** What says that values are counts but that the first of them are whole numbers: the file itself, at least its name, or nothing. */
type Guess = 'none' | 'named' | 'blind';

const guessOf = (fileName: string): Guess => (saysCounts(fileName) ? 'named' : 'blind');

/** Estimated counts, and reads divided among genes, are fractions: only what is guessed has to be whole. */
function opened(table: GeneTable, unit: string | undefined, guess: Guess): OpenFile {
  const { header, gene } = table;
  let isBlind = unit === 'count' && guess === 'blind';
  const symbol = symbolColumns.map((name) => header.place(name)).find((place) => place > 0) ?? -1;
  const isSymbol = symbolColumns.includes(columnKey(header.names[gene] ?? ''));
  const idBeside = isSymbol ? header.place('gene_id', 'geneid', 'ensembl_gene_id') : -1;
  const places = samplePlaces(table);
  const samples = places.map((place) => sampleNameOfColumn(header.names[place] ?? ''));
  // featureCounts lists every exon of a gene there.
  const exons = header.has(...featureCountsColumns) ? ['Chr', 'Start', 'End', 'Strand'] : [];
  const used = [0, gene, symbol, idBeside, ...places, ...exons.map((name) => header.place(name))];
  const attributes = attributesOf(header, used);
  const isNormalized = unit === undefined ? undefined : unit !== 'count';
  return {
    isOneSample: samples.every((name) => name === undefined),
    samples: samples.filter((name) => name !== undefined),
    rows(fields) {
      header.check(fields);
      const identifier = textAt(fields, gene);
      if (identifier === undefined) throw new RecordFault('the gene is missing', gene + 1);
      // Reads that were counted for no gene (HTSeq's manual).
      if (identifier.startsWith('__')) {
        isBlind = false;
        return [];
      }
      const named = namedGene(identifier);
      const shared = {
        gene_id: isSymbol ? textAt(fields, idBeside) : named.gene_id,
        gene_name: textAt(fields, symbol) ?? (isSymbol ? identifier : named.gene_name),
        attributes: attributes(fields, { transcript_id: named.transcript_id }),
        is_normalized: isNormalized,
        expression_unit: unit,
      };
      return places.flatMap((place, index): Row[] => {
        const value = numberAt(fields, place);
        if (value === undefined) return [];
        if (unit === 'count' && value < 0) throw new RecordFault('a count cannot be below 0', place + 1);
        if (unit === 'count' && guess !== 'none' && !Number.isInteger(value)) throw noCount(place);
        const rawCount = unit === 'count' ? value : undefined;
        return [{ ...shared, sample_id: samples[index], expression: value, raw_count: rawCount }];
      });
    },
    remarks: () => (unit === undefined ? [noUnit] : isBlind ? [blindCounts] : []),
  };
}

const noUnit =
  'Nothing says in which unit the values are: expression_unit is NULL. Name it in the file name (expected_counts, tpm, fpkm, cpm).';
const blindCounts =
  'Taken for counts of reads, since the first lines hold whole numbers and nothing says otherwise. If they are copies of genes or mutations, remove the file and upload a table of those; if they are counts, say so in the file name (counts).';

/** The values before it were taken for counts as well, and are in the rows already: the file has to be given again. */
function noCount(place: number): RecordFault {
  return new RecordFault(
    'a count has to be a whole number; say in the file name what the values are (expected_counts, tpm, fpkm, cpm), or give a table with expression_unit',
    place + 1,
    { isOfFile: true },
  );
}
