import { defineTable } from './table.ts';

/** Events of patients in days after a first day, which is the diagnosis as a rule. */
export const timelineEvent = defineTable({
  name: 'timeline_event',
  area: 'study',
  about: 'Events of patients in days after a first day, such as that of the diagnosis.',
  plural: 'timelineEvents',
  orderBy: ['patient_id', 'start_day'],
  formats: ['study folders'],
  isExtension: true,
  columns: {
    patient_id: ['string', 'hash', 'Patient of the row.'],
    sample_id: ['string', 'hash', 'Sample that the event took or examined.'],
    type: ['string', 'none', 'Type of the event, such as `TREATMENT`.'],
    start_day: ['int', 'none', 'First day of the event; negative before the first day of the patient.'],
    stop_day: ['int', 'none', 'Last day of the event; NULL when it took one day, or has no known end.'],
    attributes: ['string', 'null', 'Further values of the event, as JSON text.'],
  },
});
