import { type Disease, diseases, snomed, status } from '../codes.ts';
import { momentOf, type Person } from '../people.ts';
import { randomOf } from '../random.ts';
import { encounterReference, idOf, patientReference } from './references.ts';
import type { Resource } from './types.ts';

/** Returns a picture of the tumour, by address only: the address is an example and leads nowhere. */
export function mediaOf(person: Person): Resource[] {
  const [main] = person.story.diseases;
  const disease: Disease | undefined = main === undefined ? undefined : diseases[main.name];
  if (disease?.site === undefined) return [];
  const random = randomOf(person.seed, 'media', person.index);
  const taken = momentOf(person.diagnosisDay, random);
  return [
    {
      resourceType: 'Media',
      id: idOf(person, 'media', 1),
      status: 'completed',
      type: status('media-type', 'image'),
      modality: {
        coding: [
          { system: 'http://dicom.nema.org/resources/ontology/DCM', code: 'SM', display: 'Slide Microscopy' },
        ],
      },
      view: snomed('260421001', 'Left lateral oblique'),
      subject: patientReference(person),
      encounter: encounterReference(person, 1),
      createdDateTime: taken,
      bodySite: snomed(...disease.site),
      height: 1_024,
      width: 1_536,
      frames: 1,
      content: {
        contentType: 'image/png',
        url: `https://images.example.org/${person.id}.png`,
        title: `Slide of ${disease.site[1].toLowerCase()}`,
        size: 200_000 + random.below(800_000),
        creation: taken,
      },
    },
  ];
}
