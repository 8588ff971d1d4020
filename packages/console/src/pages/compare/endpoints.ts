import type { Shape } from '../../api/lists.ts';
import type { Attribute } from '../../study/study.ts';

/** Event of a curve, and the time to it, as requests have them. */
export type Endpoint = Pick<
  Shape<'StudySurvivalAggregate'>,
  'time' | 'status' | 'entry' | 'events' | 'diagnosis' | 'timed' | 'event'
>;

/** Endpoint in the list of a page. */
export interface Offered {
  id: string;
  name: string;
  endpoint: Endpoint;
  /** Unit of the times. */
  unit: string;
}

const timeSuffix = /_(MONTHS|DAYS|YEARS|WEEKS)$/i;

/** Lists the endpoints of a project: pairs of attributes such as `OS_STATUS` and `OS_MONTHS`, and death after a diagnosis. */
export function endpointsOf(attributes: readonly Attribute[], tables: readonly string[]): Offered[] {
  const rank = ({ id }: Offered): number => (id.startsWith('OS_') ? 0 : 1);
  const pairs = attributes.flatMap(({ id, name }): Offered[] => {
    if (!/_STATUS$/i.test(id)) return [];
    const stem = id.replace(/_STATUS$/i, '');
    const time = attributes.find(
      (one) => one.type === 'number' && timeSuffix.test(one.id) && one.id.replace(timeSuffix, '') === stem,
    );
    return time ? [{ id, name, endpoint: { time: time.id, status: id }, unit: unitOf(time) }] : [];
  });
  const hasDates = tables.includes('condition') && tables.includes('demographic');
  return [
    ...pairs.sort((one, next) => rank(one) - rank(next)),
    ...(hasDates
      ? [{ id: 'death', name: 'Death, from the first diagnosis', endpoint: {}, unit: 'years' }]
      : []),
  ];
}

/** Returns the unit of an attribute of time: that of its file, or the end of its id. */
export function unitOf({ id, unit }: Pick<Attribute, 'id' | 'unit'>): string {
  return unit ?? timeSuffix.exec(id)?.[1]?.toLowerCase() ?? 'time';
}

/** Reads an own endpoint from an address. */
export function readEndpoint(text: string | undefined): Endpoint | undefined {
  try {
    const { time, status, entry, events, diagnosis, timed, event } = Object(JSON.parse(text ?? ''));
    // The service checks the definition of a cohort with time.
    if (typeof timed === 'object' && typeof event === 'object') return { timed, event };
    const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';
    if (!isText(time) !== !isText(status)) return undefined;
    return {
      ...(isText(time) && { time, status }),
      ...(isText(entry) && { entry }),
      ...(Array.isArray(events) && events.length > 0 && { events: events.filter(isText) }),
      ...(isText(diagnosis) && { diagnosis }),
    };
  } catch {
    return undefined;
  }
}

/** Reads the times at which curves are read: numbers from 0, ten at most. */
export function readTimes(text: string | undefined): number[] {
  return (text ?? '')
    .split(',')
    .filter((part) => part.trim() !== '')
    .map(Number)
    .filter((time) => Number.isFinite(time) && time >= 0)
    .slice(0, 10);
}

/** Returns some six round times from 0 up to a last one. */
export function ticksUpTo(last: number): number[] {
  if (!(last > 0)) return [0];
  const power = 10 ** Math.floor(Math.log10(last / 6));
  const step = ([1, 2, 5, 10].find((one) => last / (one * power) <= 7) ?? 10) * power;
  return Array.from({ length: Math.floor(last / step + 1e-9) + 1 }, (_, at) =>
    Number((at * step).toPrecision(12)),
  );
}
