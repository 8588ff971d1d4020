import { Header, jsonOf, numberAt, RecordFault, textAt } from '../../delimited/index.ts';
import type { OpenFile, TabularFormat } from '../format.ts';
import { namedGene } from './gene-name.ts';

/** The first lines count reads without a gene. */
const counters = ['N_unmapped', 'N_multimapping', 'N_noFeature', 'N_ambiguous'];
/** Order of the columns in STAR's manual, "Counting number of reads per gene"; the names are those of the GDC. */
const columns = ['gene_id', 'unstranded', 'stranded_first', 'stranded_second'];

/** STAR's `ReadsPerGene.out.tab`: no header, and counts for each kind of library. */
export const star: TabularFormat = {
  type: 'expression',
  name: 'STAR',
  readsRowNames: true,
  open: ({ header: first, records }) => {
    const lines = [first.names, ...records];
    const isStar = counters.every(
      (name, at) => lines[at]?.[0] === name && lines[at].length === columns.length,
    );
    return isStar ? opened() : undefined;
  },
};

function opened(): OpenFile {
  const header = new Header(columns);
  const sums = { first: 0, second: 0 };
  return {
    isOneSample: true,
    isHeaderless: true,
    rows(fields) {
      header.check(fields);
      const gene = textAt(fields, 0);
      if (gene === undefined) throw new RecordFault('the gene is missing', 1);
      if (counters.includes(gene)) return [];
      const [unstranded = 0, first = 0, second = 0] = [1, 2, 3].map((place) => countAt(fields, place));
      sums.first += first;
      sums.second += second;
      const { gene_id, gene_name } = namedGene(gene);
      return [
        {
          gene_id,
          gene_name,
          expression: unstranded,
          raw_count: unstranded,
          attributes: jsonOf({ stranded_first: first, stranded_second: second }),
          is_normalized: false,
          expression_unit: 'count',
        },
      ];
    },
    remarks: () => [strands, ...strandedBy(sums)],
  };
}

function countAt(fields: readonly string[], place: number): number {
  const count = numberAt(fields, place);
  if (count === undefined || count < 0 || !Number.isInteger(count))
    throw new RecordFault('a count has to be a whole number', place + 1);
  return count;
}

const strands =
  'The counts are those for an unstranded library, as in the GDC. Those for stranded libraries are in attributes: stranded_first, stranded_second.';

/** Share of reads on one strand above which a library keeps the strands. */
const strandedShareMin = 0.75;

/** Names the counts of a library whose reads are on one strand. */
function strandedBy({ first, second }: { first: number; second: number }): string[] {
  const greater = Math.max(first, second);
  if (greater < strandedShareMin * (first + second) || greater === 0) return [];
  const name = first > second ? 'stranded_first' : 'stranded_second';
  return [
    `The library is stranded: ${Math.round((100 * greater) / (first + second))} % of its reads are in ${name}. raw_count also has reads of genes on the other strand.`,
  ];
}
