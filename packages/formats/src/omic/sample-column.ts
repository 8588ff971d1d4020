import {
  type Header,
  isNumber,
  otherSampleColumns,
  patientColumns,
  RecordFault,
  sampleColumns,
  textAt,
} from '../delimited/index.ts';
import { InputError } from '../input-error.ts';
import { isOfPrograms } from './name-forms.ts';

/** Columns that name the owner of a record, and not its sample. */
const ownerNames = [...patientColumns, 'specimen_id'];

/** Column that names the sample of each record, where a file has one. */
export class SampleColumn {
  /** -1 when there is none. */
  readonly place: number;
  readonly #name: string;
  readonly #isQuoted: boolean;
  /** Index of the column of owners; -1 without one. */
  readonly #ownerPlace: number;
  #owner: string | undefined;

  /** `isQuoted`: quotes around a name are not part of it, also in a file of tabs. */
  constructor(
    header: Header,
    columns: readonly string[] = [...sampleColumns, ...otherSampleColumns],
    { isQuoted = false } = {},
  ) {
    this.place = header.place(...columns);
    this.#isQuoted = isQuoted;
    this.#name = header.names[this.place] ?? '';
    this.#ownerPlace = this.place < 0 ? header.place(...ownerNames) : -1;
  }

  /** Returns the column that a program calls so, else one that is known for all tables. */
  static of(header: Header, own: string | readonly string[] = [], { isQuoted = false } = {}): SampleColumn {
    return new SampleColumn(header, [own, sampleColumns, otherSampleColumns].flat(), { isQuoted });
  }

  static isIn(header: Header): boolean {
    return header.hasOne(...sampleColumns);
  }

  /** True if the file names no sample: all records are of one. */
  get isMissing(): boolean {
    return this.place < 0;
  }

  /**
   * Returns the sample of a record; undefined in a file without such a column. Throws `RecordFault` for an empty field, whose
   * row would have the sample of another patient. A file of several patients without such a column is refused too: all would be
   * one sample.
   */
  at(fields: readonly string[]): string | undefined {
    if (this.isMissing) {
      this.#checkOwner(fields);
      return undefined;
    }
    const text = textAt(fields, this.place);
    const name = this.#isQuoted ? text?.replaceAll(/^["']|["']$/g, '').trim() : text;
    if (!name) throw new RecordFault(`${this.#name} is missing`, this.place + 1);
    return name;
  }

  #checkOwner(fields: readonly string[]): void {
    const owner = textAt(fields, this.#ownerPlace);
    if (owner === undefined) return;
    this.#owner ??= owner;
    if (owner !== this.#owner) throw new RecordFault(severalOwners, this.#ownerPlace + 1, { isOfFile: true });
  }
}

const severalOwners =
  'the file has several patients, but no column names the sample of a record; add it as sample_id';

/**
 * Throws `InputError` where a column of an unknown name plainly names samples: records of one gene repeat and differ in it, and
 * one of its texts is beside several genes. All rows would have one sample. `keys`: columns that name the gene; `known`:
 * columns with another meaning.
 */
export function refuseHiddenSamples(
  { names }: Header,
  records: readonly (readonly string[])[],
  keys: readonly number[],
  known: readonly number[],
): void {
  const keyOf = (fields: readonly string[]): string =>
    keys.map((place) => textAt(fields, place) ?? '').join('\t');
  const lines = records.map((fields) => [keyOf(fields), fields] as const);
  if (new Set(lines.map(([key]) => key)).size === lines.length) return;
  const hidden = names.findIndex((_, place) => {
    if (keys.includes(place) || known.includes(place)) return false;
    const texts = lines.map(([key, fields]) => [key, textAt(fields, place) ?? ''] as const);
    if (texts.some(([, text]) => text === '' || isNumber(text))) return false;
    const isUnique = new Set(texts.map((pair) => pair.join('\t'))).size === texts.length;
    const genesOf = Map.groupBy(texts, ([, text]) => text);
    return isUnique && genesOf.size > 1 && [...genesOf.values()].some((genes) => genes.length > 1);
  });
  if (hidden < 0) return;
  const message = `The column "${names[hidden]}" seems to name samples: lines of the same gene differ in it. Name it sample_id. If it holds something else, remove the column or the repeated lines.`;
  throw new InputError(message, { line: 1, column: hidden + 1 });
}

/** Words that programs put into names of files. */
const words = new Set(
  `gz,bgz,tsv,txt,csv,tab,sf,results,cns,seg,maf,genes,gene,isoforms,call,calls,quant,quants,counts,count,abundance,abundances,fusions,fusion,
  predictions,prediction,discarded,abridged,coding,effect,star,htseq,featurecounts,salmon,kallisto,rsem,arriba,cnvkit,stringtie,expression,tpm,fpkm,
  rpkm,cpm,segments,segment,copynumber,cnv,abund,out,augmented,normalized,cncf,facets,sequenza,starfusion,fusioncatcher,defuse,ascat,freec,controlfreec,tracking`.split(
    /,\s*/,
  ),
);

/**
 * Reads the sample of a file from its name without the endings that programs write: `S1.genes.results.gz` → `S1`. A folder names a sample
 * only as a program calls it: `S1_quant/quant.sf` → `S1`. `program`: name of the program, which is such an ending too. Undefined
 * when nothing else is left.
 */
export function sampleNameOfFile(fileName: string, program = ''): string | undefined {
  const [file = '', folder = ''] = fileName
    .split('/')
    .filter((part) => part !== '')
    .toReversed();
  const [ofFile, ofFolder] = [file, folder].map((name) => withoutWords(name, program.toLowerCase())) as [
    string,
    string,
  ];
  if (ofFile !== '' && !isOfPrograms(ofFile)) return ofFile;
  return ofFolder === folder || ofFolder === '' || isOfPrograms(ofFolder) ? undefined : ofFolder;
}

/**
 * Endings of the GDC, whose words alone may be of a name (`tumor_rna`). Endings of programs that write them behind an
 * unchanged prefix, or as the whole name (STAR, DRAGEN, FusionCatcher, EricScript).
 */
const endings =
  /(?:\.fusion_candidates\.(?:final|preliminary|features)|(?:^|[._-])final-list_candidate-fusion-genes(?:\.[a-z]+\d+)?|[._-]FPKM-UQ|\.(?:rna_seq|(?:ascat\d\.)?gene_level_copy_number(?:\.v\d+)?)|\.purple\.cnv\.(?:somatic|gene)|\.bam_CNVs|\.results\.(?:total|filtered)|[._-]?ReadsPerGene)$/i;

function withoutWords(name: string, program: string): string {
  let rest = name;
  for (;;) {
    rest = rest.replace(endings, '');
    const at = Math.max(...['.', '_', '-'].map((mark) => rest.lastIndexOf(mark)));
    const word = rest.slice(at + 1).toLowerCase();
    if (word === '' || (word !== program && !words.has(word))) return rest;
    rest = rest.slice(0, Math.max(at, 0));
  }
}
