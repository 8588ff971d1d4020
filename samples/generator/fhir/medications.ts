import { concept, type Disease, diseases, snomed, status, systems } from '../codes.ts';
import { type Medicine, medicineOf } from '../medicines.ts';
import { dateOf, momentOf, type Person } from '../people.ts';
import { randomOf } from '../random.ts';
import type { Treatment } from '../stories.ts';
import { encounterReference, idOf, patientReference } from './references.ts';
import type { CodeableConcept, Dosage, Quantity, Resource } from './types.ts';

const routes: Record<Medicine['route'], CodeableConcept> = {
  oral: snomed('26643006', 'Oral route'),
  intravenous: snomed('47625008', 'Intravenous route'),
};

const dose = ({ dose: value, unit }: Medicine): Quantity => ({
  value,
  unit,
  system: systems.ucum,
  code: unit,
});

function dosage(medicine: Medicine): Dosage {
  const { frequency, period, periodUnit, asNeeded, route } = medicine;
  const every = period === 1 ? { d: 'day', wk: 'week' }[periodUnit] : `${period} weeks`;
  return {
    sequence: 1,
    text: `${medicine.dose} ${medicine.unit} ${route}, ${frequency} per ${every}${asNeeded ? ', as needed' : ''}`,
    timing: { repeat: { frequency, period, periodUnit }, code: { text: `${frequency} per ${every}` } },
    asNeededBoolean: asNeeded,
    route: routes[route],
    doseAndRate: [
      {
        doseQuantity: dose(medicine),
        ...(route === 'intravenous'
          ? { rateQuantity: { value: 4, unit: 'mL/min', system: systems.ucum, code: 'mL/min' } }
          : {}),
      },
    ],
  };
}

/** Elements shared by request, statement and administration. */
function shared(person: Person, treatment: Treatment, number: number) {
  const medicine = medicineOf(treatment.medicine);
  const disease: Disease = diseases[treatment.disease];
  return {
    id: idOf(person, 'medication', number),
    medicationCodeableConcept: concept(systems.rxnorm, medicine.code, medicine.display),
    subject: patientReference(person),
    reasonCode: [snomed(...disease.snomed)],
  };
}

/** Returns the treatments of the story that are resources of one type, each with its number in the story. */
function treatments(
  person: Person,
  resourceType: Treatment['resourceType'],
): [Treatment, number, startDay: number][] {
  const numbered = person.story.treatments.map((treatment, index): [Treatment, number, number] => {
    return [treatment, index + 1, person.diagnosisDay + 14 + index * 45];
  });
  return numbered.filter(([treatment]) => treatment.resourceType === resourceType);
}

/** Orders. */
export function medicationRequestsOf(person: Person): Resource[] {
  const random = randomOf(person.seed, 'request', person.index);
  return treatments(person, 'MedicationRequest').map(([treatment, number, startDay]) => ({
    resourceType: 'MedicationRequest',
    ...shared(person, treatment, number),
    status: treatment.status === 'entered-in-error' ? 'entered-in-error' : 'active',
    intent: 'order',
    category: [status('medicationrequest-category', 'outpatient')],
    encounter: encounterReference(person, 1),
    authoredOn: momentOf(startDay, random),
    dosageInstruction: [dosage(medicineOf(treatment.medicine))],
    dispenseRequest: { validityPeriod: { start: dateOf(startDay), end: dateOf(startDay + 180) } },
  }));
}

/** MedicationStatements: medication reported by patients. */
export function medicationStatementsOf(person: Person): Resource[] {
  return treatments(person, 'MedicationStatement').map(([treatment, number, startDay]) => ({
    resourceType: 'MedicationStatement',
    ...shared(person, treatment, number),
    status: 'active',
    context: encounterReference(person, 2),
    effectivePeriod: { start: dateOf(startDay) },
    dateAsserted: dateOf(startDay + 40),
    dosage: [dosage(medicineOf(treatment.medicine))],
  }));
}

/** MedicationAdministrations: medication given in the clinic. */
export function medicationAdministrationsOf(person: Person): Resource[] {
  const random = randomOf(person.seed, 'administration', person.index);
  return treatments(person, 'MedicationAdministration').map(([treatment, number, startDay]) => {
    const medicine = medicineOf(treatment.medicine);
    const { text, route } = dosage(medicine);
    return {
      resourceType: 'MedicationAdministration',
      ...shared(person, treatment, number),
      status: 'completed',
      context: encounterReference(person, 2),
      effectiveDateTime: momentOf(startDay, random),
      dosage: {
        ...(text === undefined ? {} : { text }),
        ...(route === undefined ? {} : { route }),
        dose: dose(medicine),
      },
    };
  });
}
