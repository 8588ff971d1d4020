import type { Followed } from '@ploidy/statistics';
import type { Row } from '../api/ask.ts';

const yearMs = 365.25 * 24 * 3600 * 1000;

/** Rows of a cohort with its times. */
interface Dates {
  /** `patient_id`, `onset_date`, `recorded_date` */
  beginnings: readonly Row[];
  /** `patient_id`, `deceased_date` */
  deaths: readonly Row[];
  /** Rows with dates on which a patient was seen. */
  contacts: readonly Row[];
}

/** Returns the years from each patient's first diagnosis to death, or to the last contact. Patients without dates are left out. */
export function followedIn({ beginnings, deaths, contacts }: Dates): Followed[] {
  const first = extremes(beginnings, Math.min);
  const died = extremes(deaths, Math.min);
  const last = extremes(contacts, Math.max);
  return [...first].flatMap(([patient, from]): Followed[] => {
    const death = died.get(patient);
    const to = death ?? last.get(patient);
    return to === undefined || to < from
      ? []
      : [{ time: (to - from) / yearMs, isEvent: death !== undefined }];
  });
}

/** Returns the first or last date of each patient in rows. */
function extremes(rows: readonly Row[], pick: (...times: number[]) => number): Map<string, number> {
  const found = new Map<string, number>();
  for (const { patient_id: patient, ...dates } of rows) {
    const times = Object.values(dates)
      .filter((value) => typeof value === 'string')
      .map((value) => Date.parse(value))
      .filter((time) => !Number.isNaN(time));
    if (times.length === 0) continue;
    const known = found.get(String(patient));
    found.set(String(patient), pick(...times, ...(known === undefined ? [] : [known])));
  }
  return found;
}
