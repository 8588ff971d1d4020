import { attributesOf, type Header, numberAt, RecordFault, textAt } from '../../delimited/index.ts';
import type { OpenFile, TabularFormat } from '../format.ts';

/** MaxQuant's intensities, the normalized ones first. */
const intensities = [
  { prefix: 'LFQ intensity ', unit: 'lfq_intensity', isNormalized: true },
  { prefix: 'iBAQ ', unit: 'ibaq', isNormalized: true },
  { prefix: 'Intensity ', unit: 'intensity', isNormalized: false },
] as const;
const flags = ['Reverse', 'Potential contaminant', 'Only identified by site'];

interface Values {
  /** Indexes of the values with their samples. */
  samples: readonly { place: number; name: string }[];
  unit: string;
  isNormalized: boolean;
  gene: number;
  protein: number;
  /** Indexes of marks for proteins that are not of the sample. */
  flags: readonly number[];
  /** Set if 0 means "not measured". */
  isZeroMissing: boolean;
}

/** `proteinGroups.txt` of MaxQuant. */
const maxQuant: TabularFormat = {
  type: 'expression',
  name: 'MaxQuant',
  open: ({ header }) => {
    if (!header.has('Protein IDs', 'Majority protein IDs')) return undefined;
    for (const { prefix, unit, isNormalized } of intensities) {
      const samples = header.names.flatMap((name, place) =>
        name.startsWith(prefix) ? [{ place, name: name.slice(prefix.length) }] : [],
      );
      if (samples.length === 0) continue;
      return opened(header, {
        ...{ samples, unit, isNormalized, isZeroMissing: true },
        gene: header.place('Gene names'),
        protein: header.place('Majority protein IDs'),
        flags: flags.map((name) => header.place(name)).filter((place) => place >= 0),
      });
    }
    return undefined;
  },
};

const ofDiann = ['Protein.Group', 'Protein.Names', 'Genes', 'First.Protein.Description'];
const raw = /\.(?:raw|mzml|d|wiff|dia)$/i;

/** `report.pg_matrix.tsv` of DIA-NN. */
const diann: TabularFormat = {
  type: 'expression',
  name: 'DIA-NN',
  open: ({ header }) => {
    if (!header.has('Protein.Group', 'Genes', 'First.Protein.Description')) return undefined;
    const known = new Set(
      [...ofDiann, 'Protein.Ids', 'N.Sequences', 'N.Proteotypic.Sequences'].map((name) => header.place(name)),
    );
    const samples = header.names.flatMap((name, place) =>
      known.has(place) ? [] : [{ place, name: (name.split(/[\\/]/).at(-1) ?? name).replace(raw, '') }],
    );
    const [gene, protein] = [header.place('Genes'), header.place('Protein.Group')];
    const settings = { unit: 'maxlfq', isNormalized: true, gene, protein, flags: [], isZeroMissing: true };
    return samples.length === 0 ? undefined : opened(header, { samples, ...settings });
  },
};

/** Normalized protein expression of Olink, a line a sample and protein. */
const olink: TabularFormat = {
  type: 'expression',
  name: 'Olink',
  open: ({ header }) => {
    if (!header.has('SampleID', 'UniProt', 'Assay', 'NPX')) return undefined;
    const [sample = -1, protein = -1, gene = -1, npx = -1] = ['SampleID', 'UniProt', 'Assay', 'NPX'].map(
      (name) => header.place(name),
    );
    const attributes = attributesOf(header, [sample, protein, gene, npx]);
    return {
      rows(fields) {
        header.check(fields);
        const sampleId = textAt(fields, sample);
        if (sampleId === undefined) throw new RecordFault('SampleID is missing', sample + 1);
        const expression = numberAt(fields, npx);
        if (expression === undefined) return [];
        return [
          {
            sample_id: sampleId,
            gene_id: textAt(fields, protein),
            gene_name: textAt(fields, gene),
            expression,
            is_normalized: true,
            expression_unit: 'npx',
            attributes: attributes(fields),
          },
        ];
      },
    };
  },
};

/** Amounts of proteins, which are kept as expression with their unit. */
export const proteinFormats: readonly TabularFormat[] = [maxQuant, diann, olink];

function opened(
  header: Header,
  { samples, unit, isNormalized, gene, protein, flags: marks, isZeroMissing }: Values,
): OpenFile {
  let leftOut = 0;
  return {
    samples: samples.map(({ name }) => name),
    rows(fields) {
      header.check(fields);
      if (marks.some((place) => textAt(fields, place) === '+')) {
        leftOut += 1;
        return [];
      }
      const proteins = textAt(fields, protein);
      if (proteins === undefined) throw new RecordFault('the protein is missing', protein + 1);
      const genes = textAt(fields, gene);
      // A group may have several proteins: the first is its best one.
      const [gene_id, gene_name] = [proteins.split(';')[0], genes?.split(';')[0]];
      const others = JSON.stringify({ proteins, ...(genes !== undefined && { genes }) });
      return samples.flatMap(({ place, name }) => {
        const expression = numberAt(fields, place);
        if (expression === undefined || (isZeroMissing && expression === 0)) return [];
        const row = { sample_id: name, gene_id, gene_name, expression, is_normalized: isNormalized };
        return [{ ...row, expression_unit: unit, attributes: others }];
      });
    },
    remarks: () =>
      leftOut === 0 ? [] : [`${leftOut} lines of contaminants and reversed sequences were left out.`],
  };
}
