import type { Person } from '../people.ts';
import { conditionsOf } from './conditions.ts';
import { encountersOf } from './encounters.ts';
import { mediaOf } from './media.ts';
import { medicationAdministrationsOf, medicationRequestsOf, medicationStatementsOf } from './medications.ts';
import { observationsOf } from './observations.ts';
import { patientOf } from './patient.ts';
import { proceduresOf } from './procedures.ts';
import { specimensOf } from './specimens.ts';
import type { Resource } from './types.ts';

/** Generators of a patient's resources by type. Each has its own random stream, so types can be made one by one. */
export const resourceMakers: Readonly<Record<string, (person: Person) => Resource[]>> = {
  Patient: (person) => [patientOf(person)],
  Encounter: encountersOf,
  Condition: conditionsOf,
  Observation: observationsOf,
  MedicationRequest: medicationRequestsOf,
  MedicationStatement: medicationStatementsOf,
  MedicationAdministration: medicationAdministrationsOf,
  Procedure: proceduresOf,
  Specimen: specimensOf,
  Media: mediaOf,
};

/** Returns all of a patient in one Bundle of type `collection`. */
export function bundleOf(person: Person): Resource {
  const resources = Object.values(resourceMakers).flatMap((make) => make(person));
  return {
    resourceType: 'Bundle',
    id: `${person.id}-bundle`,
    type: 'collection',
    entry: resources.map((resource) => ({
      fullUrl: `https://hospital.example.org/fhir/${resource.resourceType}/${resource.id}`,
      resource,
    })),
  };
}
