import { type Header, symbolAt, textAt } from '../../delimited/index.ts';
import {
  entrezColumns,
  idColumns,
  isSymbols,
  isTranscripts,
  symbolColumns,
  transcriptColumns,
} from './gene-columns.ts';
import { type NamedGene, namedGene } from './gene-name.ts';
import type { GeneTable } from './gene-table.ts';

/** Names the genes of the lines of a table, by the gene column and those beside it. */
export class GeneNames {
  /** Source columns with a column in the table. */
  readonly places: readonly number[];
  readonly #gene: number;
  readonly #isSymbol: boolean;
  readonly #isTranscript: boolean;
  readonly #symbol: number;
  readonly #id: number;
  /** Numbers of Entrez. */
  readonly #number: number;
  readonly #transcript: number;

  /** `samples`: indexes of columns of samples, whatever their names. */
  constructor({ header, gene }: GeneTable, samples: readonly number[]) {
    const name = header.names[gene] ?? '';
    this.#gene = gene;
    this.#isSymbol = isSymbols(name);
    this.#isTranscript = isTranscripts(name);
    this.#symbol = behindFirst(header, symbolColumns);
    this.#id = header.place(...idColumns);
    this.#number = header.place(...entrezColumns);
    this.#transcript = this.#isTranscript ? gene : behindFirst(header, transcriptColumns, samples);
    const id = this.#isSymbol || this.#isTranscript ? this.#id : -1;
    this.places = [gene, this.#symbol, this.#transcript, id];
  }

  /** Undefined if no column has the gene. */
  at(fields: readonly string[]): NamedGene | undefined {
    const identifier = textAt(fields, this.#gene);
    const id = textAt(fields, this.#id);
    const symbol = symbolAt(fields, this.#symbol);
    if (this.#isSymbol) {
      // cBioPortal has some genes by Entrez's number only.
      const gene = id ?? (identifier === undefined ? textAt(fields, this.#number) : undefined);
      if ((gene ?? identifier) === undefined) return undefined;
      const transcript = textAt(fields, this.#transcript);
      return { gene_id: gene, gene_name: symbol ?? identifier, transcript_id: transcript };
    }
    if (identifier === undefined) return undefined;
    const named = namedGene(identifier);
    const transcript = named.transcript_id ?? textAt(fields, this.#transcript);
    const isOfTranscript = this.#isTranscript || named.transcript_id !== undefined;
    return {
      // Names of GENCODE's transcripts include the gene.
      gene_id: isOfTranscript && named.gene_id === transcript ? (id ?? transcript) : named.gene_id,
      gene_name: symbol ?? named.gene_name,
      transcript_id: transcript,
    };
  }
}

function behindFirst(header: Header, names: readonly string[], samples: readonly number[] = []): number {
  return names.map((name) => header.place(name)).find((place) => place > 0 && !samples.includes(place)) ?? -1;
}
