import { literal } from '@ploidy/engine';
import { aminoAcids } from '@ploidy/formats/amino-acids';
import { fileOf, lineOf } from './study-lines.ts';

/** Variant_Classification by the term of an effect; frameshifts and changes in frame are also named by their alleles. */
const classifications: Readonly<Record<string, readonly string[]>> = {
  Missense_Mutation: ['missense_variant', 'rare_amino_acid_variant', 'coding_sequence_variant'],
  Nonsense_Mutation: ['stop_gained', 'transcript_ablation', 'exon_loss_variant'],
  Nonstop_Mutation: ['stop_lost'],
  Translation_Start_Site: ['start_lost', 'initiator_codon_variant'],
  Splice_Site: ['splice_site_variant', 'splice_acceptor_variant', 'splice_donor_variant'],
  Splice_Region: [
    'splice_region_variant',
    'exonic_splice_region_variant',
    'splice_donor_region_variant',
    'splice_donor_5th_base_variant',
  ],
  Silent: ['synonymous_variant', 'stop_retained_variant', 'start_retained_variant'],
  Intron: ['intron_variant', 'splice_polypyrimidine_tract_variant', 'intronic_splice_region_variant'],
  "3'UTR": ['3_prime_UTR_variant'],
  "5'UTR": ['5_prime_UTR_variant', '5_prime_UTR_premature_start_codon_gain_variant'],
  "3'Flank": ['downstream_gene_variant'],
  "5'Flank": ['upstream_gene_variant'],
  IGR: ['intergenic_variant', 'intergenic_region'],
};

const listOf = (texts: readonly string[]): string => texts.map((text) => literal(text)).join(', ');

const classification = `CASE ${Object.entries(classifications)
  .map(([name, terms]) => `WHEN ebcanon_class IN (${listOf(terms)}) THEN ${literal(name)}`)
  .join(' ')}
  WHEN ebcanon_class LIKE 'frameshift%' THEN 'Frame_Shift_' || kind
  WHEN ebcanon_class LIKE '%inframe%' OR ebcanon_class = 'protein_altering_variant' THEN 'In_Frame_' || kind ELSE 'RNA' END`;

/** Chromosome without `chr`. */
const portalChromosome = (column: string): string =>
  `regexp_replace(regexp_replace(${column}, '^chr', ''), '^M$', 'MT')`;

/** Change of the protein in letters: `p.Val600Glu` → `p.V600E`. */
const shortChange = Object.entries(aminoAcids)
  .filter(([letter]) => letter !== 'X')
  .reduce((sql, [letter, name]) => `replace(${sql}, '${name}', '${letter}')`, 'amino_acid_change');

const mutationColumns = {
  Hugo_Symbol: "coalesce(gene, 'Unknown')",
  NCBI_Build: 'build',
  Chromosome: portalChromosome('chromosome'),
  Start_Position: 'first_base',
  End_Position: 'last_base',
  Strand: "'+'",
  Consequence: 'ebcanon_class',
  Variant_Classification: classification,
  Reference_Allele: 'own_reference',
  Tumor_Seq_Allele1:
    "CASE WHEN genotype IN ('1/1', '1|1', '1') THEN own_alternate WHEN genotype IS NOT NULL THEN own_reference END",
  Tumor_Seq_Allele2: 'own_alternate',
  dbSNP_RS: 'rs_id',
  Tumor_Sample_Barcode: 'sample_id',
  Mutation_Status: 'mutation_status',
  t_ref_count: 'reference_depth',
  t_alt_count: 'alternate_depth',
  HGVSp_Short: shortChange,
  Transcript_ID: 'transcript_id',
  cbp_driver:
    "CASE driver WHEN 'driver' THEN 'Putative_Driver' WHEN 'passenger' THEN 'Putative_Passenger' END",
  cbp_driver_annotation: "''",
} as const;

/** Mutations of genes with a known effect. Deletions and insertions have no base before them, as in a MAF. */
export function mutationLines(
  tables: ReadonlySet<string>,
  samples: string,
  genomeBuild: string | null,
): string {
  const calls = tables.has('variant_call');
  const drivers = tables.has('alteration');
  const selected = `SELECT v.*, ${calls ? 'c.reference_depth, c.alternate_depth' : 'NULL AS reference_depth, NULL AS alternate_depth'},
    ${drivers ? 'a.driver' : 'NULL AS driver'}, ${literal(genomeBuild === 'GRCh38' ? 'GRCh38' : 'GRCh37')} AS build,
    CASE WHEN length(v.alternate) > length(v.reference) THEN 'Ins' ELSE 'Del' END AS kind,
    length(v.reference) > length(v.alternate) AND starts_with(v.reference, v.alternate) AS is_deletion,
    length(v.alternate) > length(v.reference) AND starts_with(v.alternate, v.reference) AS is_insertion
    FROM variant AS v JOIN ${samples} AS s ON s.sample_id = v.sample_id
    ${calls ? 'LEFT JOIN (SELECT variant_id, sample_id, max(reference_depth) AS reference_depth, max(alternate_depth) AS alternate_depth FROM variant_call GROUP BY variant_id, sample_id) AS c ON c.variant_id = v.variant_id AND c.sample_id = v.sample_id' : ''}
    ${drivers ? 'LEFT JOIN (SELECT sample_id, gene, chromosome, position, reference, alternate, max(driver) AS driver FROM alteration GROUP BY ALL) AS a ON a.sample_id = v.sample_id AND a.gene = v.gene AND a.chromosome = v.chromosome AND a.position = v.position AND a.reference = v.reference AND a.alternate = v.alternate' : ''}
    WHERE v.gene IS NOT NULL AND v.ebcanon_class IS NOT NULL AND v.position > 0`;
  const placed = `SELECT *,
    CASE WHEN is_deletion THEN substr(reference, length(alternate) + 1) WHEN is_insertion THEN '-' ELSE reference END AS own_reference,
    CASE WHEN is_deletion THEN '-' WHEN is_insertion THEN substr(alternate, length(reference) + 1) ELSE alternate END AS own_alternate,
    CASE WHEN is_deletion THEN position + length(alternate) WHEN is_insertion THEN position + length(reference) - 1 ELSE position END AS first_base,
    CASE WHEN is_insertion THEN position + length(reference) ELSE position + length(reference) - 1 END AS last_base FROM (${selected})`;
  return fileOf(
    [Object.keys(mutationColumns).join('\t')],
    `SELECT sample_id || lpad(CAST(position AS VARCHAR), 12, '0') AS place, ${lineOf(Object.values(mutationColumns))} AS line FROM (${placed})`,
  );
}

/** Level of a copy number: as the source wrote it, else by its status. */
const level = `coalesce(json_extract_string(attributes, '$.level'),
  CASE status WHEN 'loss' THEN '-2' WHEN 'partialLoss' THEN '-1' WHEN 'neutral' THEN '0' WHEN 'gain' THEN '1' WHEN 'amplification' THEN '2' END)`;

/** Levels of genes; of several segments of a gene the strongest counts. */
export function copyNumberLines(samples: string): string {
  return fileOf(
    [['Hugo_Symbol', 'Sample_Id', 'Value'].join('\t')],
    `SELECT gene AS place, ${lineOf(['gene', 'sample_id', 'value'])} AS line FROM (
      SELECT gene, sample_id, max_by(level, abs(CAST(level AS DOUBLE))) AS value FROM (
        SELECT c.gene, c.sample_id, ${level} AS level FROM copynumber AS c JOIN ${samples} AS s ON s.sample_id = c.sample_id
        WHERE c.gene IS NOT NULL AND c.status IS NOT NULL) GROUP BY gene, sample_id)`,
  );
}

export function segmentLines(samples: string): string {
  const mean = `coalesce(json_extract_string(attributes, '$."seg.mean"'), CAST(round(log2(copy_number / 2), 4) AS VARCHAR))`;
  const marks = `coalesce(json_extract_string(attributes, '$."num.mark"'), '0')`;
  return fileOf(
    [['ID', 'chrom', 'loc.start', 'loc.end', 'num.mark', 'seg.mean'].join('\t')],
    `SELECT c.sample_id || lpad(CAST(start_position AS VARCHAR), 12, '0') AS place,
      ${lineOf(['c.sample_id', portalChromosome('chromosome'), 'start_position', 'end_position', marks, mean])} AS line
      FROM copynumber AS c JOIN ${samples} AS s ON s.sample_id = c.sample_id
      WHERE gene IS NULL AND copy_number > 0 AND start_position IS NOT NULL AND end_position IS NOT NULL`,
  );
}

export function fusionLines(samples: string, genomeBuild: string | null): string {
  const columns = {
    Sample_Id: 'f.sample_id',
    SV_Status: `coalesce(upper(json_extract_string(attributes, '$.SV_Status')), 'SOMATIC')`,
    Site1_Hugo_Symbol: 'gene1',
    Site1_Chromosome: portalChromosome('chromosome1'),
    Site1_Position: 'start_position1',
    Site2_Hugo_Symbol: 'gene2',
    Site2_Chromosome: portalChromosome('chromosome2'),
    Site2_Position: 'start_position2',
    Site2_Effect_On_Frame: "CASE in_frame WHEN 'yes' THEN 'In_frame' WHEN 'no' THEN 'Frameshift' END",
    NCBI_Build: literal(genomeBuild === 'GRCh38' ? 'GRCh38' : 'GRCh37'),
    Class: 'upper(effect)',
    DNA_Support: "CASE sequence_type WHEN 'DNA' THEN 'Yes' END",
    RNA_Support: "CASE sequence_type WHEN 'RNA' THEN 'Yes' END",
  };
  return fileOf(
    [Object.keys(columns).join('\t')],
    `SELECT f.sample_id AS place, ${lineOf(Object.values(columns))} AS line
      FROM fusion AS f JOIN ${samples} AS s ON s.sample_id = f.sample_id WHERE gene1 IS NOT NULL OR gene2 IS NOT NULL`,
  );
}

/** Genes × samples of expression, or of the z-scores that were ingested. */
export function expressionLines(samples: string, areScores: boolean): string {
  const chosen = `(SELECT coalesce(g.gene_name, g.gene_id) AS gene, g.sample_id, max(g.expression) AS expression FROM gene AS g
    JOIN ${samples} AS s ON s.sample_id = g.sample_id WHERE (g.expression_unit = 'z-score') IS ${areScores ? '' : 'NOT '}TRUE
    AND coalesce(g.gene_name, g.gene_id) IS NOT NULL GROUP BY ALL)`;
  const all = `(SELECT genes.gene, of.sample_id FROM (SELECT DISTINCT gene FROM ${chosen}) AS genes CROSS JOIN (SELECT DISTINCT sample_id FROM ${chosen}) AS of)`;
  return fileOf(
    [],
    `SELECT '' AS place, 'Hugo_Symbol' || chr(9) || string_agg(sample_id, chr(9) ORDER BY sample_id) AS line FROM (SELECT DISTINCT sample_id FROM ${chosen}) HAVING count(*) > 0
      UNION ALL SELECT gene, gene || chr(9) || string_agg(coalesce(CAST(expression AS VARCHAR), 'NA'), chr(9) ORDER BY sample_id)
      FROM ${all} AS a LEFT JOIN ${chosen} AS c USING (gene, sample_id) GROUP BY gene`,
  );
}
