import type { Row } from '../../api/ask.ts';

/** Event of a patient: a point in time, or a span. */
export interface Event extends Record<string, unknown> {
  lane: string;
  label: string;
  from: Date;
  to: Date;
}

/** Tables with dates: target, lane, name, begin, end. */
export const dated = [
  ['condition', 'Condition', 'display', ['onset_date', 'recorded_date'], 'abatement_date'],
  ['medication', 'Medication', 'display', ['start_date', 'authored_date'], 'end_date'],
  ['procedure', 'Procedure', 'display', ['performed_date'], 'performed_end_date'],
  ['encounter', 'Encounter', 'class_display', ['start_date'], 'end_date'],
] as const;

/** Returns the events in rows of one table. */
export function eventsIn(list: Row[], [, lane, name, begins, end]: (typeof dated)[number]): Event[] {
  return list.flatMap((row) => {
    const begin = begins.map((field) => row[field]).find((value) => typeof value === 'string');
    if (typeof begin !== 'string') return [];
    const from = new Date(begin);
    const last = row[end];
    const to = typeof last === 'string' ? new Date(last) : from;
    return [{ lane, label: String(row[name] ?? row['text'] ?? lane), from, to }];
  });
}
