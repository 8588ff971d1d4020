import type { Person } from '../people.ts';
import type { Reference } from './types.ts';

export const patientReference = (person: Person): Reference => ({ reference: `Patient/${person.id}` });

/** Ids of a patient's resources name the patient and the type: `syn-0001-condition-2`. */
export const idOf = (person: Person, kind: string, number: number): string =>
  `${person.id}-${kind}-${number}`;

export const encounterReference = (person: Person, visit: number): Reference => ({
  reference: `Encounter/${idOf(person, 'encounter', visit)}`,
});

/** The tissue or blood that was taken. */
export const tissueId = (person: Person): string => idOf(person, 'specimen', 1);

/** The DNA made of it, which was sequenced. */
export const dnaId = (person: Person): string => idOf(person, 'specimen', 2);
