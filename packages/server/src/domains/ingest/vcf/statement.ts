import { type AnnotationLayout, type Column, engineTypes } from '@ploidy/formats';
import { alternates } from './alternates-sql.ts';
import { genes } from './annotations-sql.ts';
import { columnsOf } from './catalogue.ts';
import { type Columns, variantColumns } from './columns-sql.ts';
import type { GenotypeShape } from './genotypes-sql.ts';
import { type InfoFields, withInfo } from './info-sql.ts';
import { records } from './records-sql.ts';
import { literal, literals } from './sql-text.ts';

export interface StatementInput {
  /** Relation with the one column `line`. */
  lines: string;
  setId: string;
  sampleCount: number;
  /** The samples' names in the lake; one for a sites-only file, undefined when nobody named it. */
  sampleIds: (string | undefined)[];
  info: InfoFields;
  layout: AnnotationLayout | undefined;
  passOnly: boolean;
}

/** The rows of `variant`, its columns in order, sorted. */
export function variantRows(input: StatementInput): string {
  const genotypes: GenotypeShape =
    input.sampleCount === 0 ? 'none' : input.sampleCount === 1 ? 'one' : 'many';
  const columns = variantColumns(input.info, input.layout);
  const rows = genes(
    alternates(withInfo(records({ ...input, genotypes }), input.info), genotypes),
    input.layout,
    input.layout && input.info.columns.get(input.layout.key),
  );
  // Sorted before the samples are unfolded, and without the columns that are the same everywhere: a fraction of the bytes.
  const sorted = `SELECT ${sortedColumns(columns, genotypes)} FROM (${rows}) ORDER BY chromosome, position, reference, alternate`;
  const named = `SELECT *, ${variantId(input.setId, columns)} AS variant_id FROM (${sorted})`;
  const unfolded =
    genotypes === 'many' ? `SELECT * EXCLUDE (carriers), unnest(carriers) AS carrier FROM (${named})` : named;
  return `SELECT ${columnsOf('variant')
    .map((column) => finalColumn(column, input, columns, genotypes))
    .join(', ')} FROM (${unfolded})`;
}

function sortedColumns(columns: Columns, genotypes: GenotypeShape): string {
  const computed = [...columns].map(([name, sql]) => `${sql} AS ${name}`);
  const hash = `left(md5(concat_ws(' ', chromosome, position, reference, alternate)), 16) AS allele_hash`;
  const carriers = { none: [], one: ['genotype'], many: ['carriers'] }[genotypes];
  return ['chromosome', 'position', 'reference', 'alternate', hash, ...computed, ...carriers].join(', ');
}

function variantId(setId: string, columns: Columns): string {
  const gene = columns.has('gene') ? `, coalesce(gene, '')` : '';
  return `concat(${literal(`${setId}:`)}, allele_hash, ':'${gene})`;
}

function finalColumn(
  column: Column,
  input: StatementInput,
  columns: Columns,
  genotypes: GenotypeShape,
): string {
  const sql = fixedColumn(column.name, input, genotypes) ?? (columns.has(column.name) ? column.name : 'NULL');
  return `CAST(${sql} AS ${engineTypes[column.type]}) AS ${column.name}`;
}

function fixedColumn(name: string, input: StatementInput, genotypes: GenotypeShape): string | undefined {
  switch (name) {
    case 'variant_id':
    case 'chromosome':
    case 'position':
    case 'reference':
    case 'alternate':
      return name;
    case 'variant_set_id':
      return literal(input.setId);
    case 'sample_id':
      return genotypes === 'many'
        ? `[${literals(input.sampleIds.map((id) => id ?? ''))}][carrier.s]`
        : literal(input.sampleIds[0]);
    case 'genotype':
      return { none: 'NULL', one: 'genotype', many: 'carrier.g' }[genotypes];
    default:
      return undefined;
  }
}
