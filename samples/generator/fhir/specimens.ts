import { type Disease, diseases, snomed } from '../codes.ts';
import { dateOf, momentOf, type Person } from '../people.ts';
import { randomOf } from '../random.ts';
import { dnaId, patientReference, tissueId } from './references.ts';
import type { Resource } from './types.ts';

/**
 * Returns the tissue or blood, and the DNA made of it. The DNA's identifier is the sample's name in the VCF: by this the
 * variants find their patient.
 */
export function specimensOf(person: Person): Resource[] {
  const random = randomOf(person.seed, 'specimen', person.index);
  const [main] = person.story.diseases;
  const disease: Disease | undefined = main === undefined ? undefined : diseases[main.name];
  const isTissue = disease?.isCancer === true;
  const accession = { system: 'https://hospital.example.org/accession' };
  return [
    {
      resourceType: 'Specimen',
      id: tissueId(person),
      accessionIdentifier: { ...accession, value: `ACC-${person.index + 1}-1` },
      status: 'available',
      type: isTissue ? snomed('119376003', 'Tissue specimen') : snomed('119297000', 'Blood specimen'),
      subject: patientReference(person),
      receivedTime: momentOf(person.diagnosisDay + 1, random),
      collection: {
        collectedDateTime: momentOf(person.diagnosisDay, random),
        method: isTissue ? snomed('129314006', 'Biopsy - action') : snomed('28520004', 'Venipuncture'),
        ...(disease?.site === undefined ? {} : { bodySite: snomed(...disease.site) }),
      },
    },
    {
      resourceType: 'Specimen',
      id: dnaId(person),
      identifier: [{ system: 'https://laboratory.example.org/sample', value: person.sampleName }],
      accessionIdentifier: { ...accession, value: `ACC-${person.index + 1}-2` },
      status: 'available',
      type: snomed('258566005', 'Deoxyribonucleic acid specimen'),
      subject: patientReference(person),
      receivedTime: momentOf(person.diagnosisDay + 3, random),
      parent: [{ reference: `Specimen/${tissueId(person)}` }],
      collection: { collectedDateTime: dateOf(person.diagnosisDay) },
    },
  ];
}
