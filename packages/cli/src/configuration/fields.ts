import { CommandError, exitCodes } from '../exit.ts';

/** Item of a configuration, or of the service, by the names of the API. */
export interface Fields {
  name: string;
  [field: string]: unknown;
}

type TypeName<T> = T extends string
  ? 'string'
  : T extends number
    ? 'number'
    : T extends boolean
      ? 'boolean'
      : T extends readonly unknown[]
        ? 'list'
        : 'object';
type FieldType<T> = null extends T ? `${TypeName<NonNullable<T>>} or null` : TypeName<NonNullable<T>>;
type AnyFieldType =
  | FieldType<string | number | boolean | unknown[] | object>
  | FieldType<string | object | null>;
type RequiredKeys<B> = { [K in keyof B]-?: object extends Pick<B, K> ? never : K }[keyof B];

/** Types of all fields of a request body; the compiler compares them with the API document. */
export interface BodyFields<B> {
  required: { [K in RequiredKeys<B>]: FieldType<B[K]> };
  optional: { [K in Exclude<keyof B, RequiredKeys<B>>]-?: FieldType<B[K]> };
}

/** Returns an item as a body that changes something. Refuses unknown fields and fields of another type. */
export function changeOf<B extends object>(section: string, fields: BodyFields<B>, item: Fields): Partial<B> {
  requireTypes(section, fields, item);
  return item;
}

/** Returns an item as a body that creates something: no required field may be missing. */
export function creationOf<B extends object>(section: string, fields: BodyFields<B>, item: Fields): B {
  requireTypes(section, fields, item);
  requireAll(section, fields, item);
  return item;
}

/** Values inside lists and objects, and the words of a choice, are left to the service. */
function requireTypes<B extends object>(
  section: string,
  { required, optional }: BodyFields<B>,
  item: Fields,
): asserts item is Fields & Partial<B> {
  const types: Record<string, AnyFieldType> = { ...required, ...optional };
  for (const [field, value] of Object.entries(item)) {
    const type = Object.hasOwn(types, field) ? types[field] : undefined;
    if (type === undefined) {
      const known = Object.keys(types).join(', ');
      throw refused(section, item, `there is no field "${field}"; there are ${known}.`);
    }
    if (!isOfType(value, type)) throw refused(section, item, `"${field}" should be ${article(type)}.`);
  }
}

function requireAll<B extends object>(
  section: string,
  { required }: BodyFields<B>,
  item: Fields & Partial<B>,
): asserts item is Fields & B {
  const missing = Object.keys(required).find((field) => !Object.hasOwn(item, field));
  if (missing !== undefined) throw refused(section, item, `"${missing}" is missing.`);
}

function isOfType(value: unknown, type: string): boolean {
  if (value === null) return type.endsWith(' or null');
  const [wanted] = type.split(' ');
  return wanted === (Array.isArray(value) ? 'list' : typeof value);
}

const article = (type: string): string => `${type.startsWith('object') ? 'an' : 'a'} ${type}`;

function refused(section: string, { name }: Fields, reason: string): CommandError {
  return new CommandError(`${section}, "${name}": ${reason}`, exitCodes.usage);
}
