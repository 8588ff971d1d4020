import { literal } from '@ploidy/engine';
import { chromosomeLengths, type GenomeBuild, nuclearChromosomes } from '@ploidy/formats/genome-build';
import { version } from '../../../base/version.ts';
import { type NewPart, partsMax } from './exports.ts';
import { inCohort } from './fhir-parts.ts';

/** Samples to export; absent: all. */
interface SampleChoice {
  sampleIds?: readonly string[] | undefined;
  cohort?: string | undefined;
  /** Samples of the cohort, or the first of many. */
  named?: readonly string[] | undefined;
}

/** Sample of an ingested file. */
export interface SampleOfSet {
  sampleId: string;
  setId: string;
  genomeBuild: string | null;
}

/** Builds the statement that lists the samples of the patients of a cohort. */
export const cohortSamplesStatement = (cohort: string): string =>
  `SELECT id FROM sequence WHERE id IS NOT NULL AND ${inCohort('patient_id', cohort)} ORDER BY 1`;

/** Builds the statement that lists the chosen samples with their sets of variants. Samples that are named open their files only. */
export function samplesStatement({ sampleIds, cohort, named }: SampleChoice): string {
  const conditions = [
    'sample_id IS NOT NULL',
    ...[sampleIds, named].flatMap((ids) =>
      ids && ids.length <= partsMax ? [`sample_id IN (${ids.map((id) => literal(id)).join(', ')})`] : [],
    ),
    ...(cohort === undefined
      ? []
      : [`sample_id IN (SELECT id FROM sequence WHERE ${inCohort('patient_id', cohort)})`]),
  ];
  return `SELECT DISTINCT sample_id, variant_set_id FROM variant WHERE ${conditions.join(' AND ')} ORDER BY 1, 2`;
}

/** Returns a VCF for each sample of each set: sets may have other callers and builds. */
export function vcfParts(samples: readonly SampleOfSet[], hasCalls: boolean): NewPart[] {
  return samples.map((sample) => ({
    type: 'VCF',
    sampleId: sample.sampleId,
    // Characters of names of files on every system.
    name: `${sample.sampleId.replace(/[^\w.-]+/g, '_').slice(0, 100)}.${sample.setId}.vcf`,
    format: 'vcf',
    query: vcfStatement(sample, hasCalls),
  }));
}

const contigPattern = '[0-9A-Za-z!#$%&+./:;?@^_|~-][0-9A-Za-z!#$%&*+./:;=?@^_|~-]*';
const allelePattern = '[ACGTNacgtn]+';

/** Values of a record by the key of FORMAT, with the line that declares it. */
const evidence: readonly [key: string, sql: string, declaration: string][] = [
  [
    'GQ',
    'CAST(max(c.genotype_quality) AS VARCHAR)',
    'Number=1,Type=Float,Description="Quality of the genotype"',
  ],
  ['DP', 'CAST(max(c.depth) AS VARCHAR)', 'Number=1,Type=Integer,Description="Reads at the position"'],
  [
    'AD',
    `coalesce(CAST(max(c.reference_depth) AS VARCHAR), '.') || ',' || coalesce(CAST(max(c.alternate_depth) AS VARCHAR), '.')`,
    'Number=R,Type=Integer,Description="Reads of each allele"',
  ],
  ['AF', 'CAST(max(c.allele_fraction) AS VARCHAR)', 'Number=A,Type=Float,Description="Share of the reads"'],
  [
    'PS',
    `max(CASE WHEN regexp_full_match(c.phase_set, '[0-9]{1,9}') THEN c.phase_set END)`,
    'Number=1,Type=Integer,Description="Set of phased genotypes"',
  ],
];

const genotypeSql = `coalesce(max(CASE WHEN regexp_full_match(v.genotype, '[0-9.]+([/|][0-9.]+)*') THEN v.genotype END), './.')`;

/** Builds the statement whose rows are the lines of a VCF 4.2, in order. */
function vcfStatement({ sampleId, setId, genomeBuild }: SampleOfSet, hasCalls: boolean): string {
  const values = hasCalls ? evidence : [];
  const join = hasCalls
    ? `LEFT JOIN (SELECT * FROM variant_call WHERE sample_id = ${literal(sampleId)}) AS c ON c.variant_id = v.variant_id`
    : '';
  const [quality, filter] = hasCalls
    ? [
        'max(CASE WHEN isfinite(c.quality) AND c.quality >= 0 THEN CAST(c.quality AS VARCHAR) END)',
        `max(regexp_replace(c.filter, '[\\s,"<>]+', '_'))`,
      ]
    : ['NULL', 'NULL'];
  const sample = [genotypeSql, ...values.map(([, sql]) => `coalesce(${sql}, '.')`)].join(` || ':' || `);
  const fixed = headerLines(genomeBuild, values);
  const heading = ['#CHROM', 'POS', 'ID', 'REF', 'ALT', 'QUAL', 'FILTER', 'INFO', 'FORMAT'].join('\t');
  const line = `concat_ws(chr(9), chromosome, CAST(position AS VARCHAR), coalesce(id, '.'), reference, alternate,
    coalesce(quality, '.'), coalesce(filter, '.'), '.', ${literal(['GT', ...values.map(([key]) => key)].join(':'))}, sample)`;
  return `WITH calls AS (
  SELECT v.chromosome, v.position, upper(v.reference) AS reference, upper(v.alternate) AS alternate,
    max(CASE WHEN regexp_full_match(v.rs_id, 'rs[0-9]+') THEN v.rs_id END) AS id,
    ${quality} AS quality, ${filter} AS filter, ${sample} AS sample
  FROM variant AS v ${join}
  WHERE v.sample_id = ${literal(sampleId)} AND v.variant_set_id = ${literal(setId)} AND v.position > 0
    AND regexp_full_match(v.chromosome, ${literal(contigPattern)})
    AND regexp_full_match(v.reference, ${literal(allelePattern)}) AND regexp_full_match(v.alternate, ${literal(allelePattern)})
  GROUP BY v.chromosome, v.position, upper(v.reference), upper(v.alternate)
), numbered AS (
  SELECT *, CASE WHEN regexp_full_match(chromosome, 'chr[0-9]{1,2}') THEN CAST(right(chromosome, length(chromosome) - 3) AS INTEGER)
    WHEN chromosome = 'chrX' THEN 100 WHEN chromosome = 'chrY' THEN 101 WHEN chromosome = 'chrM' THEN 102 ELSE 103 END AS place
  FROM calls
), lines AS (
  ${fixed.map((text, at) => `SELECT 0 AS part, ${at} AS place, '' AS name, 0 AS position, ${literal(text)} AS line`).join(' UNION ALL ')}
  UNION ALL SELECT DISTINCT 1, 0, f, 0, '##FILTER=<ID=' || f || ',Description="As in the ingested file">'
    FROM (SELECT unnest(string_split(filter, ';')) AS f FROM calls) WHERE f NOT IN ('PASS', '.', '', '0')
  UNION ALL SELECT DISTINCT 2, place, chromosome, 0, '##contig=<ID=' || chromosome || '>'
    FROM numbered WHERE ${genomeBuild === null ? 'true' : `chromosome NOT IN (${nuclearChromosomes.map((name) => literal(name)).join(', ')})`}
  UNION ALL SELECT 3, 0, '', 0, ${literal(`${heading}\t${sampleId.replace(/[\t\r\n]+/g, ' ')}`)}
  UNION ALL SELECT 4, place, chromosome, position, ${line} FROM numbered
)
SELECT line FROM lines ORDER BY part, place, name, position, line`;
}

function headerLines(build: string | null, values: typeof evidence): string[] {
  const known = nuclearChromosomes.map((name, at) => {
    const length = chromosomeLengths[build as GenomeBuild]?.[at];
    return `##contig=<ID=${name},length=${length},assembly=${build}>`;
  });
  return [
    '##fileformat=VCFv4.2',
    `##source=Ploidy ${version}`,
    ...(build === null ? [] : [`##reference=${build}`]),
    '##FILTER=<ID=PASS,Description="All filters passed">',
    '##FORMAT=<ID=GT,Number=1,Type=String,Description="Genotype">',
    ...values.map(([key, , declaration]) => `##FORMAT=<ID=${key},${declaration}>`),
    ...(build === null ? [] : known),
  ];
}
