import { type Column, type Table, tables } from '@ploidy/formats/tables';

/** Attribute that a column of the lake is: an attribute of every study. */
export interface ColumnAttribute {
  /** Such as `patient.gender` and `condition.code`. */
  id: string;
  level: 'patient' | 'sample';
  name: string;
  type: 'string' | 'number' | 'boolean';
  unit?: string;
  table: string;
  /** SQL of the value in a row of the table, as text, or as a double for numbers. */
  value: string;
  /** SQL of words for the value. */
  label?: string;
  /** True if the value depends on the clock. */
  asksClock?: true;
  priority: number;
  /** Mask of the column: `null` shows a masked reader nothing. */
  mask: Column['mask'];
}

/** Priorities of the first charts; others have 1. */
const priorities: Readonly<Record<string, number>> = {
  'condition.code': 3000,
  'condition.stage': 1000,
  'medication.code': 75,
  'sample.test_type': 60,
  'patient.gender': 9,
  'patient.age': 9,
  'patient.race': 8,
  'patient.ethnicity': 8,
};

/** Describes age in full years, at death or today, and the year of birth. */
function agesOf(table: Table | undefined): ColumnAttribute[] {
  if (!table) return [];
  const common = { level: 'patient', type: 'number', table: table.name, mask: 'year' } as const;
  const end = 'coalesce("deceased_date", CAST(current_date AS DATE))';
  return [
    {
      ...{
        ...common,
        id: 'patient.age',
        name: 'Age',
        unit: 'years',
        asksClock: true,
        priority: priorityOf('patient.age'),
      },
      value: `CAST(date_sub('year', "birth_date", ${end}) AS DOUBLE)`,
    },
    {
      ...{ ...common, id: 'patient.birth_year', name: 'Year of birth', priority: 1 },
      value: 'CAST(year("birth_date") AS DOUBLE)',
    },
  ];
}

function attributesOf(table: Table): ColumnAttribute[] {
  const { name } = table;
  if (table.area !== 'clinical') return [];
  if (name === 'demographic')
    return table.columns.filter(isCategory).map((column) => attributeOf(table, column, 'patient'));
  if (name === 'sequence')
    return table.columns.filter(isCategory).map((column) => attributeOf(table, column, 'sample'));
  return table.columns
    .filter((column) => table.codings[column.name] !== undefined)
    .map((column) => attributeOf(table, column, name));
}

/** Reports whether a column has few values: no id, date, document or free text. */
const isCategory = ({ name, type, mask }: Column): boolean =>
  (type === 'string' || type === 'boolean') && mask !== 'hash' && name !== 'data';

function attributeOf(table: Table, column: Column, prefix: string): ColumnAttribute {
  const id = `${prefix}.${column.name}`;
  const label = labelOf(table, column);
  return {
    id,
    level: prefix === 'sample' ? 'sample' : 'patient',
    name: nameOf(prefix === 'patient' || prefix === 'sample' ? '' : prefix, column.name),
    type: column.type === 'boolean' ? 'boolean' : 'string',
    table: table.name,
    value: `CAST("${column.name}" AS VARCHAR)`,
    ...(label !== undefined && { label: `"${label}"` }),
    priority: priorityOf(id),
    mask: column.mask,
  };
}

const priorityOf = (id: string): number => priorities[id] ?? 1;

/** Returns the column with the words of a code. */
function labelOf({ columns }: Table, { name }: Column): string | undefined {
  const wanted = name === 'code' ? 'display' : name.replace(/_code$/, '_display');
  return wanted !== name && columns.some((column) => column.name === wanted) ? wanted : undefined;
}

/** Returns words for people: `Condition: body site`, `Marital status`. */
function nameOf(table: string, column: string): string {
  const words = column
    .replace(/_code$/, '')
    .replace(/^is_/, '')
    .replaceAll('_', ' ');
  const text = table === '' ? words : `${table}${words === 'code' ? '' : `: ${words}`}`;
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}

/** Attributes by id: demographics, the concepts of clinical tables, and the kind of a sample. */
export const columnAttributes: ReadonlyMap<string, ColumnAttribute> = new Map(
  [...agesOf(tables.get('demographic')), ...[...tables.values()].flatMap(attributesOf)].map((one) => [
    one.id,
    one,
  ]),
);
