import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { isObject, type JsonObject } from '../fhir/index.ts';
import { bundleOf } from './bundle.ts';

const names = [
  ...[
    'id',
    'subject',
    'sex',
    'vitalStatus',
    'phenotypicFeatures',
    'type',
    'label',
    'onset',
    'timestamp',
    'age',
  ],
  ...['interval', 'start', 'diseases', 'term', 'diseaseStage', 'interpretations', 'diagnosis', 'disease'],
  ...['measurements', 'assay', 'value', 'quantity', 'unit', 'referenceRange', 'complexValue', 'biosamples'],
  ...[
    'typedQuantities',
    'medicalActions',
    'procedure',
    'treatment',
    'doseIntervals',
    'resources',
    '__proto__',
  ],
];

/** JSON whose members have the names of the schema, and values of any kind. */
const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 7 },
    fc.constantFrom(null, true, 7, 'HP:0001250', 'SOLVED', 'x'),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom(...names), tie('value'), { maxKeys: 8 }),
  ),
}));

test('a document of any members becomes resources with an id, or is refused in words', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.constantFrom(...names), value, { maxKeys: 12 }), (members) => {
      const metaData = { phenopacketSchemaVersion: '2.0', resources: [members] };
      const subject = { id: 'p', ...(isObject(members['subject']) && members['subject']) };
      const found = bundleOf({ ...members, subject, metaData } as JsonObject);
      if (typeof found === 'string') return assert.match(found, /phenopacket/);
      const entries = found.bundle['entry'];
      assert.ok(Array.isArray(entries) && entries.length > 0);
      for (const entry of entries) {
        const resource = Object(entry).resource;
        assert.match(`${resource.resourceType} ${resource.id}`, /^[A-Z]\w+ \S+$/);
      }
    }),
    { numRuns: 2000 },
  );
});
