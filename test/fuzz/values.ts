import type { Random } from '../../samples/generator/random.ts';
import type { Schema } from './document.ts';
import { objectExamples, patternExamples, textExamples } from './examples.ts';

/** Mutation rate: the probability that a value deviates from the document. */
export interface Mood {
  near: number;
  wild: number;
  /** The chance that a field which may be left out is there. */
  more: number;
}

/** Real ids for a field of this name, those that the world holds. */
export type IdsOf = (name: string) => readonly string[];

const deep = (open: string, close: string, depth: number): string => open.repeat(depth) + close.repeat(depth);

/** Source text of JSON values that are wrong nearly everywhere, or that parsers, stores and languages disagree about. */
export const wildJson: readonly string[] = [
  'null',
  'true',
  'false',
  '0',
  '-0',
  '-1',
  '1e308',
  '1e400',
  '-1e400',
  '1e-400',
  '0.1',
  '2147483648',
  '9007199254740993',
  '9223372036854775808',
  '1234567890123456789012345678901234567890',
  '""',
  '" "',
  '"\\u0000"',
  '"a\\u0000b"',
  '"\\ud800"',
  '"\\udc00x"',
  '"\\u202e\\u200b\\ufeff"',
  '"\u{1d160}\u0301"',
  '"ﬀİıß"',
  '"\'; DROP TABLE projects; --"',
  '"../../etc/passwd"',
  '"%00%2e%2e"',
  '"__proto__"',
  '"a\\r\\nSet-Cookie: x=y"',
  '"<script>alert(1)</script>"',
  JSON.stringify('x'.repeat(256)),
  JSON.stringify('x'.repeat(70_000)),
  JSON.stringify('\u{1d160}'.repeat(1000)),
  '[]',
  '["a","b"]',
  '[null]',
  `[${'"x",'.repeat(3000)}"x"]`,
  '{}',
  '{"$ne":null}',
  '{"a":1,"a":2}',
  '{"__proto__":{"a":1},"constructor":{"prototype":{"a":1}}}',
  `{${Array.from({ length: 2000 }, (_, at) => `"k${at}":${at}`).join()}}`,
  deep('[', ']', 90),
  deep('[', ']', 20_000),
  deep('{"a":', '', 300).concat('1', '}'.repeat(300)),
];

/** Path segments after percent-decoding. */
export const wildParameters: readonly string[] = [
  '',
  '%00',
  'a%00b',
  '%0D%0AX:1',
  '%ED%A0%80',
  '%F4%90%80%80',
  '%C0%AE',
  '%zz',
  '%',
  '%2F',
  '%252F',
  '..',
  '%2e%2e%2f',
  '-1',
  '-0',
  '1e9',
  '1e400',
  '0x10',
  'NaN',
  'null',
  'true',
  '99999999999999999999',
  '9223372036854775808',
  '[]',
  '{}',
  '*',
  '%25',
  '%5C_',
  "'%20OR%201=1--",
  '%F0%9D%85%A0'.repeat(100),
  'x'.repeat(2049),
  'x'.repeat(9000),
  '%E2%80%AE',
  '+',
  'a;b=c',
];

/** JSON text for a schema. Text, not a value: `1e400`, a key that is there twice or half a surrogate are no values. */
export function jsonFor(schema: Schema, name: string, random: Random, mood: Mood, ids: IdsOf): string {
  if (random.chance(mood.wild)) return random.pick(wildJson);
  if (random.chance(mood.near)) return nearly(schema, random);
  if (schema.anyOf) return jsonFor(random.pick(schema.anyOf), name, random, mood, ids);
  if (schema.enum) return JSON.stringify(random.pick(schema.enum));
  switch (schema.type) {
    case 'object':
      return objectFor(schema, name, random, mood, ids);
    case 'array':
      return listFor(schema, name, random, mood, ids);
    case 'integer':
    case 'number':
      return String(numberFor(schema, random));
    case 'boolean':
      return random.pick(['true', 'false']);
    case 'null':
      return 'null';
    default:
      return JSON.stringify(textFor(schema, name, random, ids));
  }
}

/** Returns a text that a field of this name may hold. */
export function textFor(schema: Schema, name: string, random: Random, ids: IdsOf): string {
  if (schema.anyOf) return textFor(random.pick(schema.anyOf), name, random, ids);
  if (schema.enum) return String(random.pick(schema.enum));
  if (schema.type === 'integer' || schema.type === 'number') return String(numberFor(schema, random));
  const known = ids(name);
  if (known.length > 0 && random.chance(0.9)) return random.pick(known);
  const fitting = (texts: readonly string[]): string[] => texts.filter((text) => fits(schema, text));
  const meant = fitting(textExamples[name] ?? []);
  if (meant.length > 0) return random.pick(meant);
  const any = fitting([...patternExamples, `text ${random.below(1e6)}`]);
  return random.pick(any.length > 0 ? any : ['x']);
}

function fits(
  { pattern, minLength = 0, maxLength = Number.POSITIVE_INFINITY }: Schema,
  text: string,
): boolean {
  if (text.length < minLength || text.length > maxLength) return false;
  return pattern === undefined || new RegExp(pattern).test(text);
}

function numberFor({ minimum, maximum }: Schema, random: Random): number {
  const low = minimum ?? -5;
  const high = maximum ?? 1000;
  return random.pick([low, high, Math.min(high, low + 1), Math.min(high, low + random.below(30))]);
}

function listFor(schema: Schema, name: string, random: Random, mood: Mood, ids: IdsOf): string {
  const length = Math.min(schema.maxItems ?? 3, (schema.minItems ?? 0) + random.below(4));
  const items = Array.from({ length }, () => jsonFor(schema.items ?? {}, name, random, mood, ids));
  return `[${items.join()}]`;
}

function objectFor(schema: Schema, name: string, random: Random, mood: Mood, ids: IdsOf): string {
  const examples = objectExamples[name];
  if (examples && schema.additionalProperties !== undefined)
    return spoilt(random.pick(examples), random, mood, ids);
  const members = Object.entries(schema.properties ?? {})
    .filter(([key]) => schema.required?.includes(key) || random.chance(mood.more))
    .map(([key, value]) => `${JSON.stringify(key)}:${jsonFor(value, key, random, mood, ids)}`);
  if (random.chance(mood.near))
    members.push(random.pick(['"__proto__":{"x":1}', '"extra":[[{}]]', ...members]));
  if (random.chance(mood.near)) members.shift();
  return `{${members.join()}}`;
}

/** `$files`: the id of one of the world's files. */
export function standingFor(text: string, random: Random, ids: IdsOf): string {
  const known = text.startsWith('$') ? ids(text) : [];
  return known.length > 0 ? random.pick(known) : text;
}

/** Returns a value of ours with some of what is in it changed. */
export function spoilt(value: unknown, random: Random, mood: Mood, ids: IdsOf): string {
  if (random.chance(mood.wild + mood.near / 2)) return random.pick(wildJson);
  if (Array.isArray(value)) {
    const items = value.map((item) => spoilt(item, random, mood, ids));
    return `[${(random.chance(mood.near) ? [...items, ...items] : items).join()}]`;
  }
  if (typeof value === 'string') return JSON.stringify(standingFor(value, random, ids));
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).flatMap(([key, item]) => {
    const member = `${JSON.stringify(random.chance(mood.near / 2) ? `${key}.x` : key)}:${spoilt(item, random, mood, ids)}`;
    return random.chance(mood.near / 2) ? [member, member] : [member];
  });
  return `{${members.join()}}`;
}

/** Just outside of what the schema allows, or at its edge. */
function nearly(
  { type, minLength, maxLength, minimum, maximum, maxItems, anyOf, enum: words }: Schema,
  random: Random,
): string {
  if (anyOf) return nearly(random.pick(anyOf), random);
  const text = (length: number): string => JSON.stringify('é'.repeat(Math.max(0, Math.min(length, 80_000))));
  const found: string[] = [];
  if (words) found.push(JSON.stringify(String(words[0]).toUpperCase()), JSON.stringify(`${words[0]} `));
  if (minLength !== undefined) found.push(text(minLength - 1), text(minLength));
  if (maxLength !== undefined) found.push(text(maxLength), text(maxLength + 1));
  if (minimum !== undefined) found.push(String(minimum - 1), `"${minimum}"`);
  if (maximum !== undefined) found.push(String(maximum + 1), `${maximum}.5`);
  if (maxItems !== undefined)
    found.push(
      `[${Array(Math.min(maxItems, 5000) + 1)
        .fill('"x"')
        .join()}]`,
    );
  if (type === 'integer' || type === 'number') found.push('1.5', '"1"', '1e400');
  if (type === 'string' || type === undefined) found.push('1', '[""]', '"\\u0000"', '" "', '"\\ud800"');
  return random.pick(found.length > 0 ? found : ['null', '""']);
}
