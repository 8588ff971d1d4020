import { snomed } from '../codes.ts';
import { momentOf, type Person } from '../people.ts';
import { randomOf } from '../random.ts';
import { idOf, patientReference } from './references.ts';
import type { Resource } from './types.ts';

/** Returns the three visits that the other resources refer to. */
export function encountersOf(person: Person): Resource[] {
  const random = randomOf(person.seed, 'encounter', person.index);
  return person.visitDays.map((visitDay, index) => {
    const start = momentOf(visitDay, random);
    return {
      resourceType: 'Encounter',
      id: idOf(person, 'encounter', index + 1),
      status: 'finished',
      class: {
        system: 'http://terminology.hl7.org/CodeSystem/v3-ActCode',
        code: 'AMB',
        display: 'ambulatory',
      },
      type: [snomed('185349003', 'Encounter for check up (procedure)')],
      subject: patientReference(person),
      period: {
        start,
        end: start.replace(/T(\d\d):/, (_, hour) => `T${String(Number(hour) + 1).padStart(2, '0')}:`),
      },
    };
  });
}
