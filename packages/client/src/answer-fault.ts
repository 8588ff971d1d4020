import { answers, shapes } from './generated/answer-shapes.ts';

/** Part of a JSON Schema that decides the shape of a value. Words and bounds are left out: a later service may have others. */
export interface Shape {
  /** Name of another shape. */
  $ref?: string;
  type?: string;
  properties?: Readonly<Record<string, Shape>>;
  required?: readonly string[];
  items?: Shape;
  anyOf?: readonly Shape[];
}

/**
 * Compares an answer in JSON with the API document. Returns its first difference, such as `items[3].name should be a string`;
 * `undefined` for none, and where the document has no schema.
 */
export function answerFault(
  method: string,
  path: string,
  status: number,
  answer: unknown,
): string | undefined {
  const byStatus = answers[`${method} ${path}`];
  // Another program may answer with another status of success.
  const shape = byStatus && (byStatus[status] ?? Object.values(byStatus)[0]);
  return shape && faultIn(shape, answer, '');
}

function faultIn(shape: Shape, value: unknown, place: string): string | undefined {
  const { $ref, type, properties = {}, required = [], items, anyOf } = shape;
  if ($ref !== undefined) return faultIn(shapes[$ref] ?? {}, value, place);
  const where = place === '' ? 'the answer' : place;
  if (anyOf) {
    const faults = anyOf.map((one) => faultIn(one, value, place));
    return faults.includes(undefined)
      ? undefined
      : (faults.find((fault) => fault !== faults[0]) ?? faults[0]);
  }
  if (type !== undefined && !isOf(type, value)) return `${where} should be of type ${type}`;
  if (Array.isArray(value))
    return items && firstOf(value.entries(), ([at, item]) => faultIn(items, item, `${place}[${at}]`));
  if (!isRecord(value)) return undefined;
  const inside = (name: string): string => (place === '' ? name : `${place}.${name}`);
  const missing = required.find((name) => value[name] === undefined);
  if (missing !== undefined) return `${inside(missing)} is missing`;
  const present = Object.entries(properties).filter(([name]) => value[name] !== undefined);
  return firstOf(present, ([name, one]) => faultIn(one, value[name], inside(name)));
}

function firstOf<T>(values: Iterable<T>, fault: (value: T) => string | undefined): string | undefined {
  for (const value of values) {
    const found = fault(value);
    if (found !== undefined) return found;
  }
  return undefined;
}

function isOf(type: string, value: unknown): boolean {
  if (type === 'array') return Array.isArray(value);
  if (type === 'object') return isRecord(value);
  if (type === 'null') return value === null;
  if (type === 'integer') return Number.isInteger(value);
  return typeof value === type;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
