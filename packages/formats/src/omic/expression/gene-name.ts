/** Meaning of the identifier in a line of an expression file. */
export interface NamedGene {
  gene_id: string | undefined;
  gene_name: string | undefined;
  transcript_id: string | undefined;
}

// GENCODE appends the release of ids that it moved to GRCh37 to their version: `.5_2`. It marks the copy of a gene in the
// pseudoautosomal region of Y: `_PAR_Y`, before release 25 an R after the G.
const ensemblGene = /^ENS[A-Z]*GR?\d+(?:\.\d+(?:_\d+)?)?(?:_PAR_Y)?$/;
const ensemblTranscript = /^ENS[A-Z]*TR?\d+(?:\.\d+(?:_\d+)?)?(?:_PAR_Y)?$/;
const refSeqTranscript = /^[NX][MR]_\d+(?:\.\d+)?$/;
const withSymbol = /^(ENS[A-Z]*GR?\d+(?:\.\d+(?:_\d+)?)?(?:_PAR_Y)?)[_|](.+)$/;
/** Genes that StringTie found, as in its `prepDE.py`. */
const stringTie = /^(MSTRG\.\d+)\|(.+)$/;
/** Symbol and Entrez's number, as in the first files of the TCGA; `?` where a gene has no symbol. */
const withEntrez = /^([^|]+)\|(\d+)$/;
/** Symbol and id in either order: `TP53 (ENSG…)`, `TP53 (7157)`, `TP53|ENSG…`, `TP53;ENSG…`, `BCR^ENSG…`. */
const symbolFirst = /^([^\s|;^()]+)\s?[|;^(]\s?((?:ENS[A-Z]*GR?\d+(?:\.\d+(?:_\d+)?)?(?:_PAR_Y)?)|\d+)\)?$/;

/**
 * Reads `ENSG…`, a symbol, `ENSG…_SYMBOL` (RSEM), `MSTRG.1|SYMBOL`, `SYMBOL|673`, `SYMBOL (ENSG…)`, a transcript, and the names of GENCODE's FASTA: transcript, gene, two more ids, name
 * of the transcript, symbol, length, biotype, between `|`. A transcript without a named gene becomes the gene's id.
 */
export function namedGene(identifier: string): NamedGene {
  const parts = identifier.split('|');
  if (parts.length >= 6 && ensemblTranscript.test(parts[0] ?? '') && ensemblGene.test(parts[1] ?? ''))
    return { transcript_id: parts[0], gene_id: parts[1], gene_name: parts[5] };
  const [, id, symbol] = ensemblGene.test(identifier)
    ? []
    : (withSymbol.exec(identifier) ?? stringTie.exec(identifier) ?? []);
  if (id !== undefined) return { gene_id: id, gene_name: symbol, transcript_id: undefined };
  const [, name, number] = withEntrez.exec(identifier) ?? symbolFirst.exec(identifier) ?? [];
  if (number !== undefined)
    return { gene_id: number, gene_name: name === '?' ? undefined : name, transcript_id: undefined };
  const isTranscript = ensemblTranscript.test(identifier) || refSeqTranscript.test(identifier);
  return {
    gene_id: identifier,
    gene_name: undefined,
    transcript_id: isTranscript ? identifier : undefined,
  };
}

/** Returns the symbol in a name of a gene; the name itself where it has no other part. */
export function symbolOf(name: string): string {
  return (/[|;^(_]/.test(name) && namedGene(name).gene_name) || name;
}

/**
 * Forms of ids of databases, none of which is a symbol in any nomenclature: numbers (Entrez), texts with a colon (`HGNC:1100`),
 * and a prefix before the digits of an accession (`ENSG…`, `NM_000546.6`, `uc002gij.4`, `CCDS11118`, `FBgn0000014`, `MSTRG.12`).
 */
const idOfDatabase =
  /^(?:\d+(?:\.\d+)?|[\w.-]+:[A-Z]*\d\d\S*|ENS[A-Z]*\d{6}\S*|[A-Z]{2}_\d{6,}(?:\.\d+)?|LRG_\d\w*|uc\d{3}[a-z]{3}\.\d+|CCDS\d+(?:\.\d+)?|FBgn\d{7}|WBGene\d{8}|(?:MSTRG|STRG|CUFF)\.\d+(?:\.\d+)?|XLOC_\d+)$/;

/** Returns whether a text is an id of a database, so that it is no symbol of a gene. */
export const isIdOfDatabase = (text: string): boolean => idOfDatabase.test(text);

/** Returns whether a text is surely the id of a gene. */
export function isGeneId(text: string): boolean {
  return ensemblGene.test(text);
}

/** Returns whether a text certainly names a gene or a transcript. */
export function isGeneOrTranscript(text: string): boolean {
  const { gene_id, transcript_id } = namedGene(text);
  return transcript_id !== undefined || isGeneId(gene_id ?? '');
}

/** Warning about rows whose `gene_id` is their transcript's. */
export function unnamedGenes(count: number): string[] {
  return count === 0
    ? []
    : [`${count} rows are of transcripts without a gene in the file: gene_id is the id of the transcript.`];
}

/** Symbols of genes of which every panel and every transcriptome contains some. */
const knownGenes = new Set(
  `TP53,BRCA1,BRCA2,EGFR,KRAS,NRAS,BRAF,PTEN,MYC,RB1,APC,ATM,ALK,ERBB2,PIK3CA,CDKN2A,GAPDH,ACTB,TSPAN6,TNMD,DPM1,SCYL3,A1BG,A2M,NAT2,ADA,CFTR,
  DDX11L1,WASH7P,MIR6859-1,OR4F5,SAMD11,NOC2L,B2M,CD4,CD8A,CD19,MS4A1,IL6,TNF,VEGFA,ESR1,AR,KIT,JAK2,FLT3,NPM1,DNMT3A,TET2,IDH1`.split(
    /,\s*/,
  ),
);

/** Returns whether several names of a list are symbols of well-known genes; a single one may be the name of a sample. */
export function haveKnownGenes(names: readonly string[]): boolean {
  return new Set(names.filter((name) => knownGenes.has(name))).size >= 2;
}
