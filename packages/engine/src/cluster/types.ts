import { quoted, refuse, required, type TypeNode, textOf, type ValueNode } from './syntax.ts';

const names: ReadonlyMap<string, string> = new Map([
  ['VARCHAR', 'VARCHAR'],
  ['BIGINT', 'BIGINT'],
  ['INTEGER', 'INTEGER'],
  ['SMALLINT', 'SMALLINT'],
  ['TINYINT', 'TINYINT'],
  ['DOUBLE', 'DOUBLE'],
  ['FLOAT', 'REAL'],
  ['BOOLEAN', 'BOOLEAN'],
  ['DATE', 'DATE'],
  ['TIMESTAMP', 'TIMESTAMP(6)'],
]);

/** Returns Trino's name of a type. */
export function typeName(type: TypeNode): string {
  const info = type.type_info;
  if (info?.alias) return typeName({ id: info.alias });
  switch (type.id) {
    case 'DECIMAL':
      return `DECIMAL(${info?.width ?? 18}, ${info?.scale ?? 3})`;
    case 'LIST':
      return `ARRAY(${typeName(required(info?.child_type))})`;
    case 'UNBOUND':
      return nameOf(type.name ?? '');
    default:
      return nameOf(type.id);
  }
}

const nameOf = (name: string): string => names.get(name.toUpperCase()) ?? refuse(`the type ${name}`);

/** Returns a literal. */
export function literalOf({ type, is_null, value }: ValueNode): string {
  if (is_null) return 'NULL';
  switch (type.id) {
    case 'VARCHAR':
      return textOf(String(value));
    case 'INTEGER':
    case 'BIGINT':
      return digitsOf(value);
    case 'DECIMAL':
      return decimalOf(digitsOf(value), type.type_info?.scale ?? 0);
    case 'BOOLEAN':
      return String(value);
    default:
      return refuse(`a literal of type ${type.id}`);
  }
}

/** Returns the digits of a whole number as the tree writes them. */
const digitsOf = (value: unknown): string => JSON.stringify(value).replaceAll('"', '');

function decimalOf(unscaled: string, scale: number): string {
  const sign = unscaled.startsWith('-') ? '-' : '';
  const digits = unscaled.replace('-', '').padStart(scale + 1, '0');
  const point = digits.length - scale;
  return `${sign}${digits.slice(0, point)}${scale > 0 ? `.${digits.slice(point)}` : ''}`;
}

const dateShape = /^\d{4}-\d\d-\d\d$/;
const timestampShape = /^\d{4}-\d\d-\d\d( \d\d:\d\d(:\d\d(\.\d+)?)?)?$/;

/** Returns a date or timestamp that is written as text, as a literal; nothing for other casts. */
export function datedLiteral(type: TypeNode, value: ValueNode | undefined): string | undefined {
  if (value?.type.id !== 'VARCHAR' || value.is_null) return undefined;
  const written = String(value.value);
  if (type.id === 'DATE' && dateShape.test(written)) return `DATE ${textOf(written)}`;
  if (type.id === 'TIMESTAMP' && timestampShape.test(written)) return `TIMESTAMP ${textOf(written)}`;
  return undefined;
}

/** Column of a result, `name` quoted. */
export const aliased = (expression: string, name: string | undefined): string =>
  name ? `${expression} AS ${quoted(name)}` : expression;
