/** What programs call their files, whoever they are of. */
const words = new Set(
  `gz,bgz,tsv,txt,csv,tab,sf,results,cns,seg,maf,genes,gene,isoforms,call,calls,quant,quants,counts,count,abundance,abundances,fusions,fusion,
  predictions,prediction,discarded,abridged,coding,effect,star,htseq,featurecounts,salmon,kallisto,rsem,arriba,cnvkit,stringtie,expression,tpm,fpkm,
  rpkm,cpm,segments,segment,copynumber,cnv,abund,out,augmented,normalized,cncf,facets,sequenza`.split(/,\s*/),
);

/**
 * The sample that a file is of, by its name: without the endings that programs write. `S1.genes.results.gz` → `S1`; `S1_quant/quant.sf` → `S1`.
 * Undefined when nothing else is left.
 */
export function sampleNameOfFile(fileName: string): string | undefined {
  const parts = fileName.split('/').filter((part) => part !== '');
  return [parts.at(-1), parts.at(-2)].map((part) => withoutWords(part ?? '')).find((name) => name !== '');
}

/** Endings of the GDC, whose words alone may be of a name (`tumor_rna`), and of STAR, which writes its own behind a prefix as it is. */
const endings = /(?:\.(?:rna_seq|(?:ascat\d\.)?gene_level_copy_number(?:\.v\d+)?)|[._-]?ReadsPerGene)$/i;

function withoutWords(name: string): string {
  let rest = name;
  for (;;) {
    rest = rest.replace(endings, '');
    const [, before = '', word = ''] = /^(.*?)[._-]?([^._-]+)$/.exec(rest) ?? [];
    if (!words.has(word.toLowerCase())) return rest;
    rest = before;
  }
}
