import type { VcfKind } from './source-kind.ts';

const columns = '#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO';

/** ClinVar's VCF, of NCBI. */
const clinvar: VcfKind = {
  name: 'clinvar',
  source: 'ClinVar',
  form: 'vcf',
  matchedBy: 'allele',
  recognised: [/^##source=ClinVar/i, /^##INFO=<ID=CLNSIG,/],
  versionInHeader: /^##fileDate=(\S+)/i,
  watched: ['clinical_significance', 'clinical_review'],
  example: {
    lines: [
      '##fileformat=VCFv4.1',
      '##fileDate=2026-11-08',
      '##source=ClinVar',
      '##reference=GRCh38',
      '##INFO=<ID=ALLELEID,Number=1,Type=Integer,Description="the ClinVar Allele ID">',
      '##INFO=<ID=CLNSIG,Number=.,Type=String,Description="Clinical significance for this single variant">',
      columns,
      '7\t140753336\t13961\tA\tT\t.\t.\tALLELEID=29000;CLNSIG=Pathogenic',
    ],
    release: '2026-11-08 2026-11-08',
    row: 'chromosome=chr7 | position=140753336 | reference=A | alternate=T | clinical_significance=Pathogenic | clinvar_allele_id=29000',
  },
};

/** Sites of gnomAD, of exomes, genomes or both. */
const gnomad: VcfKind = {
  name: 'gnomad',
  source: 'gnomAD',
  form: 'vcf',
  matchedBy: 'allele',
  recognised: [/^##INFO=<ID=AF(?:_joint)?,/, /^##INFO=<ID=(?:nhomalt|nhomalt_joint|AC_Hom),/],
  versionInName: /gnomad\.\w+?\.(?:r|v)(\d+(?:\.\d+)*)/i,
  watched: [],
  example: {
    lines: [
      '##fileformat=VCFv4.2',
      '##INFO=<ID=AC,Number=A,Type=Integer,Description="Alternate allele count">',
      '##INFO=<ID=AF,Number=A,Type=Float,Description="Alternate allele frequency">',
      '##INFO=<ID=nhomalt,Number=A,Type=Integer,Description="Count of homozygous individuals">',
      columns,
      'chr1\t55039974\trs11591147\tG\tT\t.\tPASS\tAC=20;AF=0.0117;nhomalt=1',
    ],
    file: 'gnomad.genomes.v4.1.sites.chr1.vcf.bgz',
    release: '4.1',
    row: 'chromosome=chr1 | position=55039974 | alternate=T | population_allele_frequency=0.0117 | rs_id=rs11591147',
  },
};

/** The VCF of dbSNP, of NCBI. */
const dbsnp: VcfKind = {
  name: 'dbsnp',
  source: 'dbSNP',
  form: 'vcf',
  matchedBy: 'allele',
  recognised: [/^##(?:source=dbSNP|dbSNP_BUILD_ID=)/i],
  versionInHeader: /^##dbSNP_BUILD_ID=(\S+)/i,
  watched: [],
  example: {
    lines: [
      '##fileformat=VCFv4.2',
      '##source=dbSNP',
      '##dbSNP_BUILD_ID=157',
      columns,
      'NC_000007.14\t140753336\trs113488022\tA\tT\t.\t.\tRS=113488022',
    ],
    release: '157',
    row: 'chromosome=chr7 | position=140753336 | rs_id=rs113488022',
  },
};

/** Mutations of COSMIC, coding or not. */
const cosmic: VcfKind = {
  name: 'cosmic',
  source: 'COSMIC',
  form: 'vcf',
  matchedBy: 'allele',
  recognised: [/^##source=COSMIC/i],
  versionInHeader: /^##source=COSMIC\s*v?(\d+)/i,
  versionInName: /cosmic\w*?_v(\d+)/i,
  watched: [],
  example: {
    lines: [
      '##fileformat=VCFv4.1',
      '##source=COSMICv103',
      '##INFO=<ID=GENOME_SCREEN_SAMPLE_COUNT,Number=1,Type=Integer,Description="Samples">',
      columns,
      '7\t140753336\tCOSV56056643\tA\tT\t.\t.\tGENOME_SCREEN_SAMPLE_COUNT=33',
    ],
    release: '103',
    row: 'chromosome=chr7 | position=140753336 | cosmic_id=COSV56056643 | cosmic_sample_count=33',
  },
};

/** Scores of SpliceAI, of all substitutions or of small insertions and deletions. */
const spliceai: VcfKind = {
  name: 'spliceai',
  source: 'SpliceAI',
  form: 'vcf',
  matchedBy: 'allele',
  recognised: [/^##INFO=<ID=SpliceAI,/],
  versionInHeader: /^##INFO=<ID=SpliceAI,.*SpliceAIv?(\d+(?:\.\d+)*)/,
  listed: {
    key: 'SpliceAI',
    numbers: [2, 5],
    value: { name: 'delta', about: 'The greatest of the four delta scores of gained and lost splice sites.' },
  },
  watched: [],
  example: {
    lines: [
      '##fileformat=VCFv4.2',
      '##INFO=<ID=SpliceAI,Number=.,Type=String,Description="SpliceAIv1.3 variant annotation.">',
      columns,
      '2\t152389953\t.\tT\tA\t.\t.\tSpliceAI=A|NEB|0.01|0.00|0.00|0.74|43|3|-26|3',
    ],
    release: '1.3',
    row: 'chromosome=chr2 | position=152389953 | gene=NEB | name=delta | value=0.74',
  },
};

/** Any other VCF of known alleles, such as those of a cohort. */
const otherVcf: VcfKind = {
  name: 'alleles',
  form: 'vcf',
  matchedBy: 'allele',
  recognised: [],
  watched: ['clinical_significance'],
  example: {
    lines: [
      '##fileformat=VCFv4.2',
      '##INFO=<ID=AF,Number=A,Type=Float,Description="x">',
      columns,
      '1\t5\t.\tA\tC\t.\t.\tAF=0.2',
    ],
    row: 'chromosome=chr1 | position=5 | population_allele_frequency=0.2',
  },
};

/** Kinds of VCF, the most specific first. */
export const vcfKinds: readonly VcfKind[] = [clinvar, spliceai, dbsnp, cosmic, gnomad, otherVcf];
