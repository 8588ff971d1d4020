import { sequence } from '../../tables/sequence.ts';
import { specimen } from '../../tables/specimen.ts';
import { code, part } from '../concept.ts';
import { date, objects, type Reading, reference, text } from '../extract.ts';
import type { JsonObject } from '../json.ts';
import { bind } from './table-map.ts';

// R5: a CodeableReference.
const bodySite = ['collection.bodySite.concept', 'collection.bodySite'];

export const specimenMap = bind(specimen, {
  status: text('status'),
  type_code: part('code', 'type'),
  type_system: part('system', 'type'),
  type_display: part('display', 'type'),
  accession_identifier: text('accessionIdentifier.value'),
  parent_id: reference('Specimen', 'parent'),
  collected_date: date('collection.collectedDateTime', 'collection.collectedPeriod.start'),
  received_date: date('receivedTime'),
  body_site_code: part('code', ...bodySite),
  body_site_display: part('display', ...bodySite),
  collection_method: code('collection.method'),
});

export const specimenCodings = [
  'type',
  'collection.method',
  'collection.bodySite',
  'collection.bodySite.concept',
];

/** MolecularSequence (R4) and Sequence (STU3). FHIR has no field for the kind of test. */
export const sequenceMap = bind(sequence, {
  specimen_id: reference('Specimen', 'specimen'),
  test_type: () => undefined,
  sequence_type: text('type'),
});

const value = text('value');
const accession = text('accessionIdentifier.value');

/** The names under which a sample may stand in a VCF header: the resource's id, identifiers and accession. */
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
