import { type Code, type Disease, diseases, snomed, status, systems } from '../codes.ts';
import { dateOf, type Person } from '../people.ts';
import { randomOf } from '../random.ts';
import { encounterReference, idOf, patientReference } from './references.ts';
import type { Resource } from './types.ts';

const severities: readonly Code[] = [
  ['255604002', 'Mild'],
  ['6736007', 'Moderate'],
  ['24484000', 'Severe'],
];

const stages: readonly Code[] = [
  ['13104003', 'Clinical stage I'],
  ['60333009', 'Clinical stage II'],
  ['50283003', 'Clinical stage III'],
  ['2640006', 'Clinical stage IV'],
];

/** Returns a passing illness in ICD-10 only, as small practices send it. */
function passingIllness(person: Person): Resource {
  const random = randomOf(person.seed, 'passing', person.index);
  const onset = person.diagnosisDay - 400 - random.below(1_000);
  const [code, display] = random.pick<Code>([
    ['J06.9', 'Acute upper respiratory infection, unspecified'],
    ['M54.50', 'Low back pain, unspecified'],
    ['R51.9', 'Headache, unspecified'],
  ]);
  return {
    resourceType: 'Condition',
    id: idOf(person, 'condition', 9),
    clinicalStatus: status('condition-clinical', 'resolved'),
    verificationStatus: status('condition-ver-status', 'confirmed'),
    category: [status('condition-category', 'encounter-diagnosis')],
    code: { coding: [{ system: systems.icd10, code, display }] },
    subject: patientReference(person),
    onsetDateTime: dateOf(onset),
    abatementDateTime: dateOf(onset + 5 + random.below(30)),
    recordedDate: dateOf(onset + 1),
  };
}

/** Returns the diseases of the patient's story, with SNOMED CT first and ICD-10-CM behind it, and one passing illness. */
export function conditionsOf(person: Person): Resource[] {
  const random = randomOf(person.seed, 'condition', person.index);
  const found = person.story.diseases.map(({ name, isRefuted }, index): Resource => {
    const disease: Disease = diseases[name];
    const [snomedCode, snomedDisplay] = disease.snomed;
    const [icdCode, icdDisplay] = disease.icd10;
    const { site } = disease;
    const onset = person.diagnosisDay - random.below(index === 0 ? 60 : 2_000);
    return {
      resourceType: 'Condition',
      id: idOf(person, 'condition', index + 1),
      clinicalStatus: status('condition-clinical', isRefuted ? 'inactive' : 'active'),
      verificationStatus: status('condition-ver-status', isRefuted ? 'refuted' : 'confirmed'),
      category: [status('condition-category', 'problem-list-item')],
      severity: snomed(...random.pick(severities)),
      code: {
        coding: [
          { system: systems.snomed, code: snomedCode, display: snomedDisplay },
          { system: systems.icd10, code: icdCode, display: icdDisplay },
        ],
        text: snomedDisplay.replace(' (disorder)', ''),
      },
      ...(site === undefined ? {} : { bodySite: [snomed(...site)] }),
      ...(disease.isCancer ? { stage: [{ summary: snomed(...random.pick(stages)) }] } : {}),
      subject: patientReference(person),
      encounter: encounterReference(person, 1),
      onsetDateTime: dateOf(onset),
      recordedDate: dateOf(person.diagnosisDay),
    };
  });
  return [...found, passingIllness(person)];
}
