import { demographic } from '../../tables/demographic.ts';
import { patient } from '../../tables/patient.ts';
import { code, part } from '../concept.ts';
import { dateOf } from '../dates.ts';
import { boolean, date, type Extract, fhirCode, objects, text } from '../extract.ts';
import { isObject, type JsonObject, type JsonValue } from '../json.ts';
import { bind } from './table-map.ts';

const valueText = text('valueString');
const conceptDisplay = part('display', 'valueCodeableConcept');
const conceptText = code('valueCodeableConcept');

/** US Core race and ethnicity: the OMB categories (several are joined by `; `), else the text. Before US Core they were a single concept. */
function usCore(name: string): Extract {
  return (scope, reading) => {
    const extension = objects(scope, 'extension', reading).find((candidate) => {
      const url = candidate['url'];
      return typeof url === 'string' && url.endsWith(`/${name}`);
    });
    if (!extension) return undefined;
    if (extension['valueCodeableConcept'] !== undefined)
      return conceptDisplay(extension, reading) ?? conceptText(extension, reading);
    const parts = objects(extension, 'extension', reading);
    const categories = parts.filter((one) => one['url'] === 'ombCategory').map(categoryName);
    const named = categories.filter((category) => category !== undefined);
    if (named.length > 0) return named.join('; ');
    const texts = parts.find((one) => one['url'] === 'text');
    return texts && valueText(texts, reading);
  };
}

function categoryName(category: JsonObject): string | undefined {
  const coding = category['valueCoding'];
  const name = isObject(coding) ? (coding['display'] ?? coding['code']) : undefined;
  return typeof name === 'string' && name !== '' ? name : undefined;
}

/** Reads from the current home address, else the first current one, else the first one. */
function address(key: string): Extract {
  const read = text(key);
  return (scope, reading) => {
    const all = scope['address'] === undefined ? [] : objects(scope, 'address', reading);
    const [only, second] = all;
    if (second === undefined) return only && read(only, reading);
    const day = dayOf(scope);
    const present = all.filter((one) => one['use'] !== 'old' && isPresent(one, day));
    const current = present.find((one) => one['use'] === 'home') ?? present[0] ?? only;
    return current && read(current, reading);
  };
}

/** End dates from here on are placeholders of systems for "no end". */
const noEnd = '2099-01-01';

/** Returns the day of a resource: its rows must not depend on the time of ingestion. */
function dayOf(scope: JsonObject): string {
  const meta = scope['meta'];
  const updated = isObject(meta) ? meta['lastUpdated'] : undefined;
  return (typeof updated === 'string' ? dateOf(updated) : undefined) ?? noEnd;
}

/** Returns whether an address applies to a day. A year or month applies to all of its days. */
function isPresent(address: JsonObject, day: string): boolean {
  const period = address['period'];
  if (!isObject(period)) return true;
  const { start, end } = period;
  if (isDate(start) && start.slice(0, 10) > day.slice(0, start.length)) return false;
  return !isDate(end) || end.slice(0, 10) >= day.slice(0, end.length);
}

function isDate(value: JsonValue | undefined): value is string {
  return typeof value === 'string' && dateOf(value) !== undefined;
}

const languageCode = code('language');

/** Reads from the preferred communication, else the first one. */
const language: Extract = (scope, reading) => {
  const all = objects(scope, 'communication', reading);
  const chosen = all.find((one) => one['preferred'] === true) ?? all[0];
  return chosen && languageCode(chosen, reading);
};

const deceasedFlag = boolean('deceasedBoolean');
const deceasedDate = date('deceasedDateTime');

export const patientMap = bind(patient, { dob: date('birthDate') });

export const demographicMap = bind(demographic, {
  gender: fhirCode('gender'),
  birth_date: date('birthDate'),
  race: usCore('us-core-race'),
  ethnicity: usCore('us-core-ethnicity'),
  marital_status: code('maritalStatus'),
  language,
  city: address('city'),
  state: address('state'),
  postal_code: address('postalCode'),
  country: address('country'),
  is_deceased: (scope, reading) => {
    const flag = deceasedFlag(scope, reading);
    return flag ?? (typeof scope['deceasedDateTime'] === 'string' ? true : undefined);
  },
  deceased_date: deceasedDate,
  active: boolean('active'),
});

export const patientCodings = ['maritalStatus', 'communication.language'];
