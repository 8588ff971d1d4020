import { status } from '../codes.ts';
import { dateOf, type Person } from '../people.ts';
import { randomOf } from '../random.ts';
import type { Extension, Resource } from './types.ts';

const structure = 'http://hl7.org/fhir/us/core/StructureDefinition';
const raceSystem = 'urn:oid:2.16.840.1.113883.6.238';

const races = [
  ['2106-3', 'White'],
  ['2054-5', 'Black or African American'],
  ['2028-9', 'Asian'],
  ['1002-5', 'American Indian or Alaska Native'],
] as const;
const ethnicities = [
  ['2186-5', 'Not Hispanic or Latino'],
  ['2135-2', 'Hispanic or Latino'],
] as const;
const languages = ['en-US', 'en-US', 'en-US', 'es-US', 'zh-CN'];
const maritalStatuses = ['M', 'S', 'D', 'W'];
/** Invented places in states that exist. */
const places = [
  ['Sampleton', 'MA'],
  ['Testville', 'NY'],
  ['Mockford', 'WA'],
  ['Fixture Falls', 'TX'],
  ['Demo Springs', 'CA'],
] as const;
const families = [
  'Testgrove',
  'Samplewood',
  'Mockridge',
  'Fixtureby',
  'Dummington',
  'Placeholt',
  'Syntheworth',
];
const womensNames = ['Alba', 'Brisa', 'Celandine', 'Dorit', 'Elowen', 'Fenja', 'Ginevra'];
const mensNames = ['Alaric', 'Bertil', 'Corvin', 'Dario', 'Emrys', 'Fiorello', 'Gawain'];

function usCore(name: 'race' | 'ethnicity', [code, display]: readonly [string, string]): Extension {
  return {
    url: `${structure}/us-core-${name}`,
    extension: [
      { url: 'ombCategory', valueCoding: { system: raceSystem, code, display } },
      { url: 'text', valueString: display },
    ],
  };
}

/** Returns the Patient resource: numbers behind the names mark them as invented. */
export function patientOf(person: Person): Resource {
  const random = randomOf(person.seed, 'patient', person.index);
  const number = String(100 + random.below(900));
  const [city, state] = random.pick(places);
  const isDeceased = person.index % 7 === 4;
  const lastDay = person.visitDays.at(-1) ?? person.diagnosisDay;
  const family = `${random.pick(families)}${number}`;
  const phone = `555-01${String(random.below(100)).padStart(2, '0')}`;
  return {
    resourceType: 'Patient',
    id: person.id,
    meta: { lastUpdated: '2024-05-01T00:00:00Z', profile: [`${structure}/us-core-patient`] },
    extension: [
      usCore('race', random.pick(races)),
      usCore('ethnicity', random.pick(ethnicities)),
      { url: `${structure}/us-core-birthsex`, valueCode: person.isMale ? 'M' : 'F' },
    ],
    identifier: [{ system: 'https://hospital.example.org/record-number', value: `MRN-${person.index + 1}` }],
    active: !isDeceased,
    name: [
      {
        use: 'official',
        family,
        given: [`${random.pick(person.isMale ? mensNames : womensNames)}${number}`],
      },
    ],
    telecom: [
      { system: 'phone', value: phone, use: 'home' },
      { system: 'email', value: `${person.id}@example.org` },
    ],
    gender: person.isMale ? 'male' : 'female',
    birthDate: dateOf(person.birthDay),
    ...(isDeceased
      ? { deceasedDateTime: dateOf(lastDay + 30 + random.below(400)) }
      : { deceasedBoolean: false }),
    address: [
      {
        use: 'home',
        line: [`${1 + random.below(99)} Sample Street`],
        city,
        state,
        postalCode: `000${10 + random.below(90)}`,
        country: 'US',
      },
    ],
    maritalStatus: status('v3-MaritalStatus', random.pick(maritalStatuses)),
    communication: [
      {
        language: { coding: [{ system: 'urn:ietf:bcp:47', code: random.pick(languages) }] },
        preferred: true,
      },
    ],
  };
}
