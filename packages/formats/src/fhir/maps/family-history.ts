import { familyHistory } from '../../tables/family-history.ts';
import { boundCode } from '../bindings.ts';
import { code, part } from '../concept.ts';
import { boolean, date, type Extract, number, object, text } from '../extract.ts';
import { bind } from './table-map.ts';

const onset = object('condition.onsetAge');
const amount = number('value');
const unit = text('code', 'unit');

/** Years in each unit of an Age (R4, age-units). */
const years: Readonly<Record<string, number>> = {
  a: 1,
  mo: 1 / 12,
  wk: 7 / 365.25,
  d: 1 / 365.25,
  h: 1 / 8766,
  min: 1 / 525_960,
};

/** Reads the age at onset in years; an age in another unit than those of FHIR has no column. */
const onsetAge: Extract = (scope, reading) => {
  const age = onset(scope, reading);
  if (!age) return undefined;
  const [value, found] = [amount(age, reading), unit(age, reading)];
  const factor = years[String(found ?? 'a')];
  if (factor === undefined) reading.unreadable('condition.onsetAge.code', 'one of a, mo, wk, d, h, min');
  return value === undefined || factor === undefined ? undefined : value * factor;
};

const deceased = boolean('deceasedBoolean');

/** Returns whether the relative is dead: an age, a day or a cause of death counts too. */
const isDeceased: Extract = (scope, reading) => {
  const details = ['deceasedAge', 'deceasedRange', 'deceasedDate', 'deceasedString'];
  return details.some((name) => scope[name] !== undefined) ? true : deceased(scope, reading);
};

const stated = boundCode('status');

/** Reads the status; STU3 writes `notDone: true` for a history that was not taken. */
const status: Extract = (scope, reading) =>
  scope['notDone'] === true ? 'health-unknown' : stated(scope, reading);

/** Reads a relative with one of the conditions in place of their list. */
export const familyHistoryMap = bind(familyHistory, {
  status,
  relationship: code('relationship'),
  // STU3: gender, a plain code.
  sex: code('sex', 'gender'),
  is_deceased: isDeceased,
  code: part('code', 'condition.code'),
  system: part('system', 'condition.code'),
  display: part('display', 'condition.code'),
  text: part('text', 'condition.code'),
  outcome: code('condition.outcome'),
  // STU3 has no such field.
  contributed_to_death: boolean('condition.contributedToDeath'),
  onset_age: onsetAge,
  recorded_date: date('date'),
});
