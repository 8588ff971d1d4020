import { Annotator, type Consequence } from '../../consequences/annotator.ts';
import { jointConsequences } from '../../consequences/haplotype.ts';
import type { Change } from '../../consequences/region.ts';
import type { Genome } from '../../consequences/spliced.ts';
import type { Transcript } from '../../consequences/transcript.ts';
import type { AnnotationLayout } from '../annotation-layout.ts';
import { chromosomeName } from '../chromosomes.ts';
import { impactOf } from './consequences.ts';
import { companionsOf } from './phased.ts';
import type { ForeignRecord } from './plain-annotation.ts';

/** Key of computed consequences in the rewritten lines; files do not have it. */
export const computedKey = 'ploidy_consequences';

/** Fields in the order in which they are written, by the part that they are. */
const fields = [
  'effect',
  'impact',
  'symbol',
  'transcript',
  'biotype',
  'codingChange',
  'aminoAcidChange',
  'alleleNumber',
  'canonical',
  'maneSelect',
  'manePlusClinical',
  'exon',
  'intron',
  'decay',
  'joint',
] as const;

/** Returns the layout of computed consequences. */
export function computedLayout(): AnnotationLayout {
  return {
    key: computedKey,
    shape: 'fields',
    alleles: 'vep',
    parts: Object.fromEntries(fields.map((name, index) => [name, index + 1])),
    frequencies: [],
    isNeverTrimmed: true,
    translation: { form: 'computed', valueKeys: [computedKey] },
  };
}

/** Columns of a record and of those around it. */
interface NearRecords {
  own: readonly string[];
  records: readonly (readonly string[])[];
}

/** Finds the records near one. */
export type FindNear = () => NearRecords;

/** Bases of an allele that can be placed on a transcript. */
const isSequence = /^[ACGTN]+$/;

/** Computes the consequences of the records of a file without annotations. */
export class ComputedAnnotations {
  #comparedCount = 0;
  #contradictedCount = 0;
  readonly #annotator: Annotator;
  /** Chromosome of the last record, in the file and in the lake. */
  #name = '';
  #chromosome = '';
  readonly #genome: Genome;

  constructor(genome: Genome) {
    this.#genome = genome;
    this.#annotator = new Annotator(genome);
  }

  /** Returns the numbers of records since the last call: those compared with the reference, and those whose REF differs. */
  takeCounts(): { comparedCount: number; contradictedCount: number } {
    const counts = { comparedCount: this.#comparedCount, contradictedCount: this.#contradictedCount };
    this.#comparedCount = 0;
    this.#contradictedCount = 0;
    return counts;
  }

  /** Returns whether REF (in upper case) consists of bases that the reference has, where it is known; counts both. */
  agrees(chromosome: string, position: number, reference: string): boolean {
    if (!isSequence.test(reference)) return false;
    const known = this.#genome.bases.read(chromosome, position, position + reference.length - 1);
    if (known === undefined) return true;
    this.#comparedCount += 1;
    const isSame = areCompatible(known, reference);
    if (!isSame) this.#contradictedCount += 1;
    return isSame;
  }

  /** Returns the annotations of a record, as `computedLayout` describes them; empty without any. */
  of({ chromosome: name, position, reference: given, alternates }: ForeignRecord, near: FindNear): string {
    if (name !== this.#name) {
      this.#name = name;
      this.#chromosome = chromosomeName(name);
    }
    const chromosome = this.#chromosome;
    const reference = given.toUpperCase();
    if (!this.agrees(chromosome, position, reference)) return '';
    const found: string[] = [];
    for (const [index, alternate] of alternates.entries()) {
      const change = changeOf(chromosome, position, reference, alternate.toUpperCase());
      if (!change) continue;
      const own = this.#annotator.consequencesOf(change);
      for (const one of own) found.push(written(one, index + 1, ''));
      const changed = own.filter(({ protein }) => protein !== undefined).map(({ transcript }) => transcript);
      if (changed.length > 0) found.push(...this.#joint(change, index + 1, changed, near()));
    }
    return found.join(',');
  }

  /** Consequences that a substitution has together with others of its codon, for each haplotype that has them. */
  #joint(
    change: Change,
    allele: number,
    transcripts: readonly Transcript[],
    { own, records }: NearRecords,
  ): string[] {
    const found = companionsOf(own, allele, records).flatMap((companions) => {
      const others = companions.map(({ columns, allele: number }) => {
        const [, position = '', , reference = '', alternates = ''] = columns;
        const alternate = alternates.split(',')[number - 1]?.toUpperCase() ?? '';
        return changeOf(change.chromosome, Number(position), reference.toUpperCase(), alternate);
      });
      const known = others.filter((other) => other !== undefined);
      if (known.length < others.length) return [];
      // Another record of the same place is no part of the haplotype.
      const beside = known.filter(({ position }) => position !== change.position);
      return jointConsequences(this.#annotator, change, beside, transcripts).map((one) =>
        written(one, allele, one.partners.map(partnerText).join('&')),
      );
    });
    return [...new Set(found)];
  }
}

const partnerText = ({ chromosome, position, removed, added }: Change): string =>
  `${chromosome}:${position}:${removed}>${added}`;

/** Returns whether two alleles can be the same; ambiguous bases of either side agree with any other. */
function areCompatible(known: string, reference: string): boolean {
  if (known === reference) return true;
  if (known.length !== reference.length) return false;
  for (let at = 0; at < known.length; at += 1)
    if (
      known[at] !== reference[at] &&
      isSequence.test(known[at] ?? '') &&
      known[at] !== 'N' &&
      reference[at] !== 'N'
    )
      return false;
  return true;
}

/** Cuts the common ends of the alleles, the end first; undefined without a change of known bases. */
export function changeOf(
  chromosome: string,
  position: number,
  reference: string,
  alternate: string,
): Change | undefined {
  if (alternate === reference || !isSequence.test(alternate)) return undefined;
  const shortest = Math.min(reference.length, alternate.length);
  let cut = 0;
  while (cut < shortest && reference.at(-1 - cut) === alternate.at(-1 - cut)) cut += 1;
  let at = 0;
  while (at < shortest - cut && reference[at] === alternate[at]) at += 1;
  return {
    chromosome,
    position: position + at,
    removed: reference.slice(at, reference.length - cut),
    added: alternate.slice(at, alternate.length - cut),
  };
}

/** Writes a consequence in the order of `fields`. `partner`: allele that has it together with the alternate. A sign of equality would end the key of INFO. */
function written({ transcript, ...found }: Consequence, alternate: number, partner: string): string {
  const { terms, coding, protein, exon = '', intron = '', isDecayed } = found;
  const { id, proteinId } = transcript;
  const changes = `${coding === undefined ? '' : `${id}:${coding}`}|${
    protein === undefined ? '' : `${proteinId === '' ? id : proteinId}:${protein.replace('=', '%3D')}`
  }`;
  const { names, chosen } = textsOf(transcript);
  const effect = terms.length === 1 ? terms[0] : terms.join('&');
  return `${effect}|${impactOf(terms) ?? ''}|${names}|${changes}|${alternate}|${chosen}|${exon}|${intron}|${
    isDecayed ? 'predicted' : ''
  }|${partner}`;
}

interface TranscriptTexts {
  names: string;
  chosen: string;
}

const texts = new WeakMap<Transcript, TranscriptTexts>();

/** Returns the parts that all consequences of a transcript have in common. */
function textsOf(transcript: Transcript): TranscriptTexts {
  let known = texts.get(transcript);
  if (!known) {
    const { id, gene, biotype, standing } = transcript;
    const isSelect = standing === 'mane_select';
    const canonical = isSelect || standing === 'canonical' ? 'YES' : '';
    const plusClinical = standing === 'mane_plus_clinical' ? id : '';
    known = {
      names: `${gene}|${id}|${biotype}`,
      chosen: `${canonical}|${isSelect ? id : ''}|${plusClinical}`,
    };
    texts.set(transcript, known);
  }
  return known;
}
