import { type Extract, number, object, type Reading, text } from '../extract.ts';
import type { JsonObject } from '../json.ts';

const amount = number('value');
const unit = text('unit', 'code');
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
    if (from === undefined) return to && `<=${to}`;
    return to === undefined ? `>=${from}` : `${from}-${to}`;
  }
  const parts = scope['valueRatio'] === undefined ? undefined : ratio(scope, reading);
  if (!parts) return undefined;
  const above = quantityText(numerator(parts, reading), reading);
  const below = quantityText(denominator(parts, reading), reading);
  return above === undefined || below === undefined ? undefined : `${above}:${below}`;
};

/** Returns the unit of the first end of a range that has a number and a unit; of a ratio `mg/mL`. */
export const unitOfNumbers: Extract = (scope, reading) => {
  const between = scope['valueRange'] === undefined ? undefined : range(scope, reading);
  if (between) {
    const ends = [low(between, reading), high(between, reading)].filter((end) => end !== undefined);
    const units = ends.filter((end) => typeof end['value'] === 'number').map((end) => unit(end, reading));
    return units.find((found) => found !== undefined);
  }
  const parts = scope['valueRatio'] === undefined ? undefined : ratio(scope, reading);
  if (!parts) return undefined;
  const above = unit(numerator(parts, reading) ?? {}, reading);
  const below = unit(denominator(parts, reading) ?? {}, reading);
  return above === undefined || below === undefined ? above : `${above}/${below}`;
};
