import { attributesOf, type Header, RecordFault, symbolAt, textAt } from '../../delimited/index.ts';
import { type GenomeBuild, genomeBuilds } from '../../vcf/assemblies.ts';
import type { OpenFile, TabularFormat } from '../format.ts';
import { chromosomeAt, positionFrom1 } from '../genome.ts';
import { SampleColumn } from '../sample-column.ts';
import { endColumns } from './rearrangement.ts';

const sites = ['Site1', 'Site2'] as const;

/** Structural variants of cBioPortal (`data_sv.txt`; its documentation, "Structural Variant Data"). */
export const cbioportalFusion: TabularFormat = {
  type: 'fusion',
  name: 'structural variants of cBioPortal',
  open: ({ header }) =>
    header.has('Sample_Id') && sites.some((site) => header.has(`${site}_Hugo_Symbol`))
      ? opened(header)
      : undefined,
};

const frames: ReadonlyMap<string, string> = new Map([
  ['in_frame', 'yes'],
  ['in-frame', 'yes'],
  ['inframe', 'yes'],
  ['frameshift', 'no'],
  ['out_of_frame', 'no'],
  ['out-of-frame', 'no'],
]);

const builds: ReadonlyMap<string, GenomeBuild> = new Map([
  ...genomeBuilds.map((build): [string, GenomeBuild] => [build.toLowerCase(), build]),
  ['hg19', 'GRCh37'],
  ['hg38', 'GRCh38'],
  ['37', 'GRCh37'],
  ['38', 'GRCh38'],
]);

function opened(header: Header): OpenFile {
  const ends = sites.map((site) => ({
    gene: header.place(`${site}_Hugo_Symbol`),
    id: header.place(`${site}_Entrez_Gene_Id`),
    chromosome: header.place(`${site}_Chromosome`),
    position: header.place(`${site}_Position`),
  }));
  const [effect, frame, build] = ['Class', 'Site2_Effect_On_Frame', 'NCBI_Build'].map((name) =>
    header.place(name),
  );
  const [dna, rna] = ['DNA_Support', 'RNA_Support'].map((name) => header.place(name));
  const sample = new SampleColumn(header);
  const used = ends.flatMap(({ gene, chromosome, position }) => [gene, chromosome, position]);
  const attributes = attributesOf(header, [sample.place, ...used, effect ?? -1]);
  const found = new Set<GenomeBuild>();
  return {
    isOneSample: sample.isMissing,
    genomeBuild: () => (found.size === 1 ? [...found][0] : undefined),
    rows(fields) {
      header.check(fields);
      const named = builds.get(textAt(fields, build ?? -1)?.toLowerCase() ?? '');
      if (named) found.add(named);
      const [left, right] = ends.map(({ gene, id, chromosome, position }) => ({
        gene: symbolAt(fields, gene) ?? textAt(fields, id),
        chromosome: chromosomeAt(fields, chromosome),
        position: positionFrom1(fields, position),
      }));
      if (left?.gene === undefined && right?.gene === undefined)
        throw new RecordFault('no gene is named at either site', (ends[0]?.gene ?? 0) + 1);
      const isRna = textAt(fields, rna ?? -1)?.toLowerCase() === 'yes';
      const isDna = textAt(fields, dna ?? -1)?.toLowerCase() === 'yes';
      return [
        {
          sample_id: sample.at(fields),
          gene1: left?.gene,
          gene2: right?.gene,
          effect: textAt(fields, effect ?? -1)?.toLowerCase(),
          ...endColumns(left, right),
          sequence_type: isRna ? 'RNA' : isDna ? 'DNA' : undefined,
          in_frame: frames.get(textAt(fields, frame ?? -1)?.toLowerCase() ?? '') ?? 'unknown',
          attributes: attributes(fields),
        },
      ];
    },
  };
}
