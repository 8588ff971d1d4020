import { AccountBook } from '../account.ts';
import { chromosomeName } from '../vcf/chromosomes.ts';
import { joined, placeCoding, type Range } from './coding-ranges.ts';
import { isKnownCode } from './genetic-code.ts';
import { compareTranscripts, type Transcript } from './transcript.ts';

/** Reasons for which transcripts of a file have no codons, or are left out. */
interface GeneModelCounts {
  genes: number;
  transcripts: number;
  /** Transcripts with a coding sequence. */
  coding: number;
  /** Transcripts whose bases or frame are not those of the genome. */
  inexact: number;
  /** Features whose parent is missing, or on another sequence or strand. */
  orphans: number;
}

/** Key of a feature: the copies of a gene on X and Y have one id in some sources. */
const keyOf = (sequence: string, id: string): string => `${sequence}\t${id}`;

/** Feature with an ID: a gene or a transcript. */
interface Feature {
  sequence: string;
  type: string;
  isReverse: boolean;
  parents: string[];
  attributes: string;
  /** Lines with its ID; the last one counts. */
  lines: number;
}

interface Parts {
  id: string;
  sequence: string;
  isReverse: boolean;
  /** Lines of these parts; one with several parents counts for the first. */
  lines: number;
  exons: Range[];
  coding: Range[];
  codingAttributes: string;
  selenocysteines: number[];
}

const exonTypes = new Set(['exon', 'pseudogenic_exon']);
/** Parts of a transcript that follow from its exons and coding ranges. */
const impliedTypes =
  /^(?:(?:five|three)_prime_UTR|UTR|start_codon|stop_codon|region|chromosome|scaffold|intron)$/;

const selenocysteine = 'stop_codon_redefined_as_selenocysteine';
const withoutParts = 'features without exons and coding ranges';

/** Gathers the features of a GFF3 of Ensembl, GENCODE or RefSeq into transcripts. Children may precede their parents. */
export class GeneModels {
  readonly counts: GeneModelCounts = { genes: 0, transcripts: 0, coding: 0, inexact: 0, orphans: 0 };
  /** Each feature became part of a transcript, or is left out for a reason. */
  readonly book = new AccountBook();
  readonly #onTranscript: (transcript: Transcript) => void;
  #features = new Map<string, Feature>();
  #parts = new Map<string, Parts>();
  /** Transcripts aligned with gaps, by accession. */
  #gapped = new Set<string>();

  constructor(onTranscript: (transcript: Transcript) => void) {
    this.#onTranscript = onTranscript;
  }

  /** Features that wait for others. */
  get waitingCount(): number {
    return this.#features.size;
  }

  /** Takes the columns of a line. Returns a reason if the line is not a feature. */
  take(columns: readonly string[]): string | undefined {
    const [sequence = '', , type = '', from = '', to = '', , strand = '', phase = '', attributes = ''] =
      columns;
    const [start, end] = [Number(from), Number(to)];
    if (columns.length < 9) return 'it has fewer than nine columns separated by tabs';
    if (!(Number.isInteger(start) && start >= 1 && end >= start && end <= 0x7fffffff))
      return 'its start and end are not positions';
    if (impliedTypes.test(type)) {
      this.book.leave('they follow from exons and coding ranges, or describe no gene');
      return undefined;
    }
    if (type === 'cDNA_match' || type === 'match') {
      if (attribute(attributes, 'Gap')) {
        this.#gapped.add(attribute(attributes, 'Target').split(' ')[0] ?? '');
        this.book.gave();
      } else this.book.leave('alignments without gaps');
      return undefined;
    }
    const isReverse = strand === '-';
    const place = { sequence, isReverse };
    const parents = attribute(attributes, 'Parent')
      .split(',')
      .filter((one) => one !== '');
    const range = { start, end, phase: phase === '.' ? -1 : Number(phase) };
    const isPart = exonTypes.has(type) || type === 'CDS' || type === selenocysteine;
    if (isPart && parents[0] !== undefined) this.#partsOf(parents[0], place).lines += 1;
    else if (isPart) this.book.leave('parts without a parent');
    if (exonTypes.has(type)) for (const one of parents) this.#partsOf(one, place).exons.push(range);
    else if (type === 'CDS')
      for (const one of parents) {
        const parts = this.#partsOf(one, place);
        parts.coding.push(range);
        parts.codingAttributes ||= attributes;
        const codon = /\(pos:(?:complement\()?(\d+)\.\.(\d+)\)?,aa:Sec\)/g;
        for (const [, first, last] of attribute(attributes, 'transl_except').matchAll(codon))
          parts.selenocysteines.push(Number(isReverse ? last : first));
      }
    else if (type === selenocysteine)
      for (const one of parents) this.#partsOf(one, place).selenocysteines.push(isReverse ? end : start);
    else {
      const id = attribute(attributes, 'ID');
      const key = keyOf(sequence, id);
      const lines = (this.#features.get(key)?.lines ?? 0) + 1;
      if (id !== '') this.#features.set(key, { ...place, type, parents, attributes, lines });
      else this.book.leave(withoutParts);
    }
    return undefined;
  }

  /** Ends a part of the file whose features refer to no others (`###`), or the file. */
  end(): void {
    const genes = new Map<string, Transcript[]>();
    const used = new Set<Feature>();
    for (const [key, parts] of this.#parts) {
      const feature = this.#features.get(key);
      if (!feature || feature.isReverse !== parts.isReverse) {
        this.counts.orphans += 1;
        this.book.leave('their parent is missing, or on another sequence or strand', parts.lines);
        continue;
      }
      this.book.gave(parts.lines);
      const { sequence, id } = parts;
      const [geneId = id] = feature.parents.filter((parent) => this.#features.has(keyOf(sequence, parent)));
      const gene = this.#features.get(keyOf(sequence, geneId)) ?? feature;
      used.add(feature).add(gene);
      const made = transcriptOf({ id, feature, parts, geneId, gene });
      if (this.#gapped.has(made.id)) made.isExact = false;
      const known = genes.get(keyOf(sequence, geneId));
      if (known) known.push(made);
      else genes.set(keyOf(sequence, geneId), [made]);
    }
    for (const transcripts of genes.values()) this.#emit(transcripts);
    for (const feature of this.#features.values())
      if (used.has(feature)) this.book.gave(feature.lines);
      else this.book.leave(withoutParts, feature.lines);
    this.#features = new Map();
    this.#parts = new Map();
    this.#gapped = new Set();
  }

  /** Without a choice of the gene set, the transcript with the longest coding sequence is the canonical one. */
  #emit(transcripts: Transcript[]): void {
    const [first] = transcripts.sort(compareTranscripts);
    if (first?.standing === '' || first?.standing === 'mane_plus_clinical') {
      const longest = transcripts
        .map((one) => ({ ...one, standing: '' as const }))
        .sort(compareTranscripts)[0];
      for (const one of transcripts) if (one.id === longest?.id) one.standing = 'canonical';
    }
    this.counts.genes += 1;
    for (const one of transcripts) {
      this.counts.transcripts += 1;
      if (one.codingEnd > one.codingStart) this.counts.coding += 1;
      if (!one.isExact) this.counts.inexact += 1;
      this.#onTranscript(one);
    }
  }

  #partsOf(id: string, place: Pick<Parts, 'sequence' | 'isReverse'>): Parts {
    const key = keyOf(place.sequence, id);
    let parts = this.#parts.get(key);
    if (!parts) {
      parts = { ...place, id, lines: 0, exons: [], coding: [], codingAttributes: '', selenocysteines: [] };
      this.#parts.set(key, parts);
    }
    return parts;
  }
}

/** Returns the value of an attribute, decoded; empty without one. */
export function attribute(attributes: string, name: string): string {
  const key = `${name}=`;
  let at = attributes.startsWith(key) ? 0 : attributes.indexOf(`;${key}`);
  if (at < 0) return '';
  if (at > 0) at += 1;
  const end = attributes.indexOf(';', at);
  const value = attributes.slice(at + key.length, end < 0 ? undefined : end).trim();
  return value.includes('%') ? decoded(value) : value;
}

function decoded(value: string): string {
  return value.replaceAll(/%([0-9a-f]{2})/gi, (_, code: string) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  );
}

interface Draft {
  id: string;
  feature: Feature;
  parts: Parts;
  geneId: string;
  gene: Feature;
}

const first = (attributes: string, ...keys: string[]): string => {
  for (const key of keys) {
    const value = attribute(attributes, key);
    if (value !== '') return value;
  }
  return '';
};

/** Id without the kind that Ensembl and RefSeq put before it. */
const plainId = (id: string): string => id.replace(/^(?:gene|transcript|CDS|rna|cds)[:-]/, '');

/** Names must not hold the separators of annotations. */
const clean = (name: string): string => name.replaceAll(/[|,;\s]/g, '_');

function transcriptOf({ id, feature, parts, geneId, gene }: Draft): Transcript {
  const { attributes } = feature;
  const { isReverse } = parts;
  const exons = joined(parts.exons.length > 0 ? parts.exons : parts.coding, parts.exons.length > 0);
  const coding = parts.coding.toSorted((left, right) => left.start - right.start);
  const tags = first(attributes, 'tag').replaceAll(' ', '_').split(',');
  const version = attribute(attributes, 'version');
  const name = first(attributes, 'transcript_id') || plainId(id);
  const isPartial = attribute(parts.codingAttributes || attributes, 'partial') === 'true';
  const hasRange = (key: string): boolean => isPartial && attribute(attributes, key) !== '';
  const isOpen = (atStart: boolean): boolean => hasRange(atStart !== isReverse ? 'start_range' : 'end_range');
  const placed = placeCoding(exons, coding, isReverse);
  const length = placed.codingEnd - placed.codingStart - placed.phase;
  const code = Number(attribute(parts.codingAttributes, 'transl_table')) || 1;
  const chromosome = chromosomeName(feature.sequence);
  const geneticCode = code === 1 && chromosome === 'chrM' ? 2 : code;
  return {
    chromosome,
    id: clean(version === '' || name.endsWith(`.${version}`) ? name : `${name}.${version}`),
    proteinId: clean(
      first(parts.codingAttributes, 'protein_id') || plainId(attribute(parts.codingAttributes, 'ID')),
    ),
    gene: clean(first(gene.attributes, 'gene_name', 'gene', 'Name') || plainId(geneId)),
    biotype: clean(biotypeOf(feature, gene, coding.length > 0)),
    standing: standingOf(tags),
    isReverse,
    exonStarts: Int32Array.from(exons, ({ start }) => start),
    exonEnds: Int32Array.from(exons, ({ end }) => end),
    ...placed,
    hasStart: placed.phase === 0 && !tags.includes('cds_start_NF') && !isOpen(true),
    hasEnd: length % 3 === 0 && !tags.includes('cds_end_NF') && !isOpen(false),
    isExact: placed.isExact && isKnownCode(geneticCode),
    geneticCode,
    selenocysteines: [...new Set(parts.selenocysteines)],
  };
}

function standingOf(tags: readonly string[]): Transcript['standing'] {
  if (tags.includes('MANE_Select')) return 'mane_select';
  if (tags.includes('Ensembl_canonical') || tags.includes('RefSeq_Select')) return 'canonical';
  return tags.includes('MANE_Plus_Clinical') ? 'mane_plus_clinical' : '';
}

function biotypeOf({ type, attributes }: Feature, gene: Feature, isCoding: boolean): string {
  const named = first(attributes, 'biotype', 'transcript_type', 'transcript_biotype');
  if (named !== '') return named;
  if (isCoding) return 'protein_coding';
  const ofGene = first(gene.attributes, 'gene_biotype', 'gene_type', 'biotype');
  return /^(?:mRNA|transcript|primary_transcript)$/.test(type) && ofGene !== '' ? ofGene : type;
}
