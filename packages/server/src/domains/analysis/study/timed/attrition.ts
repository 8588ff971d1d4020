import type { AggregateOf } from '../aggregates.ts';
import type { Building, Part } from '../building.ts';
import type { Cell } from '../cells.ts';
import { appliedRules, indexEvents } from './timed.ts';

interface FoundAttrition {
  all: Cell;
  steps: { patients: Cell; alone: Cell; events: number }[];
}

/** Builds the patients who are left after each rule, one after the other. */
export function attritionPart(
  { timed }: AggregateOf<'attrition'>,
  { statement, set, cells }: Building,
): Part {
  const rules = appliedRules(timed);
  const hasPrior = timed.index.priorDays !== undefined;
  const names = [
    { step: 'index' as const },
    ...(hasPrior ? [{ step: 'prior' as const }] : []),
    ...rules.map(({ name }) => ({ step: 'rule' as const, name })),
  ];
  const flags = ['true', ...(hasPrior ? ['prior'] : []), ...rules.map((_, at) => `rule${at}`)];
  const members = `SELECT DISTINCT patient, digest FROM ${set} WHERE patient IS NOT NULL`;
  const events = `SELECT e.*, m.digest FROM (${indexEvents(statement, timed)}) AS e JOIN (${members}) AS m ON m.patient = e.patient`;
  const steps = flags.map((flag, at) => {
    const left = flags.slice(0, at + 1).join(' AND ');
    return `{'patients': ${cells.distinct('patient', left)}, 'alone': ${cells.distinct('patient', flag)}, 'events': count(*) FILTER (${left})}`;
  });
  return {
    sql: `SELECT to_json({'all': (SELECT ${cells.distinct('patient')} FROM (${members})), 'steps': (SELECT [${steps.join(', ')}] FROM (${events}))})`,
    result: ({ all, steps: found }: FoundAttrition) => ({
      attrition: {
        steps: [
          { step: 'matching', patients: cells.shown(all) },
          ...found.map(({ patients, alone, events: count }, at) => ({
            ...names[at],
            patients: cells.shown(patients),
            alone: cells.shown(alone),
            events: cells.shown(cells.counting(count, patients)),
          })),
        ],
      },
    }),
  };
}
