import { observation } from '../../tables/observation.ts';
import { boundCode } from '../bindings.ts';
import { code, part } from '../concept.ts';
import {
  boolean,
  date,
  type Extract,
  number,
  object,
  type Reading,
  reference,
  text,
  type Value,
  writtenDate,
} from '../extract.ts';
import { isObject, type JsonObject } from '../json.ts';
import { bind, type Choice, group, wordsOf } from './table-map.ts';
import {
  comparedNumber,
  hasNumber,
  isInUnitOf,
  severalNumbers,
  unitOf,
  unitOfNumbers,
} from './value-text.ts';

const moment = text('effectiveDateTime', 'effectiveInstant');
const event = writtenDate('effectiveTiming.event');
const effectivePeriod = object('effectivePeriod');
const periodStart = text('start');
const periodEnd = text('end');

/** Reads the time as written; a period as `start/end` (ISO 8601), one of which may be missing. */
const effective: Extract = (scope, reading) => {
  const period = effectivePeriod(scope, reading);
  if (!period) return moment(scope, reading) ?? event(scope, reading);
  const [start = '', end = ''] = [periodStart(period, reading), periodEnd(period, reading)];
  return start === '' && end === '' ? undefined : `${start}/${end}`;
};

const momentDay = date('effectiveDateTime', 'effectiveInstant', 'effectiveTiming.event');
const startDay = date('effectivePeriod.start');

/** Reads the day of the same time. */
const effectiveDay: Extract = (scope, reading) =>
  effectivePeriod(scope, reading) ? startDay(scope, reading) : momentDay(scope, reading);

const quantity = number('valueQuantity.value');
const quantityUnit = unitOf('valueQuantity');
const integer = number('valueInteger');
const statedComparator = text('valueQuantity.comparator');
const comparators = new Set(['<', '<=', '>=', '>', 'ad']);

/** Comparator of a value, a modifier (R4 Quantity.comparator); words other than FHIR's stay in `value_string` alone. */
const comparator: Extract = (scope, reading) => {
  const stated = scope['valueQuantity'] === undefined ? undefined : statedComparator(scope, reading);
  return typeof stated === 'string' && comparators.has(stated) ? stated : undefined;
};
const hasEnd = ({ low, high }: JsonObject): boolean => hasNumber(low) || hasNumber(high);

/** System of `referenceRange.type` (R4, referencerange-meaning). */
const meanings = 'http://terminology.hl7.org/CodeSystem/referencerange-meaning';

/** Returns whether a range is the normal one: without a type it is. `undefined`: a type that is not FHIR's. */
function isNormal({ type }: JsonObject): boolean | undefined {
  if (!isObject(type)) return true;
  const codings = (Array.isArray(type['coding']) ? type['coding'] : []).filter(isObject);
  if (codings.some((one) => one['code'] === 'normal')) return true;
  if (codings.some(({ system }) => system === meanings)) return false;
  return codings.length === 0 && /^normal\b/i.test(String(type['text'] ?? '')) ? true : undefined;
}

const ends = ({ low, high }: JsonObject): string =>
  JSON.stringify([low, high].map((end) => (isObject(end) ? end['value'] : null)));

/**
 * Chooses the normal range of the value's unit that holds for all patients; an only one may hold for some. If ranges differ in
 * nothing but their numbers, no range is chosen: only the resource has which one holds.
 */
const rangeOfValue: Choice = (ranges, scope) => {
  const stated = ranges.filter(hasEnd);
  if (stated.length === 0) return ranges;
  const inUnit = stated.filter(({ low, high }) =>
    [low, high].every((end) => isInUnitOf(end, scope['valueQuantity'])),
  );
  const normal = inUnit.filter((range) => isNormal(range) === true);
  const left = normal.length > 0 ? normal : inUnit.filter((range) => isNormal(range) === undefined);
  const general = left.filter(({ appliesTo, age }) => appliesTo === undefined && age === undefined);
  const chosen = general.length > 0 ? general : left;
  return chosen.length === 1 || new Set(chosen.map(ends)).size === 1 ? chosen.slice(0, 1) : [];
};

const valueText = text('valueString', 'valueTime');
const conceptCode = part('code', 'valueCodeableConcept');
const conceptDisplay = part('display', 'valueCodeableConcept');
const conceptText = part('text', 'valueCodeableConcept');

/** Reads a result in words without any code: free text, which `value_…_display` is not. */
const words: Extract = (scope, reading) => {
  if (scope['valueCodeableConcept'] === undefined) return undefined;
  return (conceptCode(scope, reading) ?? conceptDisplay(scope, reading)) === undefined
    ? conceptText(scope, reading)
    : undefined;
};

/** Columns that a component fills itself. */
const measured: Record<string, Extract> = {
  code: part('code', 'code'),
  system: part('system', 'code'),
  display: part('display', 'code'),
  text: part('text', 'code'),
  value_quantity: (scope, reading) =>
    scope['valueQuantity'] === undefined ? integer(scope, reading) : quantity(scope, reading),
  value_unit: (scope, reading) =>
    scope['valueQuantity'] === undefined ? unitOfNumbers(scope, reading) : quantityUnit(scope, reading),
  value_comparator: comparator,
  value_string: (scope, reading) =>
    valueText(scope, reading) ??
    comparedNumber(scope, reading) ??
    severalNumbers(scope, reading) ??
    words(scope, reading),
  value_codeable_concept_code: conceptCode,
  value_codeable_concept_system: part('system', 'valueCodeableConcept'),
  value_codeable_concept_display: conceptDisplay,
  value_boolean: boolean('valueBoolean'),
  value_date: date('valueDateTime', 'valuePeriod.start'),
  interpretation: code('interpretation'),
  ...group('referenceRange', rangeOfValue, {
    reference_low: number('referenceRange.low.value'),
    reference_high: number('referenceRange.high.value'),
  }),
};

const shared: Record<string, Extract> = {
  status: boundCode('status'),
  category: code('category'),
  effective,
  effective_date: effectiveDay,
  issued: text('issued'),
  body_site_code: part('code', 'bodySite'),
  specimen_id: reference('Specimen', 'specimen'),
  encounter_id: reference('Encounter', 'encounter', 'context'),
};

export const observationMap = bind(observation, { ...shared, ...measured });

const names = observation.columns.map((column) => column.name).filter((name) => name !== 'data');
const measuredPositions = Object.entries(measured).map(([name, extract]) => ({
  name,
  at: names.indexOf(name),
  extract,
}));

/** Builds the row of a component: the observation's row with the measurement of the component. */
export function componentRow(row: Value[], component: JsonObject, index: number, reading: Reading): Value[] {
  const values = [...row];
  values[observationMap.indexPosition] = index;
  const inherited = String(values.at(-1)).split(',');
  let words = inherited.filter((name) => name !== '' && !Object.hasOwn(measured, name)).join(',');
  words = words === '' ? ',' : `,${words},`;
  for (const { name, at, extract } of measuredPositions) {
    values[at] = extract(component, reading);
    if (reading.isWords) words += wordsOf(name, reading);
  }
  values[values.length - 1] = words;
  return values;
}
