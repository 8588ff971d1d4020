import { refuse } from './syntax.ts';
import { trinoType } from './types.ts';

/** Prints an operation in Trino's SQL. Its values have to be those of the local engine. */
type Form = (values: readonly string[], types: readonly string[]) => string;

/**
 * Value of a type that fails when it is evaluated. A statement that fails in Trino is run by the local engine: forms
 * fail for values whose results differ.
 */
const failing = (type: string): string => `CAST(CAST(1 / 0 AS VARCHAR) AS ${trinoType(type)})`;

const simple = /^(?:"(?:[^"]|"")*"(?:\."(?:[^"]|"")*")?|-?\d+|DOUBLE '[^']*'|'(?:[^']|'')*')$/;

/** Names a value that a form repeats: text in text would grow with each level. Equal values have equal names. */
function naming(value: string, form: (name: string) => string): string {
  return simple.test(value) ? form(value) : named(value, freshName(value), form);
}

/** Names two values. */
function namingBoth(a: string, b: string, form: (a: string, b: string) => string): string {
  if (simple.test(a)) return naming(b, (second) => form(a, second));
  if (simple.test(b)) return naming(a, (first) => form(first, b));
  const first = freshName(a + b);
  return named(a, first, () => named(b, freshName(a + b + first), (second) => form(first, second)));
}

function freshName(text: string): string {
  const numbers = Array.from(text.matchAll(/"_v(\d+)"/g), ([, number]) => Number(number));
  return `"_v${Math.max(0, ...numbers) + 1}"`;
}

const named = (value: string, name: string, form: (name: string) => string): string =>
  `element_at(transform(ARRAY[${value}], ${name} -> ${form(name)}), 1)`;

/** NaN equals itself and is the largest number, as for the local engine. */
const comparisonsOfDoubles: Readonly<Record<string, (a: string, b: string) => string>> = {
  '=': (a, b) => `(${a} = ${b} OR (is_nan(${a}) AND is_nan(${b})))`,
  '<': (a, b) => `(${a} < ${b} OR (is_nan(${b}) AND NOT is_nan(${a})))`,
  '<=': (a, b) => `(${a} <= ${b} OR (is_nan(${b}) AND ${a} IS NOT NULL))`,
};

function compared(word: string): Form {
  return ([a = '', b = ''], [type]) => {
    if (type !== 'DOUBLE') return `(${a} ${word} ${b})`;
    const mirrored = { '>': '<', '>=': '<=' }[word];
    if (mirrored !== undefined) return compared(mirrored)([b, a], [type, type]);
    if (word === '<>') return `(NOT ${compared('=')([a, b], [type, type])})`;
    const form = comparisonsOfDoubles[word];
    return form ? namingBoth(a, b, form) : `(${a} ${word} ${b})`;
  };
}

/** The local engine has NULL where Trino fails, or an infinite number; it fails where the smallest number is divided by -1. */
const quotient: Form = ([a = '', b = ''], [, type]) =>
  type === 'DOUBLE'
    ? `(${a} / nullif(${b}, 0e0))`
    : namingBoth(a, b, (x, y) => `CASE WHEN ${y} = -1 THEN -${x} ELSE ${x} / nullif(${y}, 0) END`);

const remainder: Form = ([a = '', b = ''], [, type = '']) => {
  if (type === 'DOUBLE') return `(${a} % ${b})`;
  if (type.startsWith('DECIMAL(')) return `(${a} % nullif(${b}, 0))`;
  return namingBoth(a, b, (x, y) => `CASE WHEN ${y} = -1 THEN ${x} + -${x} ELSE ${x} % nullif(${y}, 0) END`);
};

/** Rounds a negative number as its positive one: Trino has no negative zero there. */
const rounded: Form = ([value = '', ...digits], [type]) => {
  const round = (v: string): string => `round(${[v, ...digits].join(', ')})`;
  if (type !== 'DOUBLE') return round(value);
  return naming(value, (v) => `CASE WHEN 1e0 / ${v} < 0 THEN -${round(`-${v}`)} ELSE ${round(v)} END`);
};

/** Rounds halves to the even number. */
const wholeOfDouble: Form = ([value = ''], [, type = '']) =>
  naming(
    value,
    (v) =>
      `CAST(CASE WHEN abs(${v} - truncate(${v})) = 5e-1 THEN 2 * round(${v} / 2) ELSE ${v} END AS ${trinoType(type)})`,
  );

/** Casts texts of the characters that both engines read alike. */
function castOfText(characters: string, none: string): (isTry: boolean) => Form {
  return (isTry) =>
    ([value = ''], [, type = '']) =>
      naming(value, (v) => {
        const others = `translate(${v}, '${characters}', '')`;
        const noNumber = isTry ? ` WHEN ${none.replaceAll('$', v)} THEN NULL` : '';
        return `CASE WHEN ${v} IS NULL THEN NULL WHEN ${others} = '' THEN CAST(${v} AS ${trinoType(type)})${noNumber} ELSE ${failing(type)} END`;
      });
}

const digits = '0123456789';
const noDigits = `translate($, '${digits}', '') = $`;
const wholeOfText = castOfText(`-${digits}`, noDigits);
const doubleOfText = castOfText(`-.${digits}`, `${noDigits} AND translate($, 'nNiI', '') = $`);

/** `YYYY-MM-DD`. */
const dateOfText =
  (isTry: boolean): Form =>
  ([value = ''], [, type = '']) =>
    naming(value, (v) => {
      const shape = `length(${v}) = 10 AND translate(${v}, '${digits}', '') = '--' AND substr(${v}, 5, 1) = '-' AND substr(${v}, 8, 1) = '-'`;
      const none = isTry
        ? ` WHEN ${noDigits.replaceAll('$', v)} AND strpos(lower(${v}), 'inf') = 0 AND strpos(lower(${v}), 'epo') = 0 THEN NULL`
        : '';
      return `CASE WHEN ${v} IS NULL THEN NULL WHEN ${shape} AND substr(${v}, 1, 4) <> '0000' THEN CAST(${v} AS ${trinoType(type)})${none} ELSE ${failing(type)} END`;
    });

const casts: Readonly<Record<string, (isTry: boolean) => Form>> = {
  'VARCHAR BIGINT': wholeOfText,
  'VARCHAR INTEGER': wholeOfText,
  'VARCHAR DOUBLE': doubleOfText,
  'VARCHAR DATE': dateOfText,
  'DOUBLE BIGINT': () => wholeOfDouble,
  'DOUBLE INTEGER': () => wholeOfDouble,
};

/** Prints a conversion; `from` and `to` are types of the local engine. */
export function castForm(value: string, from: string, to: string, isTry: boolean): string {
  const form = casts[`${from} ${to}`];
  return form
    ? form(isTry)([value], [from, to])
    : `${isTry ? 'TRY_CAST' : 'CAST'}(${value} AS ${trinoType(to)})`;
}

/** Letters of ASCII only: engines differ in the letters of Unicode that they know. */
const ofAscii =
  (name: string): Form =>
  ([value = '']) =>
    naming(
      value,
      (v) =>
        `CASE WHEN ${v} IS NULL THEN NULL WHEN length(${v}) = length(to_utf8(${v})) THEN ${name}(${v}) ELSE ${failing('VARCHAR')} END`,
    );

const bounded = (value: string, min: number): string =>
  /^\d+$/.test(value) && Number(value) >= min
    ? value
    : naming(value, (v) => `CASE WHEN ${v} >= ${min} THEN ${v} WHEN ${v} IS NULL THEN NULL ELSE 1 / 0 END`);

const part: Form = ([value = '', start = '', length]) =>
  `substr(${value}, ${bounded(start, 1)}${length === undefined ? '' : `, ${bounded(length, 0)}`})`;

/** The mean of whole numbers is the quotient of their sum. */
const mean: Form = ([value = '', filter = '']) =>
  `(CAST(sum(${value})${filter} AS DOUBLE) / nullif(count(${value})${filter}, 0))`;

const word =
  (infix: string): Form =>
  (values) =>
    `(${values.join(` ${infix} `)})`;

/** Finite and positive arguments only: the local engine fails for others. */
const ofPositive =
  (name: string): Form =>
  ([value = '']) =>
    naming(
      value,
      (v) =>
        `CASE WHEN ${v} IS NULL THEN NULL WHEN ${v} > 0 THEN ${name}(${v}) ELSE ${failing('DOUBLE')} END`,
    );

/** Distances that no date is beyond: Trino has no error of its own for others. */
const later: Form = ([unit = '', distance = '', date = ''], [, , type = '']) => {
  const added = (n: string): string => `date_add(${unit}, ${n}, ${date})`;
  if (/^-?\d{1,6}$/.test(distance)) return added(distance);
  return naming(
    distance,
    (n) =>
      `CASE WHEN ${n} BETWEEN -1000000 AND 1000000 THEN ${added(n)} WHEN ${n} IS NULL THEN NULL ELSE ${failing(type)} END`,
  );
};

/** Trino puts a text between all letters where it replaces an empty one. */
const replaced: Form = ([value = '', search = '', by = "''"]) =>
  naming(
    search,
    (text) =>
      `CASE WHEN ${text} <> '' THEN replace(${value}, ${text}, ${by}) WHEN ${text} = '' THEN ${failing('VARCHAR')} END`,
  );

/** Years of four digits: the engines write others differently. */
const formatted: Form = ([value = '', format = '']) =>
  naming(
    value,
    (v) =>
      `CASE WHEN ${v} IS NULL THEN NULL WHEN year(${v}) BETWEEN 1000 AND 9999 THEN date_format(CAST(${v} AS TIMESTAMP(6)), ${format}) ELSE ${failing('VARCHAR')} END`,
  );

/** Operations that Trino writes otherwise, or answers otherwise for some values. */
const forms: Readonly<Record<string, Form>> = {
  ...Object.fromEntries(['=', '<>', '<', '<=', '>', '>='].map((sign) => [sign, compared(sign)])),
  ...Object.fromEntries(
    ['+', '*', '||', 'IS DISTINCT FROM', 'IS NOT DISTINCT FROM'].map((sign) => [sign, word(sign)]),
  ),
  '-': ([a = '', b]) => (b === undefined ? `(-${a})` : `(${a} - ${b})`),
  '/': quotient,
  '%': remainder,
  mod: remainder,
  round: rounded,
  replace: replaced,
  AND: word('AND'),
  OR: word('OR'),
  NOT: ([value = '']) => `(NOT ${value})`,
  'IS NULL': ([value = '']) => `(${value} IS NULL)`,
  'IS NOT NULL': ([value = '']) => `(${value} IS NOT NULL)`,
  LIKE: ([value = '', pattern = '']) => `(${value} LIKE ${pattern})`,
  'NOT LIKE': ([value = '', pattern = '']) => `(${value} NOT LIKE ${pattern})`,
  upper: ofAscii('upper'),
  lower: ofAscii('lower'),
  reverse: ofAscii('reverse'),
  substr: part,
  substring: part,
  ln: ofPositive('ln'),
  log10: ofPositive('log10'),
  log2: ofPositive('log2'),
  sqrt: ([value = '']) =>
    naming(value, (v) => `CASE WHEN ${v} < 0 THEN ${failing('DOUBLE')} ELSE sqrt(${v}) END`),
  avg: mean,
  date_add: later,
  date_format: formatted,
  date_part: ([field = '', value = '']) => `extract(${field.slice(1, -1)} FROM ${value})`,
};

/** Prints a function or operator. */
export function formOf(name: string, values: readonly string[], types: readonly string[]): string {
  const form = Object.hasOwn(forms, name) ? forms[name] : undefined;
  if (form) return form(values, types);
  return /^[a-z_0-9]+$/.test(name) ? `${name}(${values.join(', ')})` : refuse(name);
}
