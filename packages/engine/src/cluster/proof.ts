import { castForm } from './forms.ts';
import { provenText } from './proven.ts';
import { refuse } from './syntax.ts';
import { partsOfDecimal, type Typed, trinoType } from './types.ts';

/** Result types of operations by their signatures. */
export type Signatures = ReadonlyMap<string, string>;

/** Marks a result that has another type in Trino, so that it is cast. */
export const castMark = '!';

/** Reads the lines of a table of signatures: `name: TYPE, TYPE = TYPE; TYPE = TYPE`. */
export function readSignatures(text: string): Signatures {
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(
    lines.flatMap((line) => {
      const [name = '', rest = ''] = line.split(/: (.*)/s);
      return rest.split('; ').map((one): [string, string] => {
        const at = one.lastIndexOf('= ');
        return [`${name}(${one.slice(0, at).trim()})`, one.slice(at + 2)];
      });
    }),
  );
}

/** Signatures that both engines were seen to answer alike (`test/trino/equality`). */
export const provenSignatures: Signatures = readSignatures(provenText);

/** Decimals are one family: their digits follow from rules. */
const familyOf = (type: string): string => type.replace(/DECIMAL\([^)]*\)/, 'DECIMAL');

/** A constant of a statement is none of the log's. */
const shown = (type: string): string => (type.startsWith("'") ? 'a constant' : type);

/** Returns the key of an operation in the table. */
export const signatureOf = (name: string, types: readonly string[]): string =>
  `${name}(${types.map(familyOf).join(', ')})`;

/** Decides by a table of signatures what may be printed, and which type it has. */
export class Proof {
  readonly #signatures: Signatures;

  constructor(signatures: Signatures) {
    this.#signatures = signatures;
  }

  has(name: string, types: readonly string[]): boolean {
    return this.#signatures.has(signatureOf(name, types));
  }

  /**
   * Returns the operation with its type. Throws `Untranslatable` if its signature is not in the table. `given`: the
   * type if it follows from the form of the operation.
   */
  apply(name: string, types: readonly string[], text: string, given?: string): Typed {
    const found =
      this.#signatures.get(signatureOf(name, types)) ?? refuse(`${name} of (${types.map(shown).join(', ')})`);
    const isCast = found.endsWith(castMark);
    const family = isCast ? found.slice(0, -castMark.length) : found;
    const type = given ?? (family === 'DECIMAL' ? decimalResult(name, types) : family);
    return { text: isCast ? `CAST(${text} AS ${trinoType(type)})` : text, type };
  }

  /** Converts as the local engine does where types meet. */
  convert(value: Typed, type: string): Typed {
    if (value.type === type) return value;
    if (value.type === 'NULL') return { text: `CAST(NULL AS ${trinoType(type)})`, type };
    // Digits that are added change no decimal.
    const widened = isDecimal(value.type) && isDecimal(type);
    const name = `CAST AS ${familyOf(type)}`;
    const text = castForm(value.text, value.type, type, false);
    return widened ? { text, type } : this.apply(name, [value.type], text, type);
  }

  /** Converts values to the one type that they have in the local engine. */
  alike(values: readonly Typed[]): { values: Typed[]; type: string } {
    const type = values.map((value) => value.type).reduce(commonType);
    return { values: values.map((value) => this.convert(value, type)), type };
  }
}

const isDecimal = (type: string): boolean => type.startsWith('DECIMAL(');

/** Whole numbers, the smaller ones first, with their digits. */
const wholeDigits: ReadonlyMap<string, number> = new Map([
  ['TINYINT', 3],
  ['SMALLINT', 5],
  ['INTEGER', 10],
  ['BIGINT', 19],
  ['HUGEINT', 38],
]);

/** Returns the type of two values of which either may come: the rules of DuckDB 1.5. */
export function commonType(one: string, other: string): string {
  if (one === other || other === 'NULL') return one;
  if (one === 'NULL') return other;
  const wholes = [...wholeDigits.keys()];
  const [a, b] = [wholes.indexOf(one), wholes.indexOf(other)];
  if (a >= 0 && b >= 0) return wholes[Math.max(a, b)] ?? one;
  const isNumber = (type: string): boolean => wholeDigits.has(type) || isDecimal(type) || type === 'DOUBLE';
  if (!isNumber(one) || !isNumber(other)) return refuse(`${one} beside ${other}`);
  if (one === 'DOUBLE' || other === 'DOUBLE') return 'DOUBLE';
  const [left, right] = [decimalOf(one), decimalOf(other)];
  const scale = Math.max(left.scale, right.scale);
  return decimalType(Math.max(left.width - left.scale, right.width - right.scale) + scale, scale);
}

/** Returns the decimal that a number becomes. */
function decimalOf(type: string): { width: number; scale: number } {
  const width = wholeDigits.get(type);
  return width === undefined ? partsOfDecimal(type) : { width, scale: 0 };
}

const widthMax = 38;
/** Sums and products of decimals of up to 64 bits have as many. */
const smallWidth = 18;

function decimalType(width: number, scale: number): string {
  if (scale > widthMax) return refuse('a decimal of so many digits');
  return `DECIMAL(${Math.min(width, widthMax)},${scale})`;
}

/** Returns the decimal that an operation returns: the rules of DuckDB 1.5. */
function decimalResult(name: string, types: readonly string[]): string {
  const [left, right = left] = types.filter((type) => !type.startsWith("'")).map(decimalOf);
  if (!left || !right) return refuse(name);
  const wide = (width: number, digits: number): string =>
    decimalType(
      Math.max(left.width, right.width) <= smallWidth ? Math.min(width, smallWidth) : width,
      digits,
    );
  const whole = Math.max(left.width - left.scale, right.width - right.scale);
  const scale = Math.max(left.scale, right.scale);
  switch (name) {
    case '+':
    case '-':
      return types.length === 1 ? decimalType(left.width, left.scale) : wide(whole + scale + 1, scale);
    case '*':
      return wide(left.width + right.width, left.scale + right.scale);
    case 'ceil':
    case 'ceiling':
    case 'floor':
    case 'round':
      return decimalType(left.width, 0);
    case 'sum':
      return decimalType(widthMax, left.scale);
    default:
      return decimalType(whole + scale, scale);
  }
}
