import { sampleResources } from './sample-resources.ts';

/** Resources of the sample project, and for each of its patients one of each clinical table that it lacks. */
export function everyTable(): { resourceType: string; id: string }[] {
  const resources = sampleResources();
  const extensions = resources
    .filter(({ resourceType }) => resourceType === 'Patient')
    .flatMap(({ id }, index) => [
      allergyOf(id, index),
      familyHistoryOf(id, index),
      immunizationOf(id, index),
      sequenceOf(id, index),
    ]);
  return [...resources, ...extensions];
}

function allergyOf(patient: string, index: number) {
  return {
    resourceType: 'AllergyIntolerance',
    id: `allergy-${index}`,
    patient: { reference: `Patient/${patient}` },
    type: 'allergy',
    category: [index % 2 ? 'food' : 'a word that is no code'],
    criticality: 'high',
    code: { coding: [{ system: 'http://snomed.info/sct', code: '91935009' }], text: `Nuts, ${patient}` },
    reaction: [{ severity: 'severe', manifestation: [{ coding: [{ code: '39579001' }] }] }],
    onsetDateTime: `20${10 + (index % 10)}-03-0${1 + (index % 9)}`,
    recordedDate: '2021-07-04',
  };
}

function familyHistoryOf(patient: string, index: number) {
  return {
    resourceType: 'FamilyMemberHistory',
    id: `family-${index}`,
    patient: { reference: `Patient/${patient}` },
    status: 'completed',
    date: `20${10 + (index % 10)}-05-0${1 + (index % 9)}`,
    relationship: index % 2 ? { coding: [{ code: 'MTH' }] } : { text: `Aunt of ${patient}` },
    sex: { coding: [{ code: 'female' }] },
    condition: [
      {
        code: { coding: [{ system: 'http://snomed.info/sct', code: '254837009' }], text: `Of ${patient}` },
        onsetAge: { value: 40 + index, code: 'a' },
      },
      {
        code: { coding: [{ system: 'http://snomed.info/sct', code: '363443007' }] },
        contributedToDeath: true,
      },
    ],
  };
}

function immunizationOf(patient: string, index: number) {
  return {
    resourceType: 'Immunization',
    id: `immunization-${index}`,
    patient: { reference: `Patient/${patient}` },
    status: 'completed',
    vaccineCode: {
      coding: [{ system: 'http://hl7.org/fhir/sid/cvx', code: '140' }],
      text: `Flu, ${patient}`,
    },
    occurrenceDateTime: `20${10 + (index % 10)}-10-1${index % 9}`,
    lotNumber: `lot-${1000 + index}`,
    site: { coding: [{ code: 'LA', display: 'left arm' }] },
    doseQuantity: { value: 0.5, unit: 'mL' },
  };
}

function sequenceOf(patient: string, index: number) {
  return {
    resourceType: 'MolecularSequence',
    id: `sequence-${index}`,
    patient: { reference: `Patient/${patient}` },
    type: 'dna',
    coordinateSystem: 0,
  };
}
