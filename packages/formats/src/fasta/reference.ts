/** GA4GH's term of an ontology, as the API spells it. */
export interface SpeciesTerm {
  term_id?: string;
  term?: string;
}

/** Reference sequence of a FASTA or of the header of a BAM. */
export interface ReferenceSummary {
  name: string;
  length: number;
  /** MD5 of its bases in upper case, hex. */
  md5checksum: string;
  /** First 24 bytes of the SHA-512 of the same bases, base64url; absent where bases are not known (GA4GH refget 2). */
  sha512t24u?: string;
  /** Start of its bases among those of its set. */
  offset: number;
  accession?: string;
  sourceUri?: string;
  species?: SpeciesTerm;
  assemblyId?: string;
  attributes: Record<string, string>;
}

/** Metadata of a genome that is kept beside its sequences and their bases. */
export interface ReferencesSummary {
  count: number;
  md5checksum: string;
  /** MD5 of the sorted names and lengths. */
  shape: string;
  assemblyId?: string;
  species?: SpeciesTerm;
  sourceUri?: string;
}

type Md5 = (text: string) => string;

/** Collects the properties that identify a set of sequences. */
export class SequenceDigest {
  readonly #md5: Md5;
  readonly #checksums: string[] = [];
  readonly #shapes: string[] = [];

  constructor(md5: Md5) {
    this.#md5 = md5;
  }

  /** `checksum`: absent where the source has none. */
  add(name: string, length: number, checksum: string | undefined): void {
    if (checksum !== undefined) this.#checksums.push(checksum);
    this.#shapes.push(`${name}\t${length}\n`);
  }

  /** MD5 of the sorted, joined checksums (GA4GH, ReferenceSet.md5checksum); `undefined` when one is missing. */
  checksum(): string | undefined {
    if (this.#checksums.length < this.#shapes.length || this.#shapes.length === 0) return undefined;
    return this.#md5(this.#checksums.sort().join(''));
  }

  /** MD5 of the sorted names and lengths. */
  shape(): string {
    return this.#md5(this.#shapes.sort().join(''));
  }
}
