import { demographic } from '../../tables/demographic.ts';
import { patient } from '../../tables/patient.ts';
import { boundCode } from '../bindings.ts';
import { code, part } from '../concept.ts';
import { dateOf } from '../dates.ts';
import { boolean, date, type Extract, isNoDay, isPresent, objects, text } from '../extract.ts';
import { isObject, type JsonObject, type JsonValue } from '../json.ts';
import { bind, type Choice, group, preferring } from './table-map.ts';

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

/** Chooses the present home address, else the first present one, else the first one. */
const presentHome: Choice = (addresses, scope) => {
  const day = addresses.length > 1 ? dayOf(scope) : noEnd;
  const isCurrent = (one: JsonObject): boolean => one['use'] !== 'old' && applies(one, day);
  return preferring(isCurrent, (one) => one['use'] === 'home' && isCurrent(one))(addresses, scope);
};

/** End dates from here on are placeholders of systems for "no end". */
const noEnd = '2099-01-01';

/** Returns the day of a resource: its rows must not depend on the time of ingestion. */
function dayOf(scope: JsonObject): string {
  const meta = scope['meta'];
  const updated = isObject(meta) ? meta['lastUpdated'] : undefined;
  return (typeof updated === 'string' ? dateOf(updated) : undefined) ?? noEnd;
}

/** Returns whether an address applies to a day. A year or month applies to all of its days. */
function applies(address: JsonObject, day: string): boolean {
  const period = address['period'];
  if (!isObject(period)) return true;
  const { start, end } = period;
  if (isDate(start) && start.slice(0, 10) > day.slice(0, start.length)) return false;
  return !isDate(end) || end.slice(0, 10) >= day.slice(0, end.length);
}

function isDate(value: JsonValue | undefined): value is string {
  return typeof value === 'string' && dateOf(value) !== undefined;
}

const deceasedFlag = boolean('deceasedBoolean');
const deceasedDate = date('deceasedDateTime');

export const patientMap = bind(patient, { dob: date('birthDate') });

export const demographicMap = bind(demographic, {
  gender: boundCode('gender'),
  birth_date: date('birthDate'),
  race: usCore('us-core-race'),
  ethnicity: usCore('us-core-ethnicity'),
  marital_status: code('maritalStatus'),
  ...group(
    'communication',
    preferring(({ preferred }) => preferred === true),
    {
      language: code('communication.language'),
    },
  ),
  ...group('address', presentHome, {
    city: text('address.city'),
    state: text('address.state'),
    postal_code: text('address.postalCode'),
    country: text('address.country'),
  }),
  is_deceased: (scope, reading) => {
    const flag = deceasedFlag(scope, reading);
    // Dead on an unknown day, too (`_deceasedDateTime`).
    const isDated = isPresent(scope, 'deceasedDateTime') && !isNoDay(scope['deceasedDateTime']);
    return flag ?? (isDated ? true : undefined);
  },
  deceased_date: deceasedDate,
  active: boolean('active'),
});
