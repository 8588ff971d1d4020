import { type Header, textAt } from '../delimited/index.ts';

/** Names of one column in the versions of a program; the first that a table has counts. */
export type Names = string | readonly string[];

/** Names of the columns of both partners of a fusion. */
export type Pair = readonly [left: Names, right: Names];

/** Declarative description of the table of a program. CONTRIBUTING explains how to write one. */
interface ProfileOf<Type> {
  type: Type;
  program: string;
  /** Columns that identify the table; each of them has to be there. */
  recognised: readonly Names[];
  /** Columns of other tables: with one of them the table is not of the program. */
  not?: readonly string[];
  /** Texts of the program for a value that is not known, beside `NA` and its like. */
  absent?: readonly string[];
  /** Column with the sample of a record, beside the names that are known for all tables. */
  sample?: Names;
  /** Recognises the sample of all records in the lines before the header. */
  sampleAbove?: RegExp;
  /** Columns that are no attributes: names of reads, sequences. */
  unread?: readonly string[];
  /** A record of the program, and its first row, for the test of all profiles: `column=value | column=value`, `-` for NULL. */
  example: { record: string; row: string };
}

export interface FusionProfile extends ProfileOf<'fusion'> {
  /** Columns of the genes, or one column with both and the text between them. */
  genes: Pair | { column: Names; between: string };
  ids?: Pair;
  /** Text between the symbol and the id in one field: `BCR^ENSG00000186716`. */
  idAfter?: string;
  /** Recognises a text that names neighbours of a breakpoint and no gene. */
  neighbours?: RegExp;
  /** Breakpoints as `chr22:23632600` or `22:23632600:+`. */
  points?: Pair;
  chromosomes?: Pair;
  positions?: Pair;
  /** Number of the first base of a chromosome: 1, if absent. */
  firstBase?: 0;
  strands?: Pair;
  /** Column with the kind of the rearrangement; without one it follows from the ends. */
  effect?: Names;
  /** Kinds of rearrangements by the column that marks them with `Y`. */
  marks?: Readonly<Record<string, string>>;
  frame?: Names;
  molecule?: 'RNA' | 'DNA';
  /** Columns that mark the molecule that supports the fusion with `yes`. */
  molecules?: { RNA: Names; DNA: Names };
  build?: Names;
}

export interface CopyNumberProfile extends ProfileOf<'copynumber'> {
  chromosome?: Names;
  start?: Names;
  end?: Names;
  /** Column with the place as `chr1:100-200`. */
  interval?: Names;
  /** Number of the first base in starts; `seen`: the segments of the file show it. */
  firstBase: 0 | 1 | 'seen';
  /** Columns with the number of copies; the first with a value in a record counts. */
  copies?: readonly string[];
  /** Columns of both alleles in each clone, whose sum is the number of copies, and its share of the cells. */
  clones?: readonly { alleles: readonly [string, string]; share?: string }[];
  /** Logarithm (base 2) of the ratio to a diploid reference, for records without copies. */
  log2?: Names;
  /** Ratio to a diploid reference. */
  ratio?: Names;
  /** Estimates of copies may fall below 0, which means none. */
  isEstimate?: true;
  /** Column with the program's own call, beside the names that are known for all tables. */
  call?: Names;
  /** Columns of genes; the first with a value in a record counts. */
  gene?: Names;
  /** Texts of the column of genes for none. */
  noGene?: readonly string[];
  /** Tables of all genes: records without copies produce no row. */
  isOfGenes?: true;
}

export interface ExpressionProfile extends ProfileOf<'expression'> {
  gene: Names;
  symbol?: Names;
  transcript?: Names;
  /** Column of the amounts of one sample. */
  amount?: Names;
  unit?: string;
  /** Column of the counted reads. */
  count?: Names;
  /** Columns of amounts of several samples: the first group is the sample. The first kind that a table has counts. */
  amounts?: readonly { columns: RegExp; unit: string; isNormalized?: false }[];
  /** Columns that are of no sample, though they look so. */
  described?: readonly string[];
  /** 0 means that nothing was measured. */
  isZeroAbsent?: true;
  /** Amounts may be below 0. */
  isSigned?: true;
  /** Column with the state of the amount; with another one the record produces no row. */
  state?: { column: string; is: string };
  /** Records without an amount produce no row; otherwise they are broken. */
  isSparse?: true;
  /** Columns that mark records of other origin with `+`: they produce no row. */
  leftOut?: readonly string[];
}

export interface MafProfile extends ProfileOf<'maf'> {
  /** Columns of the program by the name of the MAF column with the same content. */
  renamed: Readonly<Record<string, Names>>;
  /** Columns that are equal in the lines of one mutation for several transcripts: the first of them counts. */
  onePer?: readonly string[];
}

export type Profile = FusionProfile | CopyNumberProfile | ExpressionProfile | MafProfile;

export const listed = (names: Names): readonly string[] => (typeof names === 'string' ? [names] : names);

/** Returns whether a table has the columns of a profile. */
export function isRecognised(
  { recognised, not = [] }: Pick<Profile, 'recognised' | 'not'>,
  header: Header,
): boolean {
  return recognised.every((names) => header.hasOne(...listed(names))) && !header.hasOne(...not);
}

/** Fields of records under the names of a profile. */
export class ProfileColumns {
  readonly #header: Header;
  readonly #absent: ReadonlySet<string>;
  /** Columns that have a meaning, so that they are no attributes. */
  readonly used: number[] = [];

  constructor(header: Header, { absent = [], unread = [] }: Pick<Profile, 'absent' | 'unread'>) {
    this.#header = header;
    this.#absent = new Set(absent);
    for (const name of unread)
      this.used.push(...[...header.names.keys()].filter((place) => header.names[place] === name));
  }

  /** Returns the place of a column; -1 where a profile or a table has none. `isKept`: its text is an attribute as well. */
  place(names: Names | undefined, { isKept = false } = {}): number {
    const place = names === undefined ? -1 : this.#header.place(...listed(names));
    if (!isKept) this.used.push(place);
    return place;
  }

  /** Returns the places of all columns that a table has, in the order of a profile. */
  places(names: Names = []): number[] {
    return listed(names)
      .map((name) => this.#header.place(name))
      .filter((place) => place >= 0);
  }

  pair(names: Pair | undefined): readonly [number, number] {
    return [this.place(names?.[0]), this.place(names?.[1])];
  }

  text(fields: readonly string[], place: number): string | undefined {
    const text = textAt(fields, place);
    return text !== undefined && this.#absent.has(text) ? undefined : text;
  }
}
