import { type Code, type Disease, diseases, snomed } from '../codes.ts';
import { dateOf, momentOf, type Person } from '../people.ts';
import { randomOf } from '../random.ts';
import { encounterReference, idOf, patientReference } from './references.ts';
import type { Resource } from './types.ts';

const biopsy: Code = ['86273004', 'Biopsy (procedure)'];
const bloodDraw: Code = ['28520004', 'Venipuncture (procedure)'];
const chemotherapy: Code = ['367336001', 'Chemotherapy (procedure)'];

/** Returns the sample's collection, and courses of infusions. */
export function proceduresOf(person: Person): Resource[] {
  const random = randomOf(person.seed, 'procedure', person.index);
  const [main] = person.story.diseases;
  const disease: Disease | undefined = main === undefined ? undefined : diseases[main.name];
  const common = {
    resourceType: 'Procedure',
    subject: patientReference(person),
    ...(disease === undefined ? {} : { reasonCode: [snomed(...disease.snomed)] }),
  };
  const found: Resource[] = [
    {
      ...common,
      id: idOf(person, 'procedure', 1),
      status: 'completed',
      category: snomed('103693007', 'Diagnostic procedure (procedure)'),
      code: snomed(...(disease?.isCancer === true ? biopsy : bloodDraw)),
      encounter: encounterReference(person, 1),
      performedDateTime: momentOf(person.diagnosisDay, random),
      ...(disease?.site === undefined ? {} : { bodySite: [snomed(...disease.site)] }),
      outcome: snomed('385669000', 'Successful'),
    },
  ];
  if (person.story.treatments.some(({ resourceType }) => resourceType === 'MedicationAdministration')) {
    found.push({
      ...common,
      id: idOf(person, 'procedure', 2),
      status: random.chance(0.3) ? 'stopped' : 'completed',
      category: snomed('277132007', 'Therapeutic procedure (procedure)'),
      code: snomed(...chemotherapy),
      encounter: encounterReference(person, 2),
      performedPeriod: { start: dateOf(person.diagnosisDay + 14), end: dateOf(person.diagnosisDay + 200) },
    });
  }
  return found;
}
