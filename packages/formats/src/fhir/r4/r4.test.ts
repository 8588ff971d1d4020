import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isR4, parametersOf, resourceType, resourceTypes } from './index.ts';
import { comparable } from './parameters.ts';
import { searchParameters } from './search-parameters.ts';

const observation = {
  resourceType: 'Observation',
  id: 'o-1',
  status: 'final',
  code: { coding: [{ system: 'http://loinc.org', code: '718-7' }] },
};

test('every search parameter compares elements of its type, in data types of its kind', () => {
  const lines = searchParameters.trim().split('\n');
  assert.deepEqual(
    lines.map((line) => line.split(' ')[0]),
    resourceTypes,
  );
  for (const line of lines) {
    const [type = '', ...texts] = line.split(' ');
    const parameters = parametersOf(type);
    for (const text of texts) {
      const name = text.slice(0, text.indexOf(':'));
      const parameter = parameters.get(name);
      assert.ok(parameter, `${type}.${name} compares nothing`);
      for (const part of parameter.parts ?? []) assert.ok(part.places.length > 0, `${type}.${name}`);
      for (const place of parameter.kind === 'composite' ? [] : parameter.places) {
        assert.ok(comparable[parameter.kind].has(place.type), `${type}.${name}: ${place.type}`);
        assert.ok(resourceType(type)?.has(place.steps[0]?.name ?? ''), `${type}.${name}`);
      }
      const paths = text.slice(text.indexOf('=') + 1).split(',').length;
      assert.ok(parameter.places.length >= 1 && paths >= 1);
    }
  }
});

test('a path chooses types of a value, elements by a member, and references by their type', () => {
  const placesOf = (type: string, name: string) =>
    parametersOf(type)
      .get(name)
      ?.places.map(({ steps, type: data, ...more }) => [
        steps.map(({ name: step, isList }) => `${step}${isList ? '*' : ''}`).join('.'),
        data,
        more,
      ]);
  assert.deepEqual(placesOf('Observation', 'value-concept'), [
    ['valueCodeableConcept', 'CodeableConcept', {}],
  ]);
  assert.deepEqual(placesOf('Observation', 'date'), [
    ['effectiveDateTime', 'dateTime', {}],
    ['effectivePeriod', 'Period', {}],
    ['effectiveInstant', 'instant', {}],
  ]);
  const phone = { having: { member: 'system', value: 'phone' } };
  assert.deepEqual(placesOf('Patient', 'phone'), [['telecom*', 'ContactPoint', phone]]);
  assert.deepEqual(placesOf('Condition', 'patient'), [['subject', 'Reference', { target: 'Patient' }]]);
});

test('a resource of another release, or without a mandatory element, has not the form of R4', () => {
  assert.ok(isR4(observation));
  const changes: Record<string, object> = {
    'an element of STU3': { context: { reference: 'Encounter/e' } },
    'an element of R5': { triggeredBy: [{ type: 'reflex' }] },
    'one value for a list': { category: { text: 'x' } },
    'a list for one value': { code: [observation.code] },
    'no mandatory element': { status: undefined },
    'a number as text': { valueQuantity: { value: '5' } },
    'an empty list': { performer: [] },
    'a date in another form': { effectiveDateTime: '03.02.2024' },
    'an element of another level': { code: { coding: [{ codes: 'x' }] } },
    'a contained resource of another release': { contained: [{ ...observation, context: {} }] },
    'an extension without its address': { extension: [{ valueString: 'x' }] },
  };
  for (const [name, change] of Object.entries(changes)) {
    const changed = JSON.parse(JSON.stringify({ ...observation, ...change }));
    assert.equal(isR4(changed), false, name);
  }
  assert.equal(isR4({ resourceType: 'Sequence', id: 's' }), false);
});

test('choices, extensions of primitives, contained resources and lists with gaps have the form of R4', () => {
  const extension = [{ url: 'http://example.org/reason', valueCode: 'unknown' }];
  const patient = {
    resourceType: 'Patient',
    id: 'p',
    contained: [observation],
    _birthDate: { extension },
    name: [{ given: [null, 'B'], _given: [{ extension }, null] }],
    multipleBirthInteger: 2,
    deceasedDateTime: '2024-02-03T04:05:06.7+02:00',
  };
  assert.ok(isR4(patient));
  const { status: _, ...unknown } = observation;
  assert.ok(isR4({ ...unknown, _status: { extension } }));
  assert.ok(isR4({ resourceType: 'Questionnaire', status: 'draft', item: [itemOf(3)] }));
});

/** Builds a question with others within, to a depth. */
function itemOf(depth: number): { linkId: string; type: string; item?: ReturnType<typeof itemOf>[] } {
  return { linkId: String(depth), type: 'group', ...(depth > 0 && { item: [itemOf(depth - 1)] }) };
}
