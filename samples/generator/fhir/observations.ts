import { type Code, diseases, loinc, snomed, status, systems } from '../codes.ts';
import { dateOf, momentOf, type Person } from '../people.ts';
import { type Random, randomOf } from '../random.ts';
import { type Measurement, measurements } from './measurements.ts';
import { encounterReference, idOf, patientReference, tissueId } from './references.ts';
import type { CodeableConcept, Quantity, Resource } from './types.ts';

/** Elements shared by all observations of one visit. */
function core(person: Person, visit: number) {
  return {
    resourceType: 'Observation',
    status: 'final',
    subject: patientReference(person),
    encounter: encounterReference(person, visit),
  };
}

const quantity = (value: number, unit: string): Quantity => ({
  value,
  unit,
  system: systems.ucum,
  code: unit,
});

function referenceRange({ low, high, unit }: Measurement): { low: Quantity; high: Quantity }[] {
  if (low === undefined || high === undefined) return [];
  return [{ low: quantity(low, unit), high: quantity(high, unit) }];
}

function interpretation(value: number, { low, high }: Measurement): CodeableConcept[] {
  if (low === undefined || high === undefined) return [];
  return [status('v3-ObservationInterpretation', value < low ? 'L' : value > high ? 'H' : 'N')];
}

/** Returns one measured quantity of a visit. */
function measured(person: Person, visit: number, id: string, what: Measurement, random: Random): Resource {
  const value = Number((what.mean + (random.next() - 0.5) * what.spread).toFixed(what.digits));
  const effective = momentOf(person.visitDays[visit - 1] ?? person.diagnosisDay, random);
  const range = referenceRange(what);
  return {
    ...core(person, visit),
    id,
    category: [status('observation-category', what.category)],
    code: loinc(what.code, what.display),
    effectiveDateTime: effective,
    issued: effective.replace('Z', '.000Z'),
    valueQuantity: quantity(value, what.unit),
    ...(range.length === 0 ? {} : { interpretation: interpretation(value, what), referenceRange: range }),
  };
}

function bloodPressure(person: Person, visit: number, id: string, random: Random): Resource {
  const isHigh = person.story.diseases.some(({ name }) => name === 'hypertension');
  const systolic = (isHigh ? 138 : 112) + random.below(26);
  const component = (code: string, display: string, value: number) => ({
    code: loinc(code, display),
    valueQuantity: { value, unit: 'mmHg', system: systems.ucum, code: 'mm[Hg]' },
  });
  return {
    ...core(person, visit),
    id,
    category: [status('observation-category', 'vital-signs')],
    code: loinc('85354-9', 'Blood pressure panel with all children optional'),
    effectiveDateTime: momentOf(person.visitDays[visit - 1] ?? person.diagnosisDay, random),
    interpretation: [status('v3-ObservationInterpretation', systolic > 139 ? 'H' : 'N')],
    component: [
      component('8480-6', 'Systolic blood pressure', systolic),
      component('8462-4', 'Diastolic blood pressure', systolic - 40 - random.below(14)),
    ],
  };
}

/** Reported facts: a coded value, a boolean, a date and a text. */
function reportedFacts(person: Person, random: Random): Resource[] {
  const date = dateOf(person.diagnosisDay);
  const [main] = person.story.diseases;
  const disease = main === undefined ? undefined : diseases[main.name];
  const smoking: readonly Code[] = [
    ['266919005', 'Never smoked tobacco'],
    ['8517006', 'Ex-smoker'],
  ];
  const social = [status('observation-category', 'social-history')];
  return [
    {
      ...core(person, 1),
      id: idOf(person, 'observation', 901),
      category: social,
      code: loinc('72166-2', 'Tobacco smoking status'),
      effectiveDateTime: date,
      valueCodeableConcept: snomed(...random.pick(smoking)),
    },
    {
      ...core(person, 1),
      id: idOf(person, 'observation', 902),
      category: social,
      code: snomed('275937001', 'Family history of cancer (situation)'),
      effectiveDateTime: date,
      valueBoolean: random.chance(0.4),
    },
    {
      ...core(person, 1),
      id: idOf(person, 'observation', 903),
      category: [status('observation-category', 'exam')],
      code: loinc('63931-0', 'Date of diagnosis'),
      effectivePeriod: { start: date, end: date },
      valueDateTime: date,
    },
    {
      ...core(person, 1),
      id: idOf(person, 'observation', 904),
      category: [status('observation-category', 'laboratory')],
      code: loinc('22637-3', 'Pathology report diagnosis'),
      effectiveDateTime: date,
      valueString: `Consistent with "${disease?.icd10[1] ?? 'no disease'}"; synthetic report, not for care`,
      specimen: { reference: `Specimen/${tissueId(person)}` },
    },
  ];
}

/** Observations of all visits, the reported facts, and the finding in the tumour's DNA if any. */
export function observationsOf(person: Person): Resource[] {
  const random = randomOf(person.seed, 'observation', person.index);
  const found: Resource[] = [];
  for (const visit of [1, 2, 3]) {
    const id = (number: number): string => idOf(person, 'observation', visit * 100 + number);
    found.push(bloodPressure(person, visit, id(0), random));
    for (const [index, what] of measurements.entries()) {
      found.push(measured(person, visit, id(index + 1), what, random));
    }
  }
  return [...found, ...reportedFacts(person, random), geneticFinding(person)];
}

/** Result of the sequencing as LOINC's genetic panels report it; the variants themselves are in the VCF. */
function geneticFinding(person: Person): Resource {
  const finding = [...person.story.known].find(([, genotype]) => /[1-9]/.test(genotype));
  const [gene = ''] = finding?.[0].split(/[ *]/) ?? [];
  return {
    ...core(person, 2),
    id: idOf(person, 'observation', 905),
    category: [status('observation-category', 'laboratory')],
    code: loinc('69548-6', 'Genetic variant assessment'),
    effectiveDateTime: dateOf(person.visitDays[1] ?? person.diagnosisDay),
    valueCodeableConcept: finding === undefined ? loinc('LA9634-2', 'Absent') : loinc('LA9633-4', 'Present'),
    specimen: { reference: `Specimen/${tissueId(person)}` },
    ...(gene === ''
      ? {}
      : {
          component: [{ code: loinc('48018-6', 'Gene studied [ID]'), valueCodeableConcept: { text: gene } }],
        }),
  };
}
