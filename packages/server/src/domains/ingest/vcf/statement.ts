import { type AnnotationLayout, type Column, engineTypes } from '@ploidy/formats';
import { alternates } from './alternates-sql.ts';
import { genes } from './annotations-sql.ts';
import { columnsOf } from './catalogue.ts';
import { type Columns, prepared, variantColumns } from './columns-sql.ts';
import { groupOfClass } from './effects-sql.ts';
import { carriedRecords, type SampleShape } from './genotypes-sql.ts';
import { type InfoFields, withInfo } from './info-sql.ts';
import { records } from './records-sql.ts';
import { adding, literal, literals } from './sql-text.ts';

export interface StatementInput {
  /** Relation with the one column `line`. */
  lines: string;
  setId: string;
  sampleCount: number;
  /** The samples' names in the lake; for a sites-only file one, or none when nobody named it. */
  sampleIds: readonly string[];
  info: InfoFields;
  layout: AnnotationLayout | undefined;
  passOnly: boolean;
}

/** The rows of `variant`, its columns in order, sorted by chromosome and position. */
export function variantRows(input: StatementInput): string {
  const { info, layout, sampleCount } = input;
  const shape: SampleShape = sampleCount === 0 ? 'none' : sampleCount === 1 ? 'one' : 'many';
  const carried = carriedRecords(records(input), shape);
  const withIds = adding(carried, [['ids', 'fields[3]']]);
  const perAlternate = alternates(withInfo(withIds, info, layout?.key), shape);
  const annotations = layout && info.columns.get(layout.key);
  const perGene = layout && annotations ? genes(perAlternate, layout, annotations) : perAlternate;
  const used = layout && annotations ? layout : undefined;
  const columns = variantColumns(info, used);
  const named = adding(prepared(perGene, info, used), [
    ['allele_hash', `md5_number_lower(concat_ws(' ', chromosome, position, reference, alternate))`],
  ]);
  const narrow = `SELECT ${narrowColumns(columns, shape).join(', ')} FROM (${named})`;
  const unfolded =
    shape === 'many' ? `SELECT * EXCLUDE (carriers), unnest(carriers) AS carrier FROM (${narrow})` : narrow;
  const flat =
    shape === 'many'
      ? `SELECT * EXCLUDE (carrier), carrier.s AS sample, carrier.g AS genotype FROM (${unfolded})`
      : narrow;
  // What is the same everywhere or follows from other columns is added after the sort: it carries a fraction of the bytes.
  const sorted = `SELECT * FROM (${flat}) ORDER BY chromosome, position`;
  return `SELECT ${columnsOf('variant')
    .map((column) => finalColumn(column, input, columns, shape))
    .join(', ')} FROM (${sorted})`;
}

function narrowColumns(columns: Columns, shape: SampleShape): string[] {
  const computed = [...columns].map(([name, sql]) => `${sql} AS ${name}`);
  const carriers = { none: [], one: ['genotype'], many: ['carriers'] }[shape];
  return ['chromosome', 'position', 'reference', 'alternate', 'allele_hash', ...computed, ...carriers];
}

function finalColumn(column: Column, input: StatementInput, columns: Columns, shape: SampleShape): string {
  const sql =
    derivedColumn(column.name, input, columns, shape) ?? (columns.has(column.name) ? column.name : 'NULL');
  return `CAST(${sql} AS ${engineTypes[column.type]}) AS ${column.name}`;
}

function derivedColumn(
  name: string,
  input: StatementInput,
  columns: Columns,
  shape: SampleShape,
): string | undefined {
  switch (name) {
    case 'variant_id': {
      const gene = columns.has('gene') ? `, gene` : '';
      return `concat(${literal(`${input.setId}:`)}, lower(hex(allele_hash)), ':'${gene})`;
    }
    case 'variant_set_id':
      return literal(input.setId);
    case 'sample_id':
      return shape === 'many' ? `[${literals(input.sampleIds)}][sample]` : literal(input.sampleIds[0]);
    case 'genotype':
      return shape === 'none' ? 'NULL' : 'genotype';
    case 'ebcanon_group':
      return columns.has('ebcanon_class') ? groupOfClass('ebcanon_class') : undefined;
    case 'chromosome':
    case 'position':
    case 'reference':
    case 'alternate':
      return name;
    default:
      return undefined;
  }
}
