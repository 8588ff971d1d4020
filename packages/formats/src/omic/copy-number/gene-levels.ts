import {
  attributesOf,
  type Header,
  isNumber,
  numberAt,
  RecordFault,
  symbolAt,
  textAt,
} from '../../delimited/index.ts';
import type { OpenFile, Opening, TabularFormat } from '../format.ts';
import { type CopyNumberStatus, statusOf } from './status.ts';

/** Levels of GISTIC and cBioPortal (its documentation, "Discrete Copy Number Data"). */
export const statusOfLevel: ReadonlyMap<number, CopyNumberStatus> = new Map([
  [-2, 'loss'],
  [-1.5, 'partialLoss'],
  [-1, 'partialLoss'],
  [0, 'neutral'],
  [1, 'gain'],
  [2, 'amplification'],
]);

/** Meaning of the values: levels, logarithms of ratios (base 2), or copies minus two (GISTIC's `all_data_by_genes`). */
type Meaning = 'level' | 'log2' | 'difference';

const genes = ['Hugo_Symbol', 'Gene Symbol'];
const ids = ['Entrez_Gene_Id', 'Gene ID', 'Locus ID'];
const cytoband = 'Cytoband';
const long = { sample: 'Sample_Id', value: 'Value' } as const;

/** Copy numbers of genes × samples by GISTIC and cBioPortal, and the long table of cBioPortal. */
export const geneLevels: TabularFormat = {
  type: 'copynumber',
  name: 'copy number of genes',
  open: (opening) => {
    const { header, records } = opening;
    const gene = header.place(...genes);
    if (gene !== 0 || records.length === 0) return undefined;
    if (header.has(long.sample, long.value)) return openedLong(opening);
    const known = [gene, header.place(...ids), header.place(cytoband)];
    const samples = [...header.names.keys()].filter((place) => !known.includes(place));
    const values = records.flatMap((fields) => samples.map((place) => textAt(fields, place) ?? ''));
    const meaning = meaningOf(
      opening,
      values.filter((value) => value !== ''),
    );
    return samples.length === 0 || meaning === undefined ? undefined : openedMatrix(header, samples, meaning);
  },
};

function meaningOf(
  { header, fileName, isTypeNamed }: Opening,
  values: readonly string[],
): Meaning | undefined {
  if (values.length === 0 || !values.every(isNumber)) return undefined;
  const areLevels = values.every((value) => statusOfLevel.has(Number(value)));
  const name = fileName.slice(fileName.lastIndexOf('/') + 1).toLowerCase();
  // The first genes of a quiet genome may have whole differences alone.
  if (header.has('Gene Symbol', cytoband))
    return areLevels && !/(?:all|broad|focal)_data_by_genes/.test(name) ? 'level' : 'difference';
  if (/(?:^|[^a-z])log2_?cna(?![a-z])/.test(name)) return 'log2';
  // Without a loss the values may be numbers of copies, unless the file's name in cBioPortal decides.
  const isNamed = /^data_cna\./.test(name) || (isTypeNamed && values.some((value) => Number(value) < 0));
  return areLevels && isNamed ? 'level' : undefined;
}

/** Suffixes of GISTIC for places of a gene, and for genes of one symbol: `BRCA1|chr17`, `MIR1|ENSG00000199179.3`. */
const place = /(?<=.)\|(?:chr\w+|ENSG\d+(?:\.\d+)?)$/;

function openedMatrix(header: Header, samples: readonly number[], meaning: Meaning): OpenFile {
  const attributes = attributesOf(header, [header.place(...genes), ...samples]);
  return {
    samples: samples.map((place) => header.names[place] ?? ''),
    rows(fields) {
      header.check(fields);
      const written = geneAt(header, fields);
      const gene = written.replace(place, '');
      const given = gene === written ? {} : { 'Gene Symbol': written };
      return samples.flatMap((column) => {
        const value = numberAt(fields, column);
        if (value === undefined) return [];
        const copies = copiesOf(value, meaning, column);
        const further = { ...(meaning === 'level' && { level: value }), ...given };
        return [
          { sample_id: header.names[column], gene, ...copies, attributes: attributes(fields, further) },
        ];
      });
    },
  };
}

function openedLong({ header, records, fileName, isTypeNamed }: Opening): OpenFile | undefined {
  const [sample, value] = [header.place(long.sample), header.place(long.value)];
  const isNamed = isTypeNamed || /cna/i.test(fileName.slice(fileName.lastIndexOf('/') + 1));
  const areLevels = records.every((fields) => statusOfLevel.has(Number(textAt(fields, value) ?? '0')));
  if (!isNamed || !areLevels) return undefined;
  const attributes = attributesOf(header, [header.place(...genes), sample, value]);
  return {
    rows(fields) {
      header.check(fields);
      const level = numberAt(fields, value);
      if (level === undefined) return [];
      const sampleId = textAt(fields, sample);
      if (sampleId === undefined) throw new RecordFault(`${long.sample} is missing`, sample + 1);
      const copies = copiesOf(level, 'level', value);
      return [
        {
          sample_id: sampleId,
          gene: geneAt(header, fields),
          ...copies,
          attributes: attributes(fields, { level }),
        },
      ];
    },
  };
}

function geneAt(header: Header, fields: readonly string[]): string {
  const place = header.place(...genes);
  const gene = symbolAt(fields, place) ?? textAt(fields, header.place(...ids));
  if (gene === undefined) throw new RecordFault('the gene is missing', place + 1);
  return gene;
}

function copiesOf(
  value: number,
  meaning: Meaning,
  place: number,
): { copy_number?: number; status: CopyNumberStatus | undefined } {
  if (meaning === 'level') {
    const status = statusOfLevel.get(value);
    if (!status) throw new RecordFault('a level of copies is one of -2, -1.5, -1, 0, 1 and 2', place + 1);
    return { status };
  }
  const copyNumber = meaning === 'log2' ? 2 * 2 ** value : Math.max(0, value + 2);
  return { copy_number: copyNumber, status: statusOf(copyNumber) };
}
