import { sequence } from '../../tables/sequence.ts';
import { specimen } from '../../tables/specimen.ts';
import { boundCode } from '../bindings.ts';
import { code, part } from '../concept.ts';
import { date, type Extract, objects, type Reading, reference, text } from '../extract.ts';
import type { JsonObject } from '../json.ts';
import { bind, group, preferring } from './table-map.ts';

// R5: a CodeableReference.
const bodySite = ['collection.bodySite.concept', 'collection.bodySite'];

export const specimenMap = bind(specimen, {
  status: boundCode('status'),
  type_code: part('code', 'type'),
  type_system: part('system', 'type'),
  type_display: part('display', 'type'),
  accession_identifier: text('accessionIdentifier.value'),
  ...group('parent', preferring(), { parent_id: reference('Specimen', 'parent') }),
  collected_date: date('collection.collectedDateTime', 'collection.collectedPeriod.start'),
  received_date: date('receivedTime'),
  body_site_code: part('code', ...bodySite),
  body_site_display: part('display', ...bodySite),
  collection_method: code('collection.method'),
});

const typeText = text('type');

/** Reads the kind of molecule: one of the value set, as written. The column has no place for other words. */
const moleculeType: Extract = (scope, reading) => {
  const found = typeText(scope, reading);
  if (found === undefined || /^(?:aa|dna|rna)$/i.test(found)) return found;
  reading.unreadable('type', 'aa, dna or rna');
  return undefined;
};

/** MolecularSequence (R4) and Sequence (STU3). FHIR has no field for the kind of test. */
export const sequenceMap = bind(sequence, {
  specimen_id: reference('Specimen', 'specimen'),
  test_type: () => undefined,
  sequence_type: moleculeType,
});

const value = text('value');
const accession = text('accessionIdentifier.value');

/** Returns the names that a sample may have in a VCF header: the resource's id, identifiers and accession. */
export function sampleNames(id: string, resource: JsonObject, reading: Reading): Set<string> {
  const names = new Set([id]);
  for (const identifier of objects(resource, 'identifier', reading)) {
    const name = value(identifier, reading);
    if (name !== undefined) names.add(name);
  }
  const number = accession(resource, reading);
  if (number !== undefined) names.add(number);
  return names;
}
