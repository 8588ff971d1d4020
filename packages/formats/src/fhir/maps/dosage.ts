import { dosage } from '../../tables/dosage.ts';
import { boundCode } from '../bindings.ts';
import { part } from '../concept.ts';
import {
  boolean,
  type Extract,
  first,
  integer,
  number,
  object,
  objects,
  objectThat,
  type Reading,
  text,
} from '../extract.ts';
import { isObject, type JsonObject, type JsonValue } from '../json.ts';
import { bind, type Choice, group, preferring } from './table-map.ts';
import { unitOf } from './value-text.ts';

const hasNumber = (quantity: JsonObject): boolean => typeof quantity['value'] === 'number';

// R4: doseAndRate[]; STU3: in the dosage itself; MedicationAdministration: dose (a Quantity).
const quantity = objectThat(
  hasNumber,
  'doseAndRate.doseQuantity',
  'doseQuantity',
  'dose',
  'doseAndRate.doseRange.low',
  'doseRange.low',
);
const rateQuantity = objectThat(
  hasNumber,
  'doseAndRate.rateQuantity',
  'rateQuantity',
  'doseAndRate.rateRange.low',
  'rateRange.low',
);
const rateRatio = object('doseAndRate.rateRatio', 'rateRatio');
const amount = number('value');
const unit = unitOf();
const numerator = object('numerator');
const denominator = object('denominator');

/** Formats a ratio as one number per one unit: 5 mL per 2 h is 2.5 `mL/h`. */
const rateValue: Extract = (scope, reading) => {
  const plain = rateQuantity(scope, reading);
  if (plain) return amount(plain, reading);
  const ratio = rateRatio(scope, reading);
  if (!ratio) return undefined;
  const above = amount(numerator(ratio, reading) ?? {}, reading);
  const below = amount(denominator(ratio, reading) ?? {}, reading) ?? 1;
  return above === undefined || below === 0 ? undefined : above / below;
};

const rateUnit: Extract = (scope, reading) => {
  const plain = rateQuantity(scope, reading);
  if (plain) return unit(plain, reading);
  const ratio = rateRatio(scope, reading);
  if (!ratio) return undefined;
  const above = unit(numerator(ratio, reading) ?? {}, reading);
  const below = unit(denominator(ratio, reading) ?? {}, reading);
  return above === undefined || below === undefined ? above : `${above}/${below}`;
};

/** Code of `doseAndRate.type`; empty without one. */
function typeOf({ type }: JsonObject): string {
  if (!isObject(type)) return '';
  const { coding, text: words } = type;
  const code = (Array.isArray(coding) ? coding : []).filter(isObject).find((one) => one['code'])?.['code'];
  return String(code ?? words ?? '');
}

const hasAny = (element: JsonObject, names: string[]): boolean =>
  names.some((name) => saysNumber(element[name]));
function saysNumber(value: JsonValue | undefined): boolean {
  return isObject(value) && (hasNumber(value) || Object.values(value).some(saysNumber));
}
const isDose = (element: JsonObject): boolean => hasAny(element, ['doseQuantity', 'doseRange']);
const isRate = (element: JsonObject): boolean => hasAny(element, ['rateQuantity', 'rateRange', 'rateRatio']);

/**
 * Chooses the dose and the rate as ordered, else those of the first type (R4, dose-rate-type). They may be two elements, of which
 * one has no type: what is calculated is not what was ordered.
 */
const ofOneType: Choice = (elements) => {
  const types = elements.map(typeOf);
  const type = types.includes('ordered') ? 'ordered' : (types.find((one) => one !== '') ?? '');
  const own = elements.filter((one) => [type, ''].includes(typeOf(one)));
  const [first] = own;
  if (first === undefined || own.length === 1) return own;
  // A dose with the type precedes those without.
  own.sort((a, b) => Number(typeOf(a) === '') - Number(typeOf(b) === ''));
  const chosen = new Set([own.find(isDose), own.find(isRate)].filter((one) => one !== undefined));
  return chosen.size > 0 ? [...chosen] : [first];
};

const timingText = part('text', 'timing.code');
const timingCode = part('code', 'timing.code');
// R5: asNeeded.
const needed = boolean('asNeededBoolean', 'asNeeded');

export const dosageMap = bind(dosage, {
  text: text('text', 'patientInstruction'),
  timing_text: (scope, reading) => timingText(scope, reading) ?? timingCode(scope, reading),
  ...group('timing', preferring(), {
    frequency: integer('timing.repeat.frequency'),
    period: number('timing.repeat.period'),
    period_unit: boundCode('timing.repeat.periodUnit'),
  }),
  as_needed: (scope, reading) => {
    // A reason to take it makes it "as needed" (R4 asNeededCodeableConcept, R5 asNeededFor).
    const hasReason = scope['asNeededCodeableConcept'] !== undefined || scope['asNeededFor'] !== undefined;
    return needed(scope, reading) ?? (hasReason ? true : undefined);
  },
  route_code: part('code', 'route'),
  route_display: part('display', 'route'),
  site_code: part('code', 'site'),
  method_code: part('code', 'method'),
  ...group('doseAndRate', ofOneType, {
    dose_value: (scope, reading) => amount(quantity(scope, reading) ?? {}, reading),
    dose_unit: (scope, reading) => unit(quantity(scope, reading) ?? {}, reading),
    rate_value: rateValue,
    rate_unit: rateUnit,
  }),
});

/** Returns the dosages of a medication resource: `dosageInstruction` of requests and dispenses, `dosage` of the others. */
export function dosagesOf(resource: JsonObject, reading: Reading): JsonObject[] {
  const key = resource['dosageInstruction'] === undefined ? 'dosage' : 'dosageInstruction';
  const dosages = objects(resource, key, reading);
  for (const dosage of dosages)
    for (const [path, upper] of upperEnds)
      if (upper(dosage, silent) !== undefined) reading.further(`${key}.${path}`, 1);
  return dosages;
}

/** Upper ends of what columns have the lower end of. */
const upperEnds = [
  ...['doseAndRate.doseRange.high', 'doseRange.high', 'doseAndRate.rateRange.high', 'rateRange.high'],
  ...['timing.repeat.frequencyMax', 'timing.repeat.periodMax'],
].map((path) => [path, first([path], (value) => value)] as const);
/** Readers of columns report faults of the same elements. */
const silent: Reading = {
  resourceType: '',
  fullUrls: new Map(),
  unreadable() {},
  further() {},
  unknown() {},
};
