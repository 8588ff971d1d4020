import type { Shape } from '../api/lists.ts';
import { sentenceOf } from '../words/dictionary.ts';

/** Cohort with an index event, rules in days around it, and an exit. */
export type Timed = Shape<'StudyTimed'>;
export type Moment = Shape<'StudyMoment'>;
export type Rule = Shape<'StudyRule'>;
export type Criterion = Shape<'StudyCriterion'>;
export type MomentKind = Moment['of'];

/** Kinds of what happens to patients, with their words, table, and the attribute that lists their codes. */
export const momentKinds: readonly { of: MomentKind; name: string; table: string; codes?: string }[] = [
  { of: 'event', name: 'Event of the timeline', table: 'timeline_event' },
  { of: 'condition', name: 'Diagnosis', table: 'condition', codes: 'condition.code' },
  { of: 'medication', name: 'Medication', table: 'medication', codes: 'medication.code' },
  { of: 'procedure', name: 'Procedure', table: 'procedure', codes: 'procedure.code' },
  { of: 'observation', name: 'Measurement', table: 'observation', codes: 'observation.code' },
  { of: 'immunization', name: 'Immunization', table: 'immunization', codes: 'immunization.code' },
  { of: 'encounter', name: 'Encounter', table: 'encounter', codes: 'encounter.class_code' },
  { of: 'specimen', name: 'Specimen', table: 'specimen', codes: 'specimen.type_code' },
  { of: 'death', name: 'Death', table: 'demographic' },
];

/** Words for codes, by the attribute and the code. */
type Labels = ReadonlyMap<string, ReadonlyMap<string, string>>;

/** Returns what happens in words: `Treatment: Dabrafenib`, `Diagnosis 372244006`. */
function momentText({ of, codes, agents, value }: Moment, labels: Labels = new Map()): string {
  const kind = momentKinds.find((one) => one.of === of);
  const words = labels.get(kind?.codes ?? '');
  const named = (codes ?? []).map((code) => words?.get(code) ?? (of === 'event' ? sentenceOf(code) : code));
  const { gte, lte } = value ?? {};
  return [
    named.join(' or ') || (kind?.name ?? of),
    agents && `(${agents.join(' or ')})`,
    gte !== undefined && `from ${gte}`,
    lte !== undefined && `up to ${lte}`,
  ]
    .filter(Boolean)
    .join(' ');
}

/** Returns a cohort with time in words, for a condition. */
export function timedText({ index, rules = [] }: Timed, labels?: Labels): string {
  const names = rules.filter(({ off }) => !off).map(({ name }) => name);
  return [`${sentenceOf(index.which ?? 'first')} ${momentText(index.event, labels)}`, ...names].join(', ');
}
