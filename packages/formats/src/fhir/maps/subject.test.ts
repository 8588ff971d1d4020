import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '../index.ts';
import { mapped } from './mapped.fixture.ts';

const about = (subject: JsonObject) => {
  const { patientId, unreadable } = mapped({ resourceType: 'Observation', id: 'o', subject });
  return [patientId, unreadable];
};
const uuid = '00000000-0000-4000-8000-000000000001';

test('the declared type of a reference counts if the reference does not show it', () => {
  const reference = `urn:uuid:${uuid}`;
  assert.deepEqual(about({ reference }), [uuid, []]);
  assert.deepEqual(about({ reference, type: 'Patient' }), [uuid, []]);
  assert.deepEqual(about({ reference, type: 'http://hl7.org/fhir/StructureDefinition/Patient' }), [uuid, []]);
  assert.equal(about({ reference, type: 'Group' })[0], undefined);
  assert.equal(about({ reference, type: 'http://hl7.org/fhir/StructureDefinition/Group' })[0], undefined);
  assert.deepEqual(about({ reference, type: 7 }), [uuid, []]);
  assert.deepEqual(
    about({ reference: 'Patient/p', type: 'Group' }),
    ['p', []],
    'what the reference shows goes before',
  );
});

test('a subject with only an identifier is reported, a described one or one that is no patient is not', () => {
  const identifier = { system: 's', value: '4711' };
  const reported = [undefined, ['subject: a reference by type and id']];
  assert.deepEqual(about({ identifier }), reported);
  assert.deepEqual(about({ identifier, type: 'Patient', display: 'Jane' }), reported);
  assert.deepEqual(about({ identifier, type: 'Group' }), [undefined, []]);
  assert.deepEqual(about({ display: 'Jane' }), [undefined, []]);
  assert.deepEqual(about({ reference: '#p', identifier }), [undefined, []]);
});
