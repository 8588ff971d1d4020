/** Known tables that are not read are refused with what to ingest in their place, under any requested type. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { recogniseColumns } from './recognise.ts';

/** First lines of tables with what their refusals name. */
const tables: readonly (readonly [line: string, advice: RegExp])[] = [
  ['chr1 10 20 4 gain', /Control-FREEC.*assess_significance/],
  ['chr start end S1.event S1.copy.number', /ichorCNA.*seg\.txt/],
  ['CONTIG POSITION REF_COUNT ALT_COUNT', /GATK.*called\.seg/],
  ['feature chromosome start end S1', /QDNAseq.*exportBins/],
  ['chrom chr_start chr_stop num_positions log2_ratio', /VarScan.*DNAcopy/],
  ['start.p end.p type nexons start end chromosome reads.ratio', /ExomeDepth.*start_position/],
  ['chr1:100-200 numsnp=5 length=100', /PennCNV/],
  ['deletion chr1:100-200 100 0.5', /CNVnator.*cnvnator2VCF/],
  ['Chr Start End Ref Alt Func.refGene Gene.refGene', /ANNOVAR.*-vcfinput/],
  ['#Uploaded_variation Location Allele Gene Feature', /VEP.*--vcf/],
  ['# rsid chromosome position genotype', /23andMe.*tsv2vcf/],
  ['chrom1 start1 end1 chrom2 start2 end2 name', /BEDPE.*gene1/],
  ['Hugo_Symbol Entrez_Gene_Id Tumor_Sample_Barcode Fusion', /data_sv\.txt/],
  ['chr_donorA brkpt_donorA strand_donorA chr_acceptorB', /STAR-Fusion/],
  ['GeneID geneSymbol IncLevel1 IncLevel2', /rMATS.*"table"/],
  ['UID Chrom Position Ref_Base Alt_Base Coding Gene Samples', /OpenCRAVAT.*oc report/],
  ['Sampleid chr start end ID REF ALT SOMATIC.M0', /PureCN.*out\.vcf/],
  ['CHROM POS REF ALT ANN[*].GENE GEN[*].GT', /SnpSift/],
  ['Total_Number_of_Sites Number_of_Somatic_Sites %', /MSIsensor.*"table"/],
  ['cellularity ploidy SLPP', /Sequenza.*_segments\.txt/],
  ['purity normFactor score diploidProportion ploidy', /PURPLE.*cnv\.somatic/],
  ['gene_ids gene_names ffigf_score FiN_score supporting_reads', /Genion.*gene1/],
  ['circRNA_ID chr circRNA_start circRNA_end junction_reads_ratio', /CIRI.*"table"/],
  ['Probe_Name Accession Class_Name S1 S2', /NanoString.*controls/],
  ['chr1 HAVANA gene 1 9 . + . gene_id', /GTF/],
  ['chr1 100 200', /BED/],
];

test('the refusal of a known table names its program and the way on', () => {
  for (const [line, advice] of tables)
    for (const type of [undefined, 'maf', 'copynumber', 'fusion', 'expression'] as const) {
      const text = `${line.replaceAll(' ', '\t').replace('#\t', '# ')}\n`;
      const recognition = { fileName: 'S1.tsv', isWhole: true, ...(type && { type }) };
      assert.throws(
        () => recogniseColumns(text, recognition),
        { name: 'InputError', message: advice },
        `${type}: ${line}`,
      );
    }
});
