/** Second, plain implementation of the mapping of docs/formats/vcf.md, one row at a time, for comparison. */
import {
  type AnnotationLayout,
  type AnnotationPart,
  annotationLayouts,
  chromosomeName,
  groupOfEffect,
  infoFrequency,
  parseVcfHeader,
  unspecifiedAlternates,
} from '@ploidy/formats';
import type { Row } from './conversion.fixture.ts';

/** The worst first. */
const impacts = ['HIGH', 'MODERATE', 'LOW', 'MODIFIER'] as const;

/** Terms of ClinVar in the test files, gravest first, with VEP's impact. */
const clinvarTerms: readonly (readonly [id: string, term: string, impact: string])[] = [
  ['SO:0001587', 'stop_gained', 'HIGH'],
  ['SO:0001589', 'frameshift_variant', 'HIGH'],
  ['SO:0001822', 'inframe_deletion', 'MODERATE'],
  ['SO:0001583', 'missense_variant', 'MODERATE'],
  ['SO:0001819', 'synonymous_variant', 'LOW'],
  ['SO:0001623', '5_prime_UTR_variant', 'MODIFIER'],
  ['SO:0001624', '3_prime_UTR_variant', 'MODIFIER'],
  ['SO:0001627', 'intron_variant', 'MODIFIER'],
  ['SO:0001619', 'non_coding_transcript_variant', 'MODIFIER'],
];
const clinvarLayout: AnnotationLayout = {
  key: 'GENEINFO',
  shape: 'fields',
  alleles: 'vep',
  parts: { effect: 1, impact: 2, symbol: 3 },
  frequencies: [],
  isNeverTrimmed: false,
};

/** Genes of ClinVar; its consequence only where there is one gene. */
function clinvarAnnotations(info: Map<string, string>): string[][] {
  const genes = info.get('GENEINFO')?.split('|') ?? [];
  const named = clinvarTerms.filter(([id]) => genes.length === 1 && info.get('MC')?.includes(id));
  return genes.map((gene) => [
    named.map(([, term]) => term).join('&'),
    named[0]?.[2] ?? '',
    gene.split(':')[0] ?? '',
  ]);
}

/** Rows of `variant` (the columns that the real test files fill) of a whole VCF text. */
export function naiveRows(text: string): Row[] {
  const lines = text.split(/\r?\n/).filter((line) => line !== '');
  const header = parseVcfHeader(lines.filter((line) => line.startsWith('#')));
  const records = lines.filter((line) => !line.startsWith('#')).map((line) => line.split('\t'));
  const seen = new Map(records.flatMap((record) => [...infoOf(record)]).reverse());
  const layouts = annotationLayouts(header, seen);
  const names = header.samples ?? (records[0] ?? []).slice(9).map((_, index) => `sample${index + 1}`);
  return records.flatMap((record) => recordRows(record, names, layouts, header.info));
}

function infoOf(record: string[]): Map<string, string> {
  const entries = (record[7] ?? '').split(';').map((entry): [string, string] => {
    const at = entry.indexOf('=');
    return at < 0 ? [entry, ''] : [entry.slice(0, at), entry.slice(at + 1)];
  });
  return new Map(entries.reverse());
}

type Declared = ReturnType<typeof parseVcfHeader>['info'];

function recordRows(
  record: string[],
  names: string[],
  layouts: AnnotationLayout[],
  declared: Declared,
): Row[] {
  const [chrom = '', pos = '', ids = '', ref = '', altText = ''] = record;
  const alts = altText.split(',');
  const named = layouts.find(({ key }) => infoOf(record).has(key));
  const layout = named?.key === clinvarLayout.key ? clinvarLayout : named;
  const place = (record[8] ?? '').split(':').indexOf('GT');
  return alts.flatMap((alt, index) => {
    if (!/^[A-Za-z]+$/.test(alt) || (unspecifiedAlternates as readonly string[]).includes(alt)) return [];
    if (alt.toUpperCase() === ref.toUpperCase()) return [];
    const carriers =
      names.length === 0 ? [[null, null]] : carriersOf(record, names, place, index + 1, alts.length);
    const allele = trimmed(Number(pos), ref.toUpperCase(), alt.toUpperCase());
    const chosen =
      layout === clinvarLayout
        ? clinvarAnnotations(infoOf(record))
        : layout
          ? chosenOf(record, layout, alts, index)
          : [];
    return (chosen.length > 0 ? chosen : [undefined]).flatMap((annotation) =>
      carriers.map(([sample, genotype]) => {
        const part = (name: AnnotationPart): string | null =>
          annotation?.[(layout?.parts[name] ?? 0) - 1] || null;
        const isBetweenGenes = part('effect') === 'intergenic_region';
        const gene = isBetweenGenes ? null : (part('symbol') ?? part('geneId'));
        const chromosome = chromosomeName(chrom);
        const key = `${chromosome}\t${allele.position}\t${allele.reference}\u001f${allele.alternate}`;
        return {
          variant_id: `set:${hash(key)}:${gene ?? ''}`,
          sample_id: sample,
          chromosome,
          ...allele,
          ...frequencies(record, layout, annotation, index, alts.length, declared),
          rs_id: rsId(ids, infoOf(record).get('RS'), part('existingVariation')),
          ...clinical(ids, infoOf(record), alts.length, index),
          ...effects(part('effect')),
          impact: part('impact'),
          gene,
          transcript_id: isBetweenGenes ? null : part('transcript'),
          biotype: part('biotype'),
          amino_acid_change:
            changeOf(part('aminoAcidChange')) ?? residues(part('proteinPosition'), part('aminoAcids')),
          genotype,
          is_canonical: canonical(layout, annotation, part),
        };
      }),
    );
  });
}

/** FNV-1a with 64 bits. */
function hash(key: string): string {
  const mixed = [...Buffer.from(key)].reduce(
    (state, byte) => BigInt.asUintN(64, (state ^ BigInt(byte)) * 0x100000001b3n),
    0xcbf29ce484222325n,
  );
  return mixed.toString(16).padStart(16, '0');
}

function carriersOf(record: string[], names: string[], place: number, alternate: number, count: number) {
  if (place < 0) return names.length === 1 ? [[names[0] ?? null, null]] : [];
  return names.flatMap((name, index) => {
    const genotype = (record[9 + index] ?? '').split(':')[place] ?? '';
    if (!genotype.split(/[|/]/).includes(String(alternate))) return [];
    const recoded = genotype.replaceAll(/\d+/g, (allele) => (Number(allele) === alternate ? '1' : '0'));
    return [[name, count === 1 ? genotype : recoded]];
  });
}

function trimmed(site: number, ref: string, alt: string) {
  let [reference, alternate, position] = [ref, alt, site];
  while (reference.length > 1 && alternate.length > 1 && reference.at(-1) === alternate.at(-1)) {
    [reference, alternate] = [reference.slice(0, -1), alternate.slice(0, -1)];
  }
  while (reference.length > 1 && alternate.length > 1 && reference[0] === alternate[0]) {
    [reference, alternate, position] = [reference.slice(1), alternate.slice(1), position + 1];
  }
  return { position, reference, alternate };
}

function chosenOf(record: string[], layout: AnnotationLayout, alts: string[], index: number): string[][] {
  const value = infoOf(record).get(layout.key);
  if (value === undefined) return [];
  const annotations = value.split(',').map((annotation) => annotation.split('|'));
  const field = (annotation: string[], name: AnnotationPart): string =>
    annotation[(layout.parts[name] ?? 0) - 1] ?? '';
  const own = ownAnnotations(annotations, layout, record[3] ?? '', alts, index);
  const geneOf = (annotation: string[]): string =>
    field(annotation, 'effect') === 'intergenic_region'
      ? ''
      : field(annotation, 'symbol') || field(annotation, 'geneId');
  const withGene = own.filter((annotation) => geneOf(annotation) !== '');
  const rank = (annotation: string[]): number[] => [
    field(annotation, 'maneSelect')
      ? 0
      : field(annotation, 'canonical') === 'YES'
        ? 1
        : field(annotation, 'manePlusClinical')
          ? 2
          : 3,
    field(annotation, 'biotype') === 'protein_coding' ? 0 : 1,
    (impacts.indexOf(field(annotation, 'impact') as 'HIGH') + 5) % 5 === 4
      ? 4
      : impacts.indexOf(field(annotation, 'impact') as 'HIGH'),
  ];
  const better = (left: string[], right: string[]): number => {
    const [a, b] = [rank(left), rank(right)];
    return a.map((value, at) => value - (b[at] ?? 0)).find((difference) => difference !== 0) ?? 0;
  };
  const groups = Map.groupBy(withGene.length > 0 ? withGene : own, geneOf);
  return [...groups.values()].map((group) => group.toSorted(better)[0] ?? []);
}

function ownAnnotations(
  annotations: string[][],
  layout: AnnotationLayout,
  ref: string,
  alts: string[],
  index: number,
) {
  const { allele, alleleNumber } = layout.parts;
  if (alleleNumber !== undefined) {
    return annotations.filter((fields) =>
      [undefined, '', String(index + 1)].includes(fields[alleleNumber - 1]),
    );
  }
  if (allele === undefined) return annotations;
  const alt = alts[index] ?? '';
  const real = alts.filter((other) => other !== '*');
  const drops =
    real.some((other) => other.length !== ref.length) && real.every((other) => other[0] === ref[0]);
  const written = layout.alleles === 'vep' && drops ? alt.slice(1) || '-' : alt;
  const by = (name: string): string[][] => annotations.filter((fields) => fields[allele - 1] === name);
  return [by(written), by(alt), alts.length === 1 ? annotations : []].find((found) => found.length > 0) ?? [];
}

function frequencies(
  record: string[],
  layout: AnnotationLayout | undefined,
  annotation: string[] | undefined,
  index: number,
  count: number,
  declared: Declared,
): Row {
  const info = [...infoOf(record)].flatMap(([key, text]) => {
    const field = infoFrequency(key, false, declared.get(key));
    if (!field) return [];
    const values = text.replaceAll(/[[\]]/g, '').split(',');
    const number = declared.get(key)?.number;
    const isByAllele = number === 'A' || number === 'R';
    const isOfAlternates = values.length === count && !field.referenceFirst && number !== 'R';
    const isOfAll = values.length === count + 1 && number !== 'A';
    const isOne = values.length === 1 && !field.referenceFirst && !(isByAllele && count > 1);
    const value = isOne ? values[0] : isOfAlternates ? values[index] : isOfAll ? values[index + 1] : '';
    return [{ global: field.global, value }];
  });
  const annotated = (layout?.frequencies ?? []).map(({ global, place }) => ({
    global,
    value: annotation?.[place - 1]?.split('&')[0],
  }));
  const numbers = [...info, ...annotated].flatMap(({ global, value }) =>
    value && Number(value) >= 0 && Number(value) <= 1 ? [{ global, value: Number(value) }] : [],
  );
  const order = ['gnomadGenomes', 'gnomadExomes', 'gnomad', 'thousandGenomes', 'exac', 'esp', 'topmed'];
  const values = numbers.map(({ value }) => value);
  const global = order.flatMap((source) => numbers.filter((number) => number.global === source));
  return {
    minimum_allele_frequency: values.length > 0 ? Math.min(...values) : null,
    maximum_allele_frequency: values.length > 0 ? Math.max(...values) : null,
    population_allele_frequency: global[0]?.value ?? null,
  };
}

function rsId(ids: string, number: string | undefined, existing: string | null): string | null {
  const fromIds = ids.split(';').find((id) => /^rs\d+/.test(id));
  const fromNumber = number && /^\d+/.exec(number)?.[0];
  return fromIds ?? (fromNumber ? `rs${fromNumber}` : (/rs\d+/.exec(existing ?? '')?.[0] ?? null));
}

function clinical(ids: string, info: Map<string, string>, count: number, index: number): Row {
  const own = (key: string): string | undefined => {
    const text = info.get(key);
    if (text === undefined || count === 1) return text;
    const values = text.split(',');
    return values.length === count && !text.includes(',_') ? values[index] : undefined;
  };
  const alleleId = own('ALLELEID') ?? null;
  return {
    clinvar_allele_id: alleleId,
    clinical_disease: own('CLNDN')?.replaceAll('_', ' ') ?? null,
    clinical_review: own('CLNREVSTAT') ?? null,
    clinical_submission: alleleId && /^\d+$/.test(ids) ? ids : null,
  };
}

function effects(terms: string | null): Row {
  const list = terms?.split('&') ?? [];
  const effect = list.find((term) => groupOfEffect.has(term)) ?? list[0] ?? null;
  return { ebcanon_class: effect, ebcanon_group: effect && (groupOfEffect.get(effect) ?? null) };
}

function changeOf(change: string | null): string | null {
  const written = change && decodeURIComponent(change.slice(change.indexOf(':') + 1));
  return written?.replaceAll('*', 'Ter').replace(/^p\.(\D{3})(\d+)\1$/, 'p.$1$2=') ?? null;
}

function canonical(
  layout: AnnotationLayout | undefined,
  annotation: string[] | undefined,
  part: (name: AnnotationPart) => string | null,
) {
  const named = layout?.parts.canonical ?? layout?.parts.maneSelect ?? layout?.parts.manePlusClinical;
  if (named === undefined || !annotation) return null;
  return (part('canonical') ?? part('maneSelect') ?? part('manePlusClinical')) !== null;
}

const codes =
  'AAla RArg NAsn DAsp CCys EGlu QGln GGly HHis IIle LLeu KLys MMet FPhe PPro SSer TThr WTrp YTyr VVal USec *Ter';

/** `101`, `K/E` → `p.Lys101Glu`. */
function residues(position: unknown, letters: unknown): string | null {
  const [from = '', to = from] = String(letters ?? '').split('/');
  const [at = ''] = String(position ?? '').split('/');
  const [before, after] = [from, to].map((one) => codes.split(' ').find((code) => code.slice(0, 1) === one));
  if (!/^\d+$/.test(at) || !before || !after) return null;
  return `p.${before.slice(1)}${at}${from === to ? '=' : `${after.slice(1)}${from === '*' ? 'extTer?' : ''}`}`;
}
