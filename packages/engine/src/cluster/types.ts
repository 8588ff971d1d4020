import { quoted, refuse, required, type TypeNode, textOf, type ValueNode } from './syntax.ts';

/** Expression in Trino's SQL, with its type in the local engine. */
export interface Typed {
  text: string;
  type: string;
}

/** Trino's names of types by those of the local engine. Sums of whole numbers fail in Trino where BIGINT ends. */
const names: ReadonlyMap<string, string> = new Map([
  ['VARCHAR', 'VARCHAR'],
  ['HUGEINT', 'BIGINT'],
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
export function trinoType(type: string): string {
  if (type.endsWith('[]')) return `ARRAY(${trinoType(type.slice(0, -2))})`;
  if (type.startsWith('DECIMAL(')) return type;
  return names.get(type) ?? refuse(`the type ${type}`);
}

/** Returns the name of a type in the syntax tree as the local engine writes it. */
export function typeName(type: TypeNode): string {
  const info = type.type_info;
  if (info?.alias) return typeName({ id: info.alias });
  switch (type.id) {
    case 'DECIMAL':
      return `DECIMAL(${info?.width ?? 18},${info?.scale ?? 3})`;
    case 'LIST':
      return `${typeName(required(info?.child_type))}[]`;
    case 'UNBOUND':
      return knownName(type.name ?? '');
    default:
      return knownName(type.id);
  }
}

function knownName(name: string): string {
  const known = name.toUpperCase();
  return names.has(known) ? known : refuse(`the type ${name}`);
}

/** Returns a literal. */
export function literalOf({ type, is_null, value }: ValueNode): Typed {
  if (is_null) return { text: 'NULL', type: 'NULL' };
  switch (type.id) {
    case 'VARCHAR':
      return { text: textOf(String(value)), type: 'VARCHAR' };
    case 'INTEGER':
    case 'BIGINT':
      return { text: digitsOf(value), type: type.id };
    case 'DECIMAL':
      return decimalLiteral(digitsOf(value), type);
    case 'BOOLEAN':
      return { text: String(value), type: 'BOOLEAN' };
    default:
      return refuse(`a literal of type ${type.id}`);
  }
}

/** Returns the digits of a whole number as the tree writes them. */
const digitsOf = (value: unknown): string => JSON.stringify(value).replaceAll('"', '');

/** Prints its type as well: Trino counts no zeros at the front. */
function decimalLiteral(unscaled: string, node: TypeNode): Typed {
  const type = typeName(node);
  const { scale } = partsOfDecimal(type);
  const sign = unscaled.startsWith('-') ? '-' : '';
  const digits = unscaled.replace('-', '').padStart(scale + 1, '0');
  const point = digits.length - scale;
  const text = `${sign}${digits.slice(0, point)}${scale > 0 ? `.${digits.slice(point)}` : ''}`;
  return { text: `CAST(${text} AS ${type})`, type };
}

/** Returns the digits of a decimal type, and those behind the point. */
export function partsOfDecimal(type: string): { width: number; scale: number } {
  const [, width, scale] = /^DECIMAL\((\d+),\s*(\d+)\)$/.exec(type) ?? [];
  return scale === undefined ? refuse(`the type ${type}`) : { width: Number(width), scale: Number(scale) };
}

const dateShape = /^\d{4}-\d\d-\d\d$/;
const timestampShape = /^\d{4}-\d\d-\d\d( \d\d:\d\d(:\d\d(\.\d{1,6})?)?)?$/;
const doubleShape = /^-?\d+(?:\.\d+)?(?:e[-+]?\d+)?$/i;

/** Returns a constant that is written as text, as a literal of a type; nothing for other texts. */
export function writtenLiteral(type: string, value: ValueNode | undefined): string | undefined {
  if (value?.type.id !== 'VARCHAR' || value.is_null) return undefined;
  const written = String(value.value);
  if (type === 'DATE' && dateShape.test(written)) return `DATE ${textOf(written)}`;
  if (type === 'TIMESTAMP' && timestampShape.test(written)) return `TIMESTAMP ${textOf(written)}`;
  if (type === 'DOUBLE' && doubleShape.test(written)) return `DOUBLE ${textOf(written)}`;
  return undefined;
}

/** Column of a result, `name` quoted. */
export const aliased = (expression: string, name: string | undefined): string =>
  name ? `${expression} AS ${quoted(name)}` : expression;
