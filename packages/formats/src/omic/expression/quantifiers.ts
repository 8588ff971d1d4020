import { attributesOf, type Header, numberAt, RecordFault, symbolAt, textAt } from '../../delimited/index.ts';
import type { OpenFile, TabularFormat } from '../format.ts';
import { SampleColumn } from '../sample-column.ts';
import { namedGene, unnamedGenes } from './gene-name.ts';

/** Format with one sample a file, in TPM, beside estimated or whole counts. */
interface Quantifier {
  name: string;
  /** Columns by which it is known. */
  recognised: readonly string[];
  gene: string;
  symbol?: string;
  transcript?: string;
  tpm: string;
  count?: string;
}

const quantifiers: readonly Quantifier[] = [
  {
    name: 'RSEM',
    recognised: ['gene_id', 'transcript_id(s)', 'expected_count', 'TPM'],
    gene: 'gene_id',
    tpm: 'TPM',
    count: 'expected_count',
  },
  {
    name: 'RSEM',
    recognised: ['transcript_id', 'gene_id', 'expected_count', 'TPM', 'IsoPct'],
    gene: 'gene_id',
    transcript: 'transcript_id',
    tpm: 'TPM',
    count: 'expected_count',
  },
  {
    name: 'Salmon',
    recognised: ['Name', 'Length', 'EffectiveLength', 'TPM', 'NumReads'],
    gene: 'Name',
    tpm: 'TPM',
    count: 'NumReads',
  },
  {
    name: 'kallisto',
    recognised: ['target_id', 'length', 'eff_length', 'est_counts', 'tpm'],
    gene: 'target_id',
    tpm: 'tpm',
    count: 'est_counts',
  },
  {
    name: 'StringTie',
    recognised: ['Gene ID', 'Gene Name', 'Coverage', 'FPKM', 'TPM'],
    gene: 'Gene ID',
    symbol: 'Gene Name',
    tpm: 'TPM',
  },
  {
    name: 'GDC',
    recognised: ['gene_id', 'gene_name', 'gene_type', 'unstranded', 'tpm_unstranded'],
    gene: 'gene_id',
    symbol: 'gene_name',
    tpm: 'tpm_unstranded',
    count: 'unstranded',
  },
];

/** RSEM, Salmon, kallisto, StringTie and the STAR counts of the GDC. */
export const quantifierFormats: readonly TabularFormat[] = quantifiers.map((quantifier) => ({
  type: 'expression',
  name: quantifier.name,
  open: ({ header }) => (header.has(...quantifier.recognised) ? opened(header, quantifier) : undefined),
}));

/** Lines of the GDC that count reads without a gene (`N_unmapped`). */
const summary = /^N_[A-Za-z]+$/;

function opened(header: Header, quantifier: Quantifier): OpenFile {
  const placeOf = (name: string | undefined): number => (name === undefined ? -1 : header.place(name));
  const [gene, tpm] = [placeOf(quantifier.gene), placeOf(quantifier.tpm)];
  const symbol = placeOf(quantifier.symbol);
  const transcript = placeOf(quantifier.transcript);
  const count = placeOf(quantifier.count);
  const sample = new SampleColumn(header);
  const attributes = attributesOf(header, [sample.place, gene, tpm, symbol, transcript, count]);
  let unnamed = 0;
  return {
    isOneSample: sample.isMissing,
    rows(fields) {
      header.check(fields);
      const identifier = textAt(fields, gene);
      if (identifier === undefined) throw new RecordFault('the gene is missing', gene + 1);
      if (summary.test(identifier)) return [];
      const named = namedGene(identifier);
      const transcriptId = textAt(fields, transcript) ?? named.transcript_id;
      if (named.gene_id === transcriptId) unnamed += 1;
      const expression = amountAt(fields, tpm);
      const rawCount = amountAt(fields, count);
      if (expression === undefined && rawCount === undefined)
        throw new RecordFault('the TPM is missing', tpm + 1);
      return [
        {
          sample_id: sample.at(fields),
          gene_id: named.gene_id,
          gene_name: symbolAt(fields, symbol) ?? named.gene_name,
          expression,
          raw_count: rawCount,
          attributes: attributes(fields, { transcript_id: transcriptId }),
          is_normalized: true,
          expression_unit: 'tpm',
        },
      ];
    },
    remarks: () => unnamedGenes(unnamed),
  };
}

/** Reads and their shares are never below 0. */
function amountAt(fields: readonly string[], place: number): number | undefined {
  const value = numberAt(fields, place);
  if (value !== undefined && value < 0) throw new RecordFault('it cannot be below 0', place + 1);
  return value;
}
