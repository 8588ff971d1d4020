import { type Column, holdsSql, keyColumns, type Table, tables } from '@ploidy/formats/tables';
import type { KnownCollections } from '../analytics/index.ts';

/** Attribute that a column of the lake is: an attribute of every study. */
export interface ColumnAttribute {
  /** Such as `patient.gender` and `condition.code`. */
  id: string;
  level: 'patient' | 'sample';
  name: string;
  type: 'string' | 'number' | 'boolean';
  unit?: string;
  table: string;
  /** SQL of the ids of its patients or samples. A table of both has rows of either. */
  owners: readonly Owner[];
  /** True for a column of a table that the project defines itself. */
  isOwn?: true;
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

interface Owner {
  level: 'patient' | 'sample';
  id: string;
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

const ofPatient: Owner = { level: 'patient', id: 'patient_id' };

/** Describes age in full years, at death or today, and the year of birth. */
function agesOf(table: Table | undefined): ColumnAttribute[] {
  if (!table) return [];
  const owners = [ofPatient];
  const common = { level: 'patient', type: 'number', table: table.name, mask: 'year', owners } as const;
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
  const text = `CAST("${column.name}" AS VARCHAR)`;
  const isStatus = /(?:^|_)status(?:_reason)?$/.test(column.name);
  return {
    id,
    level: prefix === 'sample' ? 'sample' : 'patient',
    name: nameOf(prefix === 'patient' || prefix === 'sample' ? '' : prefix, column.name),
    type: column.type === 'boolean' ? 'boolean' : 'string',
    table: table.name,
    owners: [prefix === 'sample' ? { level: 'sample', id: 'id' } : ofPatient],
    // A diagnosis that was ruled out is no value; the status itself is.
    value: isStatus ? text : `CASE WHEN ${holdsSql(table)} THEN ${text} END`,
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

/** Columns of own tables that are attributes; each has a share of every project's list. */
const ownMax = 300;

/** Describes the columns of tables that a project defines itself: numbers, categories and texts of patients or samples. */
function ownAttributes(known: KnownCollections): ColumnAttribute[] {
  const own = [...known.all.values()].filter(({ table }) => table.area === 'own');
  return own
    .flatMap(({ table }) => table.columns.flatMap((column) => ownAttribute(table, column) ?? []))
    .slice(0, ownMax);
}

function ownAttribute({ name: table, columns }: Table, column: Column): ColumnAttribute | undefined {
  const { name, type, mask } = column;
  if (keyColumns.some((key) => key === name) || mask === 'hash' || type === 'date') return undefined;
  const has = (key: string): boolean => columns.some((one) => one.name === key);
  const isOfSample = has('sample_id');
  const isNumber = type === 'int' || type === 'float';
  // A row with a sample is about the sample.
  const patient = isOfSample ? 'CASE WHEN sample_id IS NULL THEN patient_id END' : 'patient_id';
  return {
    id: `own.${table}.${name}`,
    level: isOfSample ? 'sample' : 'patient',
    name: nameOf(table.replaceAll('_', ' '), name),
    type: isNumber ? 'number' : type === 'boolean' ? 'boolean' : 'string',
    ...{ table, mask, priority: 1, isOwn: true },
    owners: [
      ...(isOfSample ? [{ level: 'sample', id: 'sample_id' } as const] : []),
      ...(has('patient_id') ? [{ level: 'patient', id: patient } as const] : []),
    ],
    value: `CAST("${name}" AS ${isNumber ? 'DOUBLE' : 'VARCHAR'})`,
  };
}

/** Attributes by id: demographics, the concepts of clinical tables, and the kind of a sample. */
const columnAttributes: ReadonlyMap<string, ColumnAttribute> = new Map(
  [...agesOf(tables.get('demographic')), ...[...tables.values()].flatMap(attributesOf)].map((one) => [
    one.id,
    one,
  ]),
);

/** Returns the attributes that columns are, by id, with those of a project's own tables. */
export function attributesIn(known: KnownCollections): ReadonlyMap<string, ColumnAttribute> {
  const own = ownAttributes(known);
  return own.length === 0
    ? columnAttributes
    : new Map([...columnAttributes, ...own.map((one) => [one.id, one] as const)]);
}
