import { type Moment, type MomentKind, momentKinds, type Timed } from '../../study/timed.ts';

/** Kind of events that a project has. */
export type Kind = (typeof momentKinds)[number];

/** Lists the kinds of which a project has a table. */
export const kindsIn = (tables: readonly string[]): Kind[] =>
  momentKinds.filter(({ table }) => tables.includes(table));

/** Cohort at the beginning: subjects with any event of the first kind. */
export const firstTimed = (kinds: readonly Kind[]): Timed => ({
  index: { event: { of: kinds[0]?.of ?? 'event' } },
});

const isKind = (of: unknown): of is MomentKind => momentKinds.some((kind) => kind.of === of);
const isMoment = (value: unknown): value is Moment => isKind(Object(value).of);

/** Reads a cohort from an address; `undefined` for an address that was cut off. The service checks the rest. */
export function readTimed(text: string | undefined): Timed | undefined {
  const { index, rules = [], ...rest } = parsed(text);
  if (!isMoment(Object(index).event) || !Array.isArray(rules)) return undefined;
  const isRule = (one: unknown): boolean => {
    const { name, criteria } = Object(one);
    return (
      typeof name === 'string' &&
      Array.isArray(criteria) &&
      criteria.every((criterion) => isMoment(Object(criterion).event))
    );
  };
  return { ...rest, index, ...(rules.length > 0 && { rules: rules.filter(isRule) }) };
}

/** Reads an event from an address. */
export function readMoment(text: string | undefined): Moment | undefined {
  const found = parsed(text);
  return isMoment(found) ? found : undefined;
}

function parsed(text: string | undefined): ReturnType<typeof Object> {
  try {
    return Object(JSON.parse(text || '{}'));
  } catch {
    return {};
  }
}
