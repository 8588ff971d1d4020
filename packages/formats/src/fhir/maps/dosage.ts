import { dosage } from '../../tables/dosage.ts';
import { part } from '../concept.ts';
import {
  boolean,
  type Extract,
  fhirCode,
  integer,
  number,
  object,
  objects,
  objectThat,
  ofOne,
  type Reading,
  text,
} from '../extract.ts';
import type { JsonObject } from '../json.ts';
import { bind } from './table-map.ts';

const isAny = (): boolean => true;
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
const unit = text('unit', 'code');
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

const timingText = part('text', 'timing.code');
const timingCode = part('code', 'timing.code');
// R5: asNeeded.
const needed = boolean('asNeededBoolean', 'asNeeded');

export const dosageMap = bind(dosage, {
  dosage_index: () => undefined,
  text: text('text', 'patientInstruction'),
  timing_text: (scope, reading) => timingText(scope, reading) ?? timingCode(scope, reading),
  frequency: ofOne('timing', isAny, integer('timing.repeat.frequency')),
  period: ofOne('timing', isAny, number('timing.repeat.period')),
  period_unit: ofOne('timing', isAny, fhirCode('timing.repeat.periodUnit')),
  as_needed: (scope, reading) => {
    // A reason to take it makes it "as needed" (R4 asNeededCodeableConcept, R5 asNeededFor).
    const hasReason = scope['asNeededCodeableConcept'] !== undefined || scope['asNeededFor'] !== undefined;
    return needed(scope, reading) ?? (hasReason ? true : undefined);
  },
  route_code: part('code', 'route'),
  route_display: part('display', 'route'),
  site_code: part('code', 'site'),
  method_code: part('code', 'method'),
  dose_value: (scope, reading) => amount(quantity(scope, reading) ?? {}, reading),
  dose_unit: (scope, reading) => unit(quantity(scope, reading) ?? {}, reading),
  rate_value: rateValue,
  rate_unit: rateUnit,
});

/** Position of `dosage_index` in a row. */
export const dosageIndexPosition = dosage.columns.findIndex((column) => column.name === 'dosage_index');

/** Maps the dosages of a medication resource: `dosageInstruction` of requests and dispenses, `dosage` of the others. */
export function dosagesOf(resource: JsonObject, reading: Reading): { key: string; items: JsonObject[] } {
  const key = resource['dosageInstruction'] === undefined ? 'dosage' : 'dosageInstruction';
  return { key, items: objects(resource, key, reading) };
}
