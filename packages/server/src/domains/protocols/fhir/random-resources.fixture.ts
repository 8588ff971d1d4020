import assert from 'node:assert/strict';
import { parametersOf } from '@ploidy/formats/fhir-r4';
import fc from 'fast-check';
import type { Asked } from './naive.fixture.ts';

const dates = [
  ...['2023', '2024', '2024-02', '2024-02-29', '2024-03-01', '2023-12-31', '2024-02-29T23:59:59Z'],
  ...[
    '2024-03-01T00:00:00+02:00',
    '2024-02-29T23:59:59.999Z',
    '2024-03-01T00:30:00-01:00',
    '2024-12-31T24:00',
  ],
];
const date = fc.constantFrom(...dates.slice(0, -1));
const system = fc.constantFrom('http://loinc.org', 'urn:x', undefined);
const code = fc.constantFrom('a', 'A', 'b', "o'x", 'a|b', 'ä,b');
const coding = fc.record({ system, code: fc.option(code, { nil: undefined }) });
const concept = fc.record({ coding: fc.array(coding, { maxLength: 3 }), text: fc.constant('a') });
const text = fc.constantFrom('Ann', 'ANNA', 'Änne', 'van Ann', "O'X", '', '%', '_');
const id = fc.constantFrom('p', 'q', 'pq');
const reference = fc.oneof(
  id.map((one) => `Patient/${one}`),
  id.map((one) => `Group/${one}`),
  id.map((one) => `https://other.example/fhir/Patient/${one}/_history/2`),
  id.map((one) => `urn:uuid:${one}`),
  fc.constant('#p'),
);
const quantity = fc.record({
  value: fc.constantFrom(5, 5.4, 5.35, 5.45, 5.449, -1, 100),
  comparator: fc.option(fc.constantFrom('<', '>='), { nil: undefined }),
  unit: fc.constantFrom('mg', 'g', undefined),
  system: fc.constantFrom('http://unitsofmeasure.org', undefined),
  code: fc.constantFrom('mg', undefined),
});
const period = fc.record({
  start: fc.option(date, { nil: undefined }),
  end: fc.option(date, { nil: undefined }),
});
const maybe = <T>(one: fc.Arbitrary<T>) => fc.option(one, { nil: undefined });
const listed = <T>(one: fc.Arbitrary<T>) => maybe(fc.array(one, { maxLength: 3 }));

/** Random observations: few values, so that searches find some. */
export const observation = fc.record({
  resourceType: fc.constant('Observation'),
  meta: maybe(fc.record({ lastUpdated: date, tag: listed(coding) })),
  status: fc.constantFrom('final', 'amended'),
  category: listed(concept),
  code: concept,
  identifier: listed(fc.record({ system, value: code })),
  subject: maybe(fc.record({ reference })),
  performer: listed(fc.record({ reference })),
  effectiveDateTime: maybe(date),
  effectivePeriod: maybe(period),
  valueQuantity: maybe(quantity),
  valueString: maybe(text),
  component: listed(fc.record({ code: concept, valueQuantity: maybe(quantity) })),
});
const name = fc.record({
  family: maybe(text),
  given: listed(text),
  use: fc.constant('Ann'),
  text: maybe(text),
});
/** Random patients, as `observation`. */
export const patient = fc.record({
  resourceType: fc.constant('Patient'),
  active: maybe(fc.boolean()),
  gender: maybe(fc.constantFrom('female', 'male')),
  birthDate: maybe(date),
  name: listed(name),
  telecom: listed(fc.record({ system: fc.constantFrom('phone', 'email'), value: code })),
  address: listed(fc.record({ line: listed(text), city: maybe(text), use: fc.constant('Ann') })),
  generalPractitioner: listed(fc.record({ reference })),
});

const prefix = fc.constantFrom('', 'eq', 'ne', 'gt', 'lt', 'ge', 'le', 'sa', 'eb');
const plainCode = code.filter((one) => !/[,|]/.test(one));
const values: Record<string, fc.Arbitrary<string>> = {
  token: fc.oneof(plainCode, fc.constantFrom('http://loinc.org|', '|a', 'http://loinc.org|a', 'urn:x|A')),
  string: fc.constantFrom('Ann', 'ann', 'a', 'Än', "o'", '%', '_', 'van'),
  date: fc
    .tuple(prefix, fc.constantFrom(...dates.slice(0, -1), '2024-02-29T23:59'))
    .map((parts) => parts.join('')),
  quantity: fc
    .tuple(
      prefix,
      fc.constantFrom('5', '5.4', '5.40', '-1', '100'),
      fc.constantFrom('', '||mg', '|http://unitsofmeasure.org|mg'),
    )
    .map((parts) => parts.join('')),
  reference: fc.oneof(
    id,
    id.map((one) => `Patient/${one}`),
    id.map((one) => `Group/${one}`),
  ),
};
const plainTokens: Record<string, string[]> = {
  status: ['final', 'amended', 'final,amended'],
  gender: ['female', 'male', 'other'],
  active: ['true', 'false'],
};
const modifiers: Record<string, string[]> = { token: ['not'], string: ['exact', 'contains'] };

const namesOf: Record<string, readonly string[]> = {
  Observation: [
    'code',
    'category',
    'identifier',
    'combo-code',
    'date',
    'value-quantity',
    'combo-value-quantity',
    'value-string',
    'patient',
    'subject',
    'performer',
    'status',
    '_lastUpdated',
    '_tag',
  ],
  Patient: [
    'name',
    'given',
    'family',
    'address',
    'address-city',
    'phone',
    'telecom',
    'birthdate',
    'gender',
    'active',
    'general-practitioner',
  ],
};

/** Random conditions on a type. */
export function asked(type: string): fc.Arbitrary<Asked> {
  return fc.constantFrom(...(namesOf[type] ?? [])).chain((one) => {
    const parameter = parametersOf(type).get(one);
    assert.ok(parameter, one);
    const value = plainTokens[one] ? fc.constantFrom(...plainTokens[one]) : values[parameter.kind];
    assert.ok(value);
    const missing = fc
      .constantFrom('true', 'false')
      .map((answer): Asked => ({ parameter, modifier: 'missing', value: answer }));
    const chosen = fc.option(fc.constantFrom(...(modifiers[parameter.kind] ?? [''])), { nil: '' });
    const plain = fc
      .tuple(value, chosen)
      .map(
        ([wanted, modifier]): Asked => ({ parameter, value: wanted, ...(modifier !== '' && { modifier }) }),
      );
    return fc.oneof({ weight: 5, arbitrary: plain }, { weight: 1, arbitrary: missing });
  });
}
