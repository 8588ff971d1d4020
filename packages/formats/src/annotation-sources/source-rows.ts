import { numberAt, positionAt, RecordFault, symbolAt, textAt } from '../delimited/index.ts';
import { trimmedAllele } from '../omic/maf/alleles.ts';
import type { Row } from '../parquet/index.ts';
import type { GenomeBuild } from '../vcf/assemblies.ts';
import { chromosomeName } from '../vcf/chromosomes.ts';
import { aminoAcids } from '../vcf/foreign/amino-acids.ts';
import { namedChange, spelledChange } from '../vcf/foreign/protein-change.ts';
import { genomeBuildNamed } from '../vcf/genome-build.ts';
import { placeOf, type SourceLayout } from './recognise-source.ts';
import type { SourceColumn, TableKind, VcfKind } from './source-kind.ts';

/** Rows of one record: of `_annotation`, and of `annotation_value` without the columns of its source. */
export interface SourceRows {
  allele?: Row;
  values: Row[];
}

/** Reason for which a record has no rows. */
export type LeftOut = 'otherBuild' | 'noKey' | 'noValue' | 'without';

/** Reads the records of a table or list. Throws `RecordFault` for a broken one. */
export type SourceReader = (fields: readonly string[]) => SourceRows | LeftOut;

/** Returns the reader of a layout. `build`: of the positions, which decides among columns and rows. `list`: name of a list of genes. */
export function sourceReader(
  layout: SourceLayout,
  build: GenomeBuild | undefined,
  list: string,
): SourceReader {
  const { kind } = layout;
  if (kind.form === 'table') return tableReader(layout, kind, build);
  const [{ name = '' } = {}] = kind.values;
  if (kind.form === 'genes') return ([gene = '']) => ({ values: [{ gene: gene.trim(), name, label: list }] });
  if (kind.form === 'gmt')
    return ([set = '', , ...genes]) => ({
      values: [...new Set(genes.map((gene) => gene.trim()))]
        .filter((gene) => gene !== '')
        .map((gene) => ({ gene, name, label: set })),
    });
  return (fields) => bedRow(fields, name);
}

/** Reads a line of a BED, which counts from 0, and whose end is behind the last base. */
function bedRow(fields: readonly string[], name: string): SourceRows | LeftOut {
  const [chromosome, start, end] = [textAt(fields, 0), positionAt(fields, 1), positionAt(fields, 2)];
  if (chromosome === undefined || start === undefined || end === undefined) return 'noKey';
  if (end < start) throw new RecordFault('the end is before the start', 3);
  const region = { chromosome: chromosomeName(chromosome), position: start + 1, end_position: end };
  return {
    values: [withoutAbsent({ ...region, name, label: textAt(fields, 3), value: scoreAt(fields, 4) })],
  };
}

/** Returns the greatest of the numbers of a list, such as `0.9;.;0.7`: of several transcripts. */
function scoreAt(fields: readonly string[], place: number): number | undefined {
  const text = textAt(fields, place);
  if (text === undefined) return undefined;
  if (!text.includes(';')) return numberAt(fields, place);
  const parts = text.split(';');
  const numbers = parts.map((_, at) => numberAt(parts, at)).filter((one) => one !== undefined);
  return numbers.length === 0 ? undefined : Math.max(...numbers);
}

function tableReader(
  { header }: SourceLayout,
  kind: TableKind,
  build: GenomeBuild | undefined,
): SourceReader {
  const at = (column: SourceColumn | undefined): number => placeOf(header, column);
  const { keys } = kind;
  const position = positionColumn(kind, build);
  const places = {
    ...{ chromosome: at(keys.chromosome), position: at(position), reference: at(keys.reference) },
    ...{ alternate: at(keys.alternate), gene: at(keys.gene), protein: at(keys.protein) },
    ...{ transcript: at(keys.transcript), build: at(keys.build) },
  };
  const values = kind.values.map(({ name, number, text, joined = [] }) => ({
    ...{ name, number: at(number), text: at(text), joined: joined.map(at) },
  }));
  const without = kind.without?.map(({ column, words }) => ({ place: at(column), words })) ?? [];
  const fills = Object.entries(kind.fills ?? {}).map(([name, column]) => [name, at(column)] as const);
  return (fields) => {
    const ofRow = places.build < 0 ? undefined : genomeBuildNamed(textAt(fields, places.build) ?? '');
    if (places.build >= 0 && ofRow !== build) return 'otherBuild';
    if (without.some(({ place, words }) => words.includes(textAt(fields, place)?.toLowerCase() ?? '')))
      return 'without';
    const key = kind.matchedBy === 'gene' ? geneKey(fields, places) : alleleKey(fields, places);
    if (!key) return 'noKey';
    const rows = values.flatMap((one) => {
      const value = scoreAt(fields, one.number);
      const parts = [one.text, ...one.joined].map((place) => textAt(fields, place));
      const label = parts.filter((part) => part !== undefined).join('; ') || undefined;
      return value === undefined && label === undefined
        ? []
        : [withoutAbsent({ ...key, name: one.name, value, label })];
    });
    const filled = fills.flatMap(([name, place]) => {
      const text = textAt(fields, place);
      return text === undefined ? [] : [[name, spelled(name, text)] as const];
    });
    if (rows.length === 0 && filled.length === 0) return 'noValue';
    const { gene: _, transcript_id: __, ...allele } = key;
    return {
      values: rows,
      ...(filled.length > 0 && { allele: { ...allele, ...Object.fromEntries(filled) } }),
    };
  };
}

/**
 * Returns the genome build of a table: that of its kind, of the request, or of its first record, since some releases have rows on
 * several builds.
 */
export function rowBuildOf(
  { kind, header, first }: SourceLayout & { first: readonly string[] },
  requested: GenomeBuild | undefined,
): GenomeBuild | undefined {
  if (kind.form !== 'table') return undefined;
  const fixed = kind.genomeBuild ?? requested;
  if (fixed !== undefined) return fixed;
  const place = placeOf(header, kind.keys.build);
  // Each row names its build: rows on others are left out and counted.
  if (place >= 0) return genomeBuildNamed(textAt(first, place) ?? '') ?? 'GRCh38';
  return isByBuild(kind.keys.position) ? 'GRCh38' : undefined;
}

const bases = /^[ACGTN]+$/;

/** Returns the reader of records of a VCF, whose key of INFO lists values: `allele|gene|number|…`. */
export function listedReader({ key, numbers, value }: NonNullable<VcfKind['listed']>): SourceReader {
  const start = `${key}=`;
  return (fields) => {
    const [chromosome, position] = [textAt(fields, 0), positionAt(fields, 1)];
    const reference = textAt(fields, 3)?.toUpperCase() ?? '';
    if (chromosome === undefined || !position || !bases.test(reference)) return 'noKey';
    const list = (fields[7] ?? '').split(';').find((entry) => entry.startsWith(start));
    const values = (list?.slice(start.length).split(',') ?? []).flatMap((entry) => {
      const parts = entry.split('|');
      const alternate = parts[0]?.toUpperCase() ?? '';
      const found = parts.slice(numbers[0], numbers[1] + 1).map((_, at) => numberAt(parts, numbers[0] + at));
      const known = found.filter((one) => one !== undefined);
      if (!bases.test(alternate) || known.length === 0) return [];
      const allele = {
        chromosome: chromosomeName(chromosome),
        ...trimmedAllele(position, reference, alternate),
      };
      return [
        withoutAbsent({ ...allele, gene: symbolAt(parts, 1), name: value.name, value: Math.max(...known) }),
      ];
    });
    return values.length === 0 ? 'noValue' : { values };
  };
}

type ByBuild = { GRCh37: SourceColumn; GRCh38: SourceColumn };

const isByBuild = (position: TableKind['keys']['position']): position is ByBuild =>
  typeof position === 'object' && 'GRCh38' in position;

function positionColumn(
  { keys: { position } }: TableKind,
  build: GenomeBuild | undefined,
): SourceColumn | undefined {
  if (!isByBuild(position)) return position;
  return build === 'GRCh37' ? position.GRCh37 : position.GRCh38;
}

type Places = Readonly<
  Record<'chromosome' | 'position' | 'reference' | 'alternate' | 'gene' | 'protein' | 'transcript', number>
>;

function alleleKey(fields: readonly string[], places: Places): Row | undefined {
  const [chromosome, position] = [textAt(fields, places.chromosome), positionAt(fields, places.position)];
  const [reference, alternate] = [places.reference, places.alternate].map(
    (at) => textAt(fields, at)?.toUpperCase() ?? '',
  );
  if (chromosome === undefined || !position || !bases.test(reference ?? '') || !bases.test(alternate ?? ''))
    return undefined;
  return withoutAbsent({
    chromosome: chromosomeName(chromosome),
    ...trimmedAllele(position, reference ?? '', alternate ?? ''),
    gene: symbolAt(fields, places.gene),
    transcript_id: textAt(fields, places.transcript)?.split(';')[0],
  });
}

function geneKey(fields: readonly string[], places: Places): Row | undefined {
  const written = textAt(fields, places.protein);
  // CIViC writes `BRAF V600E` in one column.
  const [, first, rest] = /^([A-Z0-9][A-Za-z0-9-]*) (\S+)$/.exec(written ?? '') ?? [];
  const gene = symbolAt(fields, places.gene) ?? first;
  if (gene === undefined) return undefined;
  if (places.protein < 0) return { gene };
  const change = proteinChange((places.gene < 0 ? rest : written) ?? '');
  return change === undefined ? undefined : { gene, protein_change: change };
}

/**
 * Returns a change or residue in the form of `variant.amino_acid_change`: `V600E` is `p.Val600Glu`, `V600` is `p.Val600`.
 * Undefined for anything else: names of groups of variants match no single change.
 */
function proteinChange(text: string): string | undefined {
  const written = text.trim();
  if (/^p\.\(?[A-Z][a-z]{2}\d/.test(written)) return spelledChange(written);
  const [, letter = '', position] = /^(?:p\.)?([A-Z])(\d{1,6})$/.exec(written) ?? [];
  const residue = aminoAcids[letter];
  if (position !== undefined && residue !== undefined) return `p.${residue}${position}`;
  return namedChange(written.startsWith('p.') ? written : `p.${written}`);
}

const clinical = new Set(['clinical_significance', 'clinical_review', 'clinical_disease']);

/** Spells words of ClinVar's table as its VCF does, which fills the same columns. */
const spelled = (column: string, text: string): string =>
  clinical.has(column) ? text.replace(/;\s*/g, '|').replaceAll(' ', '_') : text;

const withoutAbsent = (row: Record<string, Row[string] | undefined>): Row =>
  Object.fromEntries(Object.entries(row).filter(([, value]) => value !== undefined)) as Row;
