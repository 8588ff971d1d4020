import { type Extract, number, object, type Reading, text, type Value } from '../extract.ts';
import { isObject, type JsonObject, type JsonValue } from '../json.ts';

const amount = number('value');

/** Units of UCUM that are certainly different if their texts are. */
const plainUnit =
  /^(?:[pnumcdkM]?(?:g|l|mol|m)(?:\/[numcdk]?(?:g|l|mol|m))?|Cel|\[(?:lb|oz|in|ft|degF)\w*\])$/;
const plain = (unit: Value): string =>
  String(unit).replace(/[µμ]/, 'u').replace(/^mcg/, 'ug').replaceAll('L', 'l');

/** Reads the unit of a quantity. One that contradicts its code is left out, since only one of them belongs to the number. */
export function unitOf(path = ''): Extract {
  const at = path === '' ? '' : `${path}.`;
  const [stated, coded] = [text(`${at}unit`), text(`${at}code`)];
  return (scope, reading) => {
    const unit = stated(scope, reading);
    const code = coded(scope, reading);
    if (unit === undefined || code === undefined) return unit ?? code;
    const texts = [plain(unit), plain(code)];
    if (texts[0] === texts[1] || !texts.every((one) => plainUnit.test(one))) return unit;
    reading.unreadable(`${at}unit`, 'the unit of its code');
    return undefined;
  };
}

const unit = unitOf();
const comparator = text('comparator');

const range = object('valueRange');
const low = object('low');
const high = object('high');
const ratio = object('valueRatio');
const numerator = object('numerator');
const denominator = object('denominator');

/** Formats a quantity such as `<5`; empty without a value. */
function quantityText(quantity: JsonObject | undefined, reading: Reading): string | undefined {
  const value = quantity && amount(quantity, reading);
  return value === undefined ? undefined : `${comparator(quantity ?? {}, reading) ?? ''}${value}`;
}

const compared = object('valueQuantity');

/** Formats a quantity with a comparator, such as `<0.01`: a result below the limit of detection. */
export const comparedNumber: Extract = (scope, reading) => {
  const quantity = scope['valueQuantity'] === undefined ? undefined : compared(scope, reading);
  return quantity && comparator(quantity, reading) !== undefined
    ? quantityText(quantity, reading)
    : undefined;
};

/** Formats a range as `1-5`, open ends as `>=1` and `<=5`; a ratio as `1:128`, the notation of titres (HL7 v2.5.1 §2.A.75, SN). */
export const severalNumbers: Extract = (scope, reading) => {
  const between = scope['valueRange'] === undefined ? undefined : range(scope, reading);
  if (between) {
    const from = quantityText(low(between, reading), reading);
    const to = quantityText(high(between, reading), reading);
    if (from !== undefined && to !== undefined && !isInUnitOf(between['low'], between['high'])) {
      reading.unreadable('valueRange', 'a range in one unit');
      return undefined;
    }
    if (from === undefined) return to && `<=${to}`;
    return to === undefined ? `>=${from}` : `${from}-${to}`;
  }
  const parts = scope['valueRatio'] === undefined ? undefined : ratio(scope, reading);
  if (!parts) return undefined;
  const above = quantityText(numerator(parts, reading), reading);
  const below = quantityText(denominator(parts, reading), reading);
  return above === undefined || below === undefined ? undefined : `${above}:${below}`;
};

/** Returns the unit of the first end of a range that has a number and a unit; of a ratio `mg/mL`, or `/mL`. */
export const unitOfNumbers: Extract = (scope, reading) => {
  const between = scope['valueRange'] === undefined ? undefined : range(scope, reading);
  if (between) {
    const ends = [low(between, reading), high(between, reading)].filter((end) => hasNumber(end));
    const [first, second = first] = ends;
    if (!isInUnitOf(first, second)) return undefined;
    const units = ends.map((end) => unit(end ?? {}, reading));
    return units.find((found) => found !== undefined);
  }
  const parts = scope['valueRatio'] === undefined ? undefined : ratio(scope, reading);
  if (!parts) return undefined;
  const above = unit(numerator(parts, reading) ?? {}, reading);
  const below = unit(denominator(parts, reading) ?? {}, reading);
  return below === undefined ? above : `${above ?? ''}/${below}`;
};

const unitsOf = (quantity: JsonValue | undefined): string[] =>
  isObject(quantity)
    ? [quantity['unit'], quantity['code']]
        .filter((unit) => typeof unit === 'string' && unit !== '')
        .map(String)
    : [];

/** Returns whether two quantities may be compared: both in one unit, or one without. */
export function isInUnitOf(end: JsonValue | undefined, value: JsonValue | undefined): boolean {
  const unit = isObject(end) ? end['unit'] : undefined;
  if (typeof unit === 'string' && unit !== '' && isObject(value) && value['unit'] === unit) return true;
  const [own, wanted] = [unitsOf(end), unitsOf(value)].map((units) =>
    units.map((unit) => unit.toLowerCase()),
  );
  return !own?.length || !wanted?.length || own.some((unit) => wanted.includes(unit));
}

/** Returns whether a quantity has a number. */
export const hasNumber = (end: JsonValue | undefined): boolean =>
  isObject(end) && typeof end['value'] === 'number';
