import { queryOptions } from '@tanstack/react-query';
import address from './pfam-37-human.tsv.gz?url';

/** Domain of a protein: its first and last residue. */
export interface Domain {
  start: number;
  end: number;
  name: string;
  /** Accession in Pfam. */
  accession: string;
}

/** Protein of a gene with its domains. */
export interface Protein {
  uniprot: string;
  /** Number of residues. */
  length: number;
  domains: Domain[];
}

/**
 * Domains of the reviewed human protein of a gene; `null` where there is none. Pfam 37.0 (CC0) by the table of g3viz (MIT), a file
 * of the console: no other service is asked.
 */
export const proteinOf = (gene: string) =>
  queryOptions({
    queryKey: ['protein', gene],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async (): Promise<Protein | null> => readProtein(await table(), gene),
  });

let loading: Promise<string> | undefined;

/** Loads the table once for all genes. */
function table(): Promise<string> {
  loading ??= load().catch((error: unknown) => {
    loading = undefined;
    throw error;
  });
  return loading;
}

async function load(): Promise<string> {
  const { ok, status, body } = await fetch(address);
  if (!ok || body === null) throw new Error(`The domains of proteins cannot be loaded (status ${status}).`);
  return new Response(body.pipeThrough(new DecompressionStream('gzip'))).text();
}

/** Reads the rows of a gene: symbol, UniProt, length, start, end, accession, name, type. */
function readProtein(text: string, gene: string): Protein | null {
  const begins = `\n${gene}\t`;
  const domains: Domain[] = [];
  let first: string[] | undefined;
  for (let at = text.indexOf(begins); at >= 0; at = text.indexOf(begins, at + 1)) {
    const end = text.indexOf('\n', at + 1);
    const cells = text.slice(at + 1, end < 0 ? undefined : end).split('\t');
    first ??= cells;
    const [, , , start, last, accession = '', name = ''] = cells;
    domains.push({ start: Number(start), end: Number(last), accession, name });
  }
  return first ? { uniprot: first[1] ?? '', length: Number(first[2]), domains } : null;
}
