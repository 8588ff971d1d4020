import type { SpeciesTerm } from './reference.ts';

/** Content of the title line of a sequence. */
export interface SequenceTitle {
  /** The first word. */
  name: string;
  accession?: string;
  assemblyId?: string;
  species?: SpeciesTerm;
  sourceUri?: string;
  /** The rest of the line. */
  description?: string;
}

/** Accession of GenBank, RefSeq or ENA: `NC_000001.11`, `CM000663.2`, `KI270302.1`, `U00096.3`. Only a version makes it certain. */
const accessionForm = /^(?:[A-Z]{2}_\d{6,9}|[A-Z]{4}(?:[A-Z]{2})?\d{8,10}|[A-Z]{1,2}\d{5,8})\.\d+$/;

/** Usual species of reference genomes (NCBI taxonomy). */
const taxa: Readonly<Record<string, string>> = {
  'Homo sapiens': 'NCBITaxon:9606',
  'Mus musculus': 'NCBITaxon:10090',
  'Rattus norvegicus': 'NCBITaxon:10116',
  'Danio rerio': 'NCBITaxon:7955',
  'Drosophila melanogaster': 'NCBITaxon:7227',
  'Caenorhabditis elegans': 'NCBITaxon:6239',
  'Saccharomyces cerevisiae': 'NCBITaxon:4932',
};

/** Reads a title line, without its `>`: plain ones, those of NCBI, of Ensembl, and with tags as the 1000 Genomes analysis sets. */
export function readTitle(line: string): SequenceTitle {
  const text = line.trim();
  const name = /^\S*/.exec(text)?.[0] ?? '';
  const description = text.slice(name.length).trim();
  const assemblyId = assemblyOf(description);
  const species = speciesOf(description);
  const sourceUri = tag(description, 'UR');
  const accession = accessionOf(name, description);
  return {
    name,
    ...(accession !== undefined && { accession }),
    ...(assemblyId !== undefined && { assemblyId }),
    ...(species !== undefined && { species }),
    ...(sourceUri !== undefined && { sourceUri }),
    ...(description !== '' && { description }),
  };
}

/** `gi|568336023|gb|CM000663.2|`, `NC_000001.11`, `AC:CM000663.2`. */
function accessionOf(name: string, description: string): string | undefined {
  return [...name.split('|'), tag(description, 'AC') ?? ''].find((one) => accessionForm.test(one));
}

/** `AS:GRCh38` · `chromosome:GRCh38:1:1:248956422:1 REF` (Ensembl) · `…, GRCh38.p14 Primary Assembly` (NCBI). */
function assemblyOf(description: string): string | undefined {
  const ensembl = /\b(?:chromosome|scaffold|contig|supercontig|primary_assembly):([^:\s]+):[^:\s]+:\d+:\d+/;
  const ncbi = /, (\S+) (?:Primary Assembly|alternate locus|reference primary assembly)/;
  return tag(description, 'AS') ?? ensembl.exec(description)?.[1] ?? ncbi.exec(description)?.[1] ?? undefined;
}

/** `SP:Homo sapiens`-like tags end with a tab or the line; NCBI's titles begin with the name. */
function speciesOf(description: string): SpeciesTerm | undefined {
  const named = tag(description, 'SP')?.replaceAll('_', ' ');
  const known = Object.keys(taxa).find((one) => description.startsWith(`${one} `) || named === one);
  const term = known ?? named;
  return term === undefined ? undefined : speciesTerm(term);
}

/** Returns the term of a species' name, with its id when it is a usual one. */
export function speciesTerm(name: string): SpeciesTerm {
  const id = Object.hasOwn(taxa, name) ? taxa[name] : undefined;
  return { ...(id !== undefined && { term_id: id }), term: name };
}

function tag(description: string, name: string): string | undefined {
  const value = new RegExp(`(?:^|\\s)${name}:(\\S+)`).exec(description)?.[1];
  return value === '' ? undefined : value;
}
