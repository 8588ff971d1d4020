import { InputError } from '../input-error.ts';
import type { Opening, TabularFormat, TabularType } from './format.ts';
import { isRecognised, type Names } from './profile.ts';

/** Table of a known program that is not read, and what to ingest in its place. */
interface Refusal {
  program: string;
  type: TabularType;
  /** Columns that identify the table, as in a profile. */
  recognised?: readonly Names[];
  /** Recognises the first line, of tables without a header, with tabs between its fields. */
  line?: RegExp;
  advice: string;
}

const toVcf = 'Mutations are read from a VCF or a MAF:';
const noPatients = 'It describes no patient: there is no table for it.';
const ownTable = 'Use the type "table" to keep it as a table of your own.';

/** Tables with a header: type, program, columns with their other names behind `/`, advice. */
const byColumns = `
copynumber | CNVkit (bins or genes) | chromosome, start, end, gene, log2 | It has neither probes nor cn, so it seems to hold bins (.cnr, .cnn) or genes (genemetrics): upload the segments (.cns or .call.cns).
copynumber | GATK (bins or allelic counts) | CONTIG, START/POSITION, LOG2_COPY_RATIO/COUNT/REF_COUNT | It holds bins or counts: upload the segments (.called.seg, .called.igv.seg or .modelFinal.seg).
copynumber | QDNAseq | feature, chromosome, start, end | It holds bins: export the segments (exportBins with format="seg").
copynumber | VarScan copynumber | chrom, chr_start, chr_stop, num_positions | It holds bins: segment them with DNAcopy, and upload the SEG file.
copynumber | ExomeDepth | start.p, end.p, nexons, reads.ratio | Name its columns sample_id, chromosome, start_position (from 1), end_position and status (loss, partialLoss, gain), then ingest it as copynumber.
copynumber | HATCHet | CHR, START, END, SAMPLE, cn_normal, u_normal | It has the copies of each clone: sum them by their shares into copy_number, beside sample_id, chromosome, start_position (from 1) and end_position.
copynumber | GISTIC (lesions) | Unique Name, Descriptor, Wide Peak Limits | Upload all_thresholded.by_genes.txt or all_data_by_genes.txt of the same run.
maf | Ensembl VEP (tab) | Uploaded_variation/#Uploaded_variation, Location, Allele, Feature | It names no genotype. ${toVcf} run VEP with --vcf.
maf | VarScan | chrom, position, ref, var, somatic_status/VarFreq | ${toVcf} run VarScan with --output-vcf 1.
maf | MuTect 1 | contig, position, ref_allele, alt_allele, tumor_name, judgement | ${toVcf} run MuTect with --vcf.
maf | 23andMe or AncestryDNA | rsid, chromosome, position, genotype/allele1 | ${toVcf} convert it (bcftools convert --tsv2vcf with the reference).
maf | COSMIC | GENOMIC_WT_ALLELE, GENOMIC_MUT_ALLELE | ${noPatients} Ingest COSMIC's VCF as an annotation.
fusion | BEDPE (SQUID, ChimeraScan, GRIDSS) | chrom1/chrom5p, start1/start5p, chrom2/chrom3p, start2/start3p | Its places are ranges from 0. Ingest the VCF of the program, or a table with sample_id, gene1, gene2, chromosome1, start_position1, chromosome2 and start_position2 (from 1).
fusion | cBioPortal (data_fusions.txt) | Hugo_Symbol, Tumor_Sample_Barcode, Fusion | It has one gene a line. Upload the newer data_sv.txt, with both genes of a fusion in a line.
fusion | STAR (Chimeric.out.junction) | chr_donorA, brkpt_donorA, chr_acceptorB | It holds reads: run STAR-Fusion on it, and upload its predictions.
expression | CIRI (circular RNA) | circRNA_ID, junction_reads_ratio | It holds circular transcripts. ${ownTable}
expression | NanoString | Probe Name, Class Name/Code Class | Leave out its controls, and name the columns gene and each sample.
expression | rMATS | GeneID, geneSymbol, IncLevel1, IncLevel2 | It compares splicing between groups of samples. ${ownTable}
expression | Spectronaut | PG.ProteinGroups, R.FileName | Write a table with sample_id, gene_id, gene_name, expression and expression_unit from PG.Quantity.
maf | OpenCRAVAT | UID, Chrom, Position, Ref Base, Alt Base | ${toVcf} write its report as a VCF (oc report -t vcf).
maf | PureCN (variants) | Sampleid, ID, REF, ALT, SOMATIC.M0 | ${toVcf} ingest the one that PureCN writes (out.vcf).
maf | SnpSift or VariantsToTable | CHROM, POS, REF, ALT | ${toVcf} ingest the one that this table was made from.
maf | MSIsensor | Total_Number_of_Sites/Total_sites/Total_Number_of_sites | It holds one number a sample. ${ownTable}
copynumber | Sequenza (solutions) | cellularity, ploidy, SLPP | It holds fits of purity and ploidy: upload the segments (*_segments.txt).
copynumber | PURPLE (purity) | purity, normFactor, diploidProportion, ploidy | It holds the purity of the sample: upload the segments (*.purple.cnv.somatic.tsv).
fusion | Genion | gene_names, ffigf_score, FiN_score | Write a table with sample_id, gene1 and gene2.
maf | OptiType | A1, A2, B1, B2, C1, C2, Objective | It holds types of HLA. ${ownTable}
maf | PLINK (association) | CHR, SNP, BP, A1, P/NMISS | It has results of a study. ${noPatients} Use plink --recode vcf for the genotypes.
`;

/** Tables without a header, and what is above one. */
const byLine: readonly Refusal[] = [
  {
    program: 'Control-FREEC without a header',
    type: 'copynumber',
    line: /^\S+\t\d+\t\d+\t\d+\t(?:gain|loss|normal|neutral)(?:\t|$)/,
    advice:
      'Run its script assess_significance.R, which writes a header; or add one with chromosome, start_position, end_position and copy_number (positions count from 1), and ingest it as copynumber.',
  },
  {
    program: 'ichorCNA (bins)',
    type: 'copynumber',
    line: /^chr\tstart\tend\t(?:\S+\t)?\S+\.copy\.number/,
    advice: 'It holds bins: upload the segments (.seg.txt or .seg).',
  },
  {
    program: 'PennCNV',
    type: 'copynumber',
    line: /^chr\w+:\d+-\d+\s+numsnp=/,
    advice:
      'Write it with columns sample_id, chromosome, start_position, end_position and copy_number (its cn).',
  },
  {
    program: 'CNVnator',
    type: 'copynumber',
    line: /^(?:deletion|duplication)\t\S+:\d+-\d+\t/,
    advice: 'Convert it with its script cnvnator2VCF.pl, and ingest the VCF.',
  },
  {
    program: 'ANNOVAR',
    type: 'maf',
    line: /^Chr\tStart\tEnd\tRef\tAlt\t/i,
    advice: `It names no sample. ${toVcf} ingest the one that table_annovar.pl writes with -vcfinput.`,
  },
  {
    program: 'LongGF',
    type: 'fusion',
    line: /^GF\s+\S+:\S+/,
    advice: 'It is a log. Write a table with sample_id, gene1 and gene2.',
  },
  {
    program: 'SomaScan (ADAT)',
    type: 'expression',
    line: /^!Checksum/,
    advice: 'Write a table with sample_id, gene_id, gene_name, expression and expression_unit (rfu).',
  },
  {
    program: 'GEO (series matrix)',
    type: 'expression',
    line: /^!Series_/,
    advice:
      'Keep the lines between !series_matrix_table_begin and !series_matrix_table_end alone, with genes as lines.',
  },
  {
    program: 'Matrix Market (10x Genomics)',
    type: 'expression',
    line: /^%%MatrixMarket/,
    advice: 'It holds single cells. Sum the counts of each sample into a matrix of genes and samples.',
  },
  {
    program: 'TruSight Oncology (combined output)',
    type: 'maf',
    line: /^\[Analysis Details\]/,
    advice: 'It joins several tables. Upload the VCFs and *_AllFusions.csv of the same run.',
  },
  {
    program: 'GTF or GFF',
    type: 'expression',
    line: /^\S+\t\S+\t(?:gene|transcript|mRNA|exon|CDS|region)\t\d+\t\d+\t\S+\t[-+.]\t/,
    advice: noPatients,
  },
  {
    program: 'BED',
    type: 'copynumber',
    line: /^(?:track\s|browser\s|chr\w{1,2}\t\d+\t\d+(?:\t|$))/,
    advice: `It holds places. ${noPatients}`,
  },
];

const refusals: readonly Refusal[] = [
  ...byColumns
    .trim()
    .split('\n')
    .map((row) => {
      const [type = '', program = '', columns = '', advice = ''] = row.split(' | ');
      const recognised = columns.split(', ').map((names) => names.split('/'));
      return { type: type as TabularType, program, recognised, advice };
    }),
  ...byLine,
];

/** Throws `InputError` for a table of a known program that is not read. */
export function refuseKnown({ header }: Pick<Opening, 'header'>, type?: TabularType): void {
  const line = header.names.join('\t');
  const found = refusals.find(
    (one) =>
      (type === undefined || one.type === type) &&
      (one.line?.test(line) ||
        (one.recognised !== undefined && isRecognised({ ...one, recognised: one.recognised }, header))),
  );
  if (found) throw new InputError(`This is a table of ${found.program}. ${found.advice}`, { line: 1 });
}

/** Refusals of a type, at their place among the formats: other formats would misread these tables. */
export const refusalsOf = (type: TabularType): TabularFormat => ({
  type,
  name: 'refused',
  marksHeader: true,
  readsRowNames: true,
  open: (opening) => {
    refuseKnown(opening, type);
    return undefined;
  },
});
