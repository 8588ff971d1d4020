import { isOfPrograms } from './name-forms.ts';

/** Words that programs put into names of files. */
const words = new Set(
  `gz,bgz,tsv,txt,csv,tab,sf,results,cns,seg,maf,genes,gene,isoforms,call,calls,quant,quants,counts,count,abundance,abundances,fusions,fusion,
  predictions,prediction,discarded,abridged,coding,effect,star,htseq,featurecounts,salmon,kallisto,rsem,arriba,cnvkit,stringtie,expression,tpm,fpkm,
  rpkm,cpm,segments,segment,copynumber,cnv,abund,out,augmented,normalized,cncf,facets,sequenza,starfusion,fusioncatcher,defuse,ascat,freec,controlfreec`.split(
    /,\s*/,
  ),
);

/**
 * Reads the sample of a file from its name without the endings that programs write: `S1.genes.results.gz` → `S1`. A folder names a sample
 * only as a program calls it: `S1_quant/quant.sf` → `S1`. Undefined when nothing else is left.
 */
export function sampleNameOfFile(fileName: string): string | undefined {
  const [file = '', folder = ''] = fileName
    .split('/')
    .filter((part) => part !== '')
    .toReversed();
  const [ofFile, ofFolder] = [withoutWords(file), withoutWords(folder)];
  if (ofFile !== '' && !isOfPrograms(ofFile)) return ofFile;
  return ofFolder === folder || ofFolder === '' || isOfPrograms(ofFolder) ? undefined : ofFolder;
}

/**
 * Endings of the GDC, whose words alone may be of a name (`tumor_rna`), and of programs that write their own behind a prefix as it is, or as the whole
 * name (STAR, DRAGEN, FusionCatcher).
 */
const endings =
  /(?:\.fusion_candidates\.(?:final|preliminary|features)|(?:^|[._-])final-list_candidate-fusion-genes(?:\.[a-z]+\d+)?|[._-]FPKM-UQ|\.(?:rna_seq|(?:ascat\d\.)?gene_level_copy_number(?:\.v\d+)?)|\.purple\.cnv\.(?:somatic|gene)|\.bam_CNVs|[._-]?ReadsPerGene)$/i;

function withoutWords(name: string): string {
  let rest = name;
  for (;;) {
    rest = rest.replace(endings, '');
    const at = Math.max(...['.', '_', '-'].map((mark) => rest.lastIndexOf(mark)));
    if (!words.has(rest.slice(at + 1).toLowerCase())) return rest;
    rest = rest.slice(0, Math.max(at, 0));
  }
}
