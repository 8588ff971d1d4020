import { attributesOf, type Header, positionAt, RecordFault } from '../../delimited/index.ts';
import { chromosomeName } from '../../vcf/chromosomes.ts';
import type { OpenFile, TabularFormat } from '../format.ts';
import { chromosomeAt, positionFrom1 } from '../genome.ts';
import { NamedBuilds } from '../named-builds.ts';
import { type FusionProfile, isRecognised, ProfileColumns } from '../profile.ts';
import { SampleColumn } from '../sample-column.ts';
import { endColumns, type FusionEnd, rearrangementOf } from './rearrangement.ts';

type Fields = readonly string[];
/** Signs of programs for a gene without a symbol. */
const noSymbol: ReadonlySet<string> = new Set(['-', '--']);

/** Reads tables of fusions as a profile describes them. */
export function fusionFormat(profile: FusionProfile): TabularFormat {
  return {
    type: 'fusion',
    name: profile.program,
    marksHeader: true,
    open: ({ header }) => (isRecognised(profile, header) ? opened(header, profile) : undefined),
  };
}

/** Words of programs for a reading frame that continues, or ends, behind the joint. */
const frames: readonly (readonly [frame: string, words: RegExp])[] = [
  ['yes', /^(?:in[-_ ]?frame|y|yes|true|1)$/i],
  ['no', /^(?:out[-_ ]of[-_ ]frame|frame[-_ ]?shift|stop[-_ ]codon|n|no|false|0)$/i],
];

/** Returns `yes`, `no` or `unknown`. */
const frameOf = (text = ''): string => frames.find(([, words]) => words.test(text))?.[0] ?? 'unknown';

function opened(header: Header, profile: FusionProfile): OpenFile {
  const columns = new ProfileColumns(header, profile);
  const genes = genesOf(columns, profile);
  const ends = endsOf(columns, profile);
  const effect = columns.place(profile.effect);
  const frame = columns.place(profile.frame, { isKept: true });
  const marks = Object.entries(profile.marks ?? {}).map(
    ([name, kind]) => [columns.place(name), kind] as const,
  );
  const { RNA, DNA } = profile.molecules ?? {};
  const molecules = { RNA: columns.place(RNA, { isKept: true }), DNA: columns.place(DNA, { isKept: true }) };
  const builds = new NamedBuilds(columns.place(profile.build, { isKept: true }));
  const sample = SampleColumn.of(header, profile.sample);
  const attributes = attributesOf(header, [sample.place, ...columns.used]);
  const isYes = (fields: Fields, place: number): boolean => /^yes$/i.test(columns.text(fields, place) ?? '');
  return {
    isOneSample: sample.isMissing,
    ...(profile.molecule && { sequenceType: profile.molecule }),
    genomeBuild: () => builds.only,
    remarks: () => builds.remarks,
    rows(fields) {
      header.check(fields);
      builds.read(fields);
      const [first, second] = genes(fields);
      const [left, right] = ends(fields);
      const marked = marks.find(([place]) => columns.text(fields, place) === 'Y')?.[1];
      const supported = (['RNA', 'DNA'] as const).find((molecule) => isYes(fields, molecules[molecule]));
      return [
        {
          sample_id: sample.at(fields),
          gene1: first.gene,
          gene2: second.gene,
          effect:
            effect >= 0
              ? columns.text(fields, effect)?.toLowerCase()
              : (marked ?? rearrangementOf(left, right)),
          ...endColumns(left, right),
          ...(supported && { sequence_type: supported }),
          in_frame: frameOf(columns.text(fields, frame)),
          attributes: attributes(fields, {
            gene_id1: first.id,
            gene_id2: second.id,
            nearest_genes1: first.nearest,
            nearest_genes2: second.nearest,
            strand1: left.strand,
            strand2: right.strand,
          }),
        },
      ];
    },
  };
}

interface NamedPartner {
  gene?: string | undefined;
  id?: string | undefined;
  /** Neighbours of a breakpoint between genes. */
  nearest?: string;
}

/** Builds the reader of both genes. It throws `RecordFault` for a record without any. */
function genesOf(
  columns: ProfileColumns,
  { genes, ids, idAfter, neighbours }: FusionProfile,
): (fields: Fields) => readonly [NamedPartner, NamedPartner] {
  if ('between' in genes) {
    const { between } = genes;
    const joined = columns.place(genes.column);
    return (fields) => {
      const parts = columns.text(fields, joined)?.split(between) ?? [];
      const [left = '', right = ''] = parts;
      if (left === '' || right === '' || parts.length > 2)
        throw new RecordFault(`the genes are not like BCR${between}ABL1`, joined + 1);
      return [{ gene: left }, { gene: right }];
    };
  }
  const [symbols, idPlaces] = [columns.pair(genes), columns.pair(ids)];
  const named = (fields: Fields, end: 0 | 1): NamedPartner => {
    const text = columns.text(fields, symbols[end]);
    if (text !== undefined && neighbours?.test(text)) return { nearest: text };
    const [symbol, joinedId] = (idAfter && text?.split(idAfter)) || [text];
    const id = joinedId ?? columns.text(fields, idPlaces[end]);
    return { gene: symbol === undefined || noSymbol.has(symbol) ? id : symbol, id };
  };
  return (fields) => {
    const found = [named(fields, 0), named(fields, 1)] as const;
    if (found.every(({ gene, nearest }) => gene === undefined && nearest === undefined))
      throw new RecordFault('the gene is missing', symbols[0] + 1);
    return found;
  };
}

/** `chr22:23290413:+`; the strand may be missing or unknown. */
const point = /^(.+):(\d{1,15})(?::([-+.*]))?$/;
const strandOf: Readonly<Record<string, string>> = { '+': '+', 1: '+', '-': '-', '-1': '-' };

/** Builds the reader of both ends. It throws `RecordFault` for a breakpoint of another form. */
function endsOf(columns: ProfileColumns, profile: FusionProfile): (fields: Fields) => [FusionEnd, FusionEnd] {
  const { firstBase = 1, absent = [] } = profile;
  const points = columns.pair(profile.points);
  const [chromosomes, positions] = [columns.pair(profile.chromosomes), columns.pair(profile.positions)];
  const strands = columns.pair(profile.strands);
  const endAt = (fields: Fields, end: 0 | 1): FusionEnd => {
    const strand = strandOf[columns.text(fields, strands[end]) ?? ''];
    if (!profile.points) {
      const isAbsent = columns.text(fields, positions[end]) === undefined;
      const position = isAbsent
        ? undefined
        : (firstBase === 1 ? positionFrom1 : positionAt)(fields, positions[end]);
      return { chromosome: chromosomeAt(fields, chromosomes[end]), position, strand };
    }
    const text = fields[points[end]]?.trim() ?? '';
    if (absent.includes(text)) return { chromosome: undefined, position: undefined, strand };
    const [, name, position = '', ofPoint = ''] = point.exec(text) ?? [];
    if (name === undefined || Number(position) < firstBase)
      throw new RecordFault('the breakpoint is not like chr1:100:+', points[end] + 1);
    const at = Number(position) + 1 - firstBase;
    return { chromosome: chromosomeName(name), position: at, strand: strandOf[ofPoint] ?? strand };
  };
  return (fields) => [endAt(fields, 0), endAt(fields, 1)];
}
