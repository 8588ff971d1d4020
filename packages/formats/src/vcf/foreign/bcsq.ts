import { alleleChange } from './allele-change.ts';
import type { ForeignRecord, PlainAnnotation, Translated } from './plain-annotation.ts';
import { stretchChange } from './protein-change.ts';

/** Positions of the parts of a consequence, from 0. */
export type BcsqPlaces = Readonly<Record<keyof typeof partNames, number>>;

const partNames = {
  consequence: ['consequence'],
  gene: ['gene'],
  transcript: ['transcript'],
  biotype: ['biotype'],
  aminoAcids: ['amino_acid_change'],
  change: ['dna_change'],
} as const;

const defaultNames = 'Consequence|gene|transcript|biotype|strand|amino_acid_change|dna_change';

/** Reads the layout from the header; `[*]Consequence|gene|transcript|biotype[|strand|amino_acid_change|dna_change]` in old ones. */
export function bcsqPlaces(description: string | undefined): BcsqPlaces {
  const text = description ?? '';
  const reported = text.slice(Math.max(text.search(/Format:/i), 0));
  const listed = /^Format:(?:\s*')?([^'"|]*\|[^'"]*)/i.exec(reported)?.[1] ?? defaultNames;
  const names = listed.split('|').map((name) => name.replaceAll(/[^\w]/g, '').toLowerCase());
  const place = (part: keyof typeof partNames) => names.indexOf(partNames[part][0]);
  return {
    consequence: Math.max(place('consequence'), 0),
    gene: place('gene'),
    transcript: place('transcript'),
    biotype: place('biotype'),
    aminoAcids: place('aminoAcids'),
    change: place('change'),
  };
}

/** Terms of `bcftools csq` (csq_strings in its csq.c) → terms of the Sequence Ontology. Other terms remain. */
const terms: ReadonlyMap<string, string> = new Map([
  ['synonymous', 'synonymous_variant'],
  ['missense', 'missense_variant'],
  ['frameshift', 'frameshift_variant'],
  ['splice_acceptor', 'splice_acceptor_variant'],
  ['splice_donor', 'splice_donor_variant'],
  ['splice_region', 'splice_region_variant'],
  ['stop_retained', 'stop_retained_variant'],
  ['start_retained', 'start_retained_variant'],
  ['5_prime_utr', '5_prime_UTR_variant'],
  ['3_prime_utr', '3_prime_UTR_variant'],
  // Used for exons and introns.
  ['non_coding', 'non_coding_transcript_variant'],
  ['intron', 'intron_variant'],
  ['intergenic', 'intergenic_variant'],
  ['inframe_altering', 'protein_altering_variant'],
  ['coding_sequence', 'coding_sequence_variant'],
]);

/** Maximum of alternates times consequences, each of which may become an annotation. */
const pairsMax = 200_000;
/** Maximum of alternates times bases of the reference. */
const basesMax = 10_000_000;

/** One entry of BCSQ. */
interface Consequence {
  gene: string;
  transcript: string;
  biotype: string;
  effects: readonly string[];
  aminoAcids: string;
  /** Changes; several are of one haplotype. Without any the consequence is of the record's change. */
  changes: readonly string[];
}

/** Finds joint consequences of several records, which are at one of them only. */
export type FindJoint = (chromosome: string, position: number) => readonly string[];

function bcsqEntry(entry: string, places: BcsqPlaces): Consequence {
  const fields = entry.split('|');
  const field = (place: number): string => (place < 0 ? '' : (fields[place]?.trim() ?? ''));
  // A star marks a stop before it in the haplotype; the consequence of the allele itself is unchanged.
  const listed = field(places.consequence).split('&');
  const effects = listed.map((term) => term.replace(/^\*/, '')).filter((term) => term !== '');
  return {
    gene: field(places.gene),
    transcript: field(places.transcript),
    biotype: field(places.biotype),
    effects: effects.map((term) => terms.get(term.toLowerCase()) ?? term),
    aminoAcids: field(places.aminoAcids),
    changes: field(places.change).split('+').flatMap(changeOf),
  };
}

function changeOf(text: string): string[] {
  const [, position, reference = '', alternate = ''] = /^(\d+)([A-Za-z]+)>(.+)$/.exec(text) ?? [];
  if (position === undefined) return [];
  return [alleleChange(Number(position), reference.toUpperCase(), alternate.toUpperCase())];
}

/** Returns whether a value holds joint consequences of several records. */
export function hasJoint(value: string): boolean {
  return /\d[A-Za-z]+>[^|,+>]*>?\+\d/.test(value);
}

/**
 * Turns consequences of haplotypes into annotations of alleles. An alternate has the consequences of its own change alone.
 * Without any it has the effect of joint ones, unless a joint change reaches further: after a frame shift all is one
 * frameshift. The protein change is then not its own. An entry without a change applies to each alternate if these cannot
 * differ in it. Otherwise only gene and transcript are certain.
 */
export function translateBcsq(
  value: string,
  record: ForeignRecord,
  places: BcsqPlaces,
  findJoint: FindJoint,
): Translated & { unclearCount: number } {
  const given = [...new Set(value.split(','))].filter((entry) => entry !== '' && entry !== '.');
  const [pointers, entries] = [
    given.filter((entry) => entry.startsWith('@')),
    given.filter((entry) => !entry.startsWith('@')),
  ];
  const pointed = pointers.flatMap((entry) => findJoint(record.chromosome, Number(entry.slice(1))));
  const here = entries.map((entry) => bcsqEntry(entry, places));
  const elsewhere = pointed.map((entry) => bcsqEntry(entry, places));
  const reference = record.reference.toUpperCase();
  const changeCount = [...here, ...elsewhere].reduce((sum, { changes }) => sum + 1 + changes.length, 0);
  const alternateCount = record.alternates.length;
  if (alternateCount * changeCount > pairsMax || alternateCount * reference.length > basesMax)
    return tooMany(here, alternateCount);
  const own = record.alternates.map((alternate) =>
    alleleChange(record.position, reference, alternate.toUpperCase()),
  );
  const isOfOthers = ({ changes }: Consequence): boolean =>
    changes.length > 0 && !changes.some((change) => own.includes(change));
  const areAlike = [record.reference, ...record.alternates].every((allele) => allele.length === 1);
  const isAlone = own.length === 1 && !here.some(isOfOthers);
  const annotations: PlainAnnotation[] = [];
  let unclearCount = 0;
  for (const [index, change] of own.entries()) {
    const before = annotations.length;
    const possible = [...here, ...elsewhere.filter(({ changes }) => changes.includes(change))];
    const transcripts = Map.groupBy(possible, ({ gene, transcript }) => `${gene} ${transcript}`).values();
    for (const of of transcripts) {
      annotations.push({ alternate: index + 1, ...ofTranscript(of, change, areAlike || isAlone) });
    }
    if (given.length > 0 && !annotations.slice(before).some(({ effects }) => effects.length > 0))
      unclearCount += 1;
  }
  return { annotations, unclearCount };
}

/** Genes and transcripts are certain for all. */
function tooMany(all: readonly Consequence[], count: number): Translated & { unclearCount: number } {
  const each = new Map(all.map((one) => [`${one.gene} ${one.transcript}`, one]));
  const annotations = [...each.values()].map(({ gene, transcript, biotype }) => ({
    alternate: 0,
    effects: [],
    gene,
    transcript,
    biotype,
  }));
  return { annotations, unclearCount: count };
}

/** Reduces the entries about one transcript to their certain part for one change. */
function ofTranscript(
  all: readonly Consequence[],
  change: string,
  isShared: boolean,
): Omit<PlainAnnotation, 'alternate'> {
  const [{ gene, transcript, biotype }] = all as readonly [Consequence];
  const own = all.filter(({ changes }) => changes.length === 1 && changes[0] === change);
  const joint = all.filter(({ changes }) => changes.length > 1 && changes.includes(change));
  const leading = joint.filter(({ changes }) => changes.every((other) => reachOf(other) <= reachOf(change)));
  const shared = all.filter(({ changes }) => changes.length === 0).flatMap(({ effects }) => effects);
  // The terms of several alternates are joined in one entry: a single one belongs to each alternate without another.
  const isOnly = own.length + joint.length === 0 && new Set(shared).size === 1;
  const ofRecord = isShared || isOnly ? shared : [];
  const effects = new Set([
    ...agreed((own.length > 0 ? own : leading).map((one) => one.effects)),
    ...ofRecord,
  ]);
  const isStartLost = effects.has('start_lost') && (own.length > 0 || ofRecord.includes('start_lost'));
  const isShift = effects.has('frameshift_variant');
  const changes = new Set(own.map(({ aminoAcids }) => stretchChange(aminoAcids, isShift)));
  const proteinChange = isStartLost ? 'p.Met1?' : changes.size === 1 ? [...changes][0] : undefined;
  return { gene, transcript, biotype, effects: [...effects], proteinChange };
}

/** Returns the reach of a change: 2 shifts the frame, 1 inserts or deletes whole codons, 0 is neither. */
function reachOf(change: string): number {
  const [, reference = '', alternate = ''] = change.split(' ');
  const difference = alternate.length - reference.length;
  return difference === 0 ? 0 : difference % 3 === 0 ? 1 : 2;
}

/** Returns the effects that all lists share. */
function agreed(lists: readonly (readonly string[])[]): readonly string[] {
  const [first = [], ...others] = lists;
  return first.filter((effect) => others.every((list) => list.includes(effect)));
}
