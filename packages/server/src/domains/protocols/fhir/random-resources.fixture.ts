import assert from 'node:assert/strict';
import { type ParameterKind, parametersOf } from '@ploidy/formats/fhir-r4';
import fc from 'fast-check';

const dates = [
  ...['2023', '2024', '2024-02', '2024-02-29', '2024-03-01', '2023-12-31', '2024-02-29T23:59:59Z'],
  ...['2024-03-01T00:00:00+02:00', '2024-02-29T23:59:59.999Z', '2024-03-01T00:30:00-01:00'],
];
const date = fc.constantFrom(...dates, '2016-12-31T23:59:60Z', '2024-02-29T10:00:00.123456789Z');
const systems = ['http://loinc.org', 'urn:x'];
const system = fc.constantFrom(...systems, undefined);
const codes = ['a', 'A', 'b', "o'x", 'a|b', 'ä,b', 'a$b', 'c\\'];
const code = fc.constantFrom(...codes);
const text = fc.constantFrom('Ann', 'ANNA', 'Änne', 'van Ann', "O'X", '', '%', '_', 'ÅSE', 'a, b', 'Straße');
const maybe = <T>(one: fc.Arbitrary<T>) => fc.option(one, { nil: undefined });
const listed = <T>(one: fc.Arbitrary<T>) => maybe(fc.array(one, { maxLength: 3 }));
const coding = fc.record({ system, code: maybe(code), display: maybe(text) });
const concept = fc.record({ coding: fc.array(coding, { maxLength: 3 }), text: maybe(text) });
const identifier = fc.record({ system, value: code, type: maybe(concept) });
const ids = ['a', 'b', 'c', 'd', 'x-a', 'x-b'];
const id = fc.constantFrom('a', 'b', 'c', 'd');
/** References of any form to resources of types, some of which are not there. */
const referenceTo = (...types: string[]) => {
  const named = fc.tuple(fc.constantFrom(...types), id).map((parts) => parts.join('/'));
  const reference = fc.oneof(
    { weight: 4, arbitrary: named },
    named.map((one) => `https://other.example/fhir/${one}/_history/2`),
    id.map((one) => `urn:uuid:${one}`),
    fc.constant('#p'),
  );
  return fc.record({ reference: maybe(reference), identifier: maybe(identifier) });
};
const quantity = fc.record({
  value: maybe(fc.constantFrom(5, 5.4, 5.35, 5.45, 5.449, -1, 100)),
  comparator: maybe(fc.constantFrom('<', '>=')),
  unit: fc.constantFrom('mg', 'g', undefined),
  system: fc.constantFrom('http://unitsofmeasure.org', undefined),
  code: fc.constantFrom('mg', undefined),
});
const period = fc.record({ start: maybe(date), end: maybe(date) });
const urls = ['http://x.org/a', 'http://x.org/a/b', 'http://x.org/ab', 'http://x.org/a/', 'urn:oid:1.2'];
const meta = fc.record({
  lastUpdated: maybe(date),
  tag: listed(coding),
  security: listed(coding),
  profile: listed(fc.constantFrom(...urls)),
});
const name = fc.record({
  family: maybe(text),
  given: listed(text),
  use: fc.constant('Ann'),
  text: maybe(text),
});
const whole = fc.constantFrom(5, 100, 7);

const shapes: Record<string, Record<string, fc.Arbitrary<unknown>>> = {
  Observation: {
    status: fc.constantFrom('final', 'amended'),
    category: listed(concept),
    code: maybe(concept),
    identifier: listed(identifier),
    subject: maybe(referenceTo('Patient', 'Group')),
    performer: listed(referenceTo('Practitioner', 'Patient')),
    effectiveDateTime: maybe(date),
    effectivePeriod: maybe(period),
    valueQuantity: maybe(quantity),
    valueString: maybe(text),
    valueCodeableConcept: maybe(concept),
    component: listed(
      fc.record({ code: concept, valueQuantity: maybe(quantity), valueCodeableConcept: maybe(concept) }),
    ),
  },
  Patient: {
    active: maybe(fc.boolean()),
    gender: maybe(fc.constantFrom('female', 'male')),
    birthDate: maybe(date),
    name: listed(name),
    identifier: listed(identifier),
    telecom: listed(fc.record({ system: fc.constantFrom('phone', 'email'), value: code })),
    address: listed(fc.record({ line: listed(text), city: maybe(text), use: fc.constant('Ann') })),
    generalPractitioner: listed(referenceTo('Practitioner', 'Organization')),
  },
  Practitioner: { gender: maybe(fc.constantFrom('female', 'male')), name: listed(name) },
  MolecularSequence: {
    patient: maybe(referenceTo('Patient')),
    referenceSeq: maybe(fc.record({ chromosome: maybe(concept), windowStart: whole, windowEnd: whole })),
    variant: listed(fc.record({ start: maybe(whole), end: maybe(whole) })),
  },
};

/** Types of random resources. */
export const randomTypes = Object.keys(shapes);

/** Random resources of each type with different ids, few values, and references among them. */
export const resources: fc.Arbitrary<{ resourceType: string; id: string }[]> = fc
  .tuple(
    ...Object.entries(shapes).flatMap(([resourceType, shape]) =>
      ids.map((own) =>
        fc.record({
          resourceType: fc.constant(resourceType),
          id: fc.constant(own),
          meta: maybe(meta),
          ...shape,
        }),
      ),
    ),
  )
  .map((all) => all as { resourceType: string; id: string }[]);

const escaped = (one: string): string => one.replace(/[\\,|$]/g, '\\$&');
const prefix = fc.constantFrom('', 'eq', 'ne', 'gt', 'lt', 'ge', 'le', 'sa', 'eb', 'ap');
const joined = (...parts: fc.Arbitrary<string>[]) => fc.tuple(...parts).map((found) => found.join(''));
const codeText = code.map(escaped);
const number = joined(prefix, fc.constantFrom('5', '5.4', '5.40', '-1', '100', '6.9'));
const typedReference = fc
  .tuple(fc.constantFrom('Patient/', 'Group/', 'Practitioner/', ''), id)
  .map((parts) => parts.join(''));
const words = fc.constantFrom(
  'Ann',
  'ann',
  'a',
  'Än',
  "o'",
  '%',
  '_',
  'van',
  'ase',
  'a\\, b',
  'strass',
  'straß',
);
const values: Record<Exclude<ParameterKind, 'composite'>, fc.Arbitrary<string>> = {
  token: fc.oneof(
    codeText,
    joined(fc.constantFrom(...systems, ''), fc.constant('|'), codeText),
    fc.constant('urn:x|'),
  ),
  string: words,
  date: joined(prefix, fc.constantFrom(...dates, '2024-02-29T23:59', '2016-12-31T23:59:59Z')),
  number,
  quantity: joined(
    number,
    fc.constantFrom('', '||mg', '|http://unitsofmeasure.org|mg', '|http://unitsofmeasure.org|'),
  ),
  reference: typedReference,
  uri: fc.constantFrom(...urls, 'http://x.org', 'http://x.org/a/b/c'),
};
const modifiers: Partial<Record<ParameterKind, readonly string[]>> = {
  ...{ token: [':not', ':text', ':of-type'], string: [':exact', ':contains'] },
  ...{ uri: [':above', ':below'], reference: [':identifier'] },
};
/** Values of parameters whose codes have no system. */
const plainTokens: Record<string, string[]> = {
  ...{ status: ['final', 'amended', 'final,amended'], gender: ['female', 'male', 'other'] },
  ...{ active: ['true', 'false'], telecom: ['a', 'phone|a'], phone: ['a'], 'address-use': ['Ann'] },
};
const ofType = joined(
  fc.constantFrom(...systems, ''),
  fc.constant('|'),
  codeText,
  fc.constant('|'),
  codeText,
);

/** Parameters whose elements random resources can have. */
const namesOf = (type: string): string[] =>
  [...parametersOf(type).values()].flatMap(({ name: own, places }) => {
    const isThere = places.some(({ steps: [first] }) => first === undefined || shapeHas(type, first.name));
    return isThere ? [own] : [];
  });
const shapeHas = (type: string, element: string): boolean =>
  element === 'meta' || element in (shapes[type] ?? {});

/** Random conditions on a type, as name and value; `depth`: references that they may follow. */
export function asked(type: string, depth = 2): fc.Arbitrary<[string, string]> {
  const own = fc.oneof(
    { weight: 12, arbitrary: fc.constantFrom(...namesOf(type)).chain((one) => conditionOn(type, one)) },
    { weight: 1, arbitrary: fc.tuple(fc.constant('_id'), fc.constantFrom('a', 'b,c', 'x-a,none')) },
  );
  const [chains, referring] = [chainsOf[type] ?? [], referringTo[type] ?? []];
  if (depth === 0 || chains.length + referring.length === 0) return own;
  const linked = fc
    .constantFrom(...chains, ...referring)
    .chain(([start, target]) =>
      asked(target, depth - 1).map(([rest, value]): [string, string] => [`${start}${rest}`, value]),
    );
  return fc.oneof({ weight: 4, arbitrary: own }, { weight: 1, arbitrary: linked });
}

const chainsOf: Record<string, [string, string][]> = {
  Observation: [
    ['subject:Patient.', 'Patient'],
    ['patient.', 'Patient'],
    ['performer:Practitioner.', 'Practitioner'],
  ],
  Patient: [['general-practitioner:Practitioner.', 'Practitioner']],
  MolecularSequence: [['patient.', 'Patient']],
};
const referringTo: Record<string, [string, string][]> = {
  Patient: [
    'Observation:subject:',
    'Observation:patient:',
    'Observation:performer:',
    'MolecularSequence:patient:',
  ].map((start) => [`_has:${start}`, start.slice(0, start.indexOf(':'))]),
  Practitioner: [
    ['_has:Patient:general-practitioner:', 'Patient'],
    ['_has:Observation:performer:', 'Observation'],
  ],
};

function conditionOn(type: string, own: string): fc.Arbitrary<[string, string]> {
  const parameter = parametersOf(type).get(own);
  assert.ok(parameter, own);
  const { kind, places, parts = [] } = parameter;
  const named = (modifier: string, value: fc.Arbitrary<string>) =>
    value.map((one): [string, string] => [`${own}${modifier}`, one]);
  if (kind === 'composite')
    return named(
      '',
      fc
        .tuple(...parts.map((part) => (part.kind === 'composite' ? code : values[part.kind])))
        .map((found) => found.join('$')),
    );
  const several = (one: fc.Arbitrary<string>) =>
    fc.array(one, { minLength: 1, maxLength: 2 }).map((found) => found.join(','));
  const missing = named(':missing', fc.constantFrom('true', 'false'));
  const plain = plainTokens[own];
  if (plain)
    return fc.oneof(...['', ':not'].map((modifier) => named(modifier, fc.constantFrom(...plain))), missing);
  const types = new Set(places.map((place) => place.type));
  const special: fc.Arbitrary<[string, string]>[] = (modifiers[kind] ?? []).flatMap((modifier) => {
    if (modifier === ':of-type') return types.has('Identifier') ? [named(modifier, ofType)] : [];
    if (modifier === ':text') return types.has('ContactPoint') ? [] : [named(modifier, several(words))];
    if (modifier === ':identifier') return [named(modifier, values.token)];
    return [named(modifier, several(values[kind]))];
  });
  if (kind === 'reference') special.push(named(':Patient', several(id)));
  return fc.oneof({ weight: 4, arbitrary: named('', several(values[kind])) }, ...special, missing);
}
