import type { JsonValue } from '@ploidy/formats/fhir';

/** Dates and numbers of the second implementation of searches: the calendar is that of the runtime. */

const prefixOf = (value: string): string => /^[a-z]{2}/.exec(value)?.[0] ?? 'eq';
const withoutPrefix = (value: string): string => value.replace(/^[a-z]{2}/, '');

/** Start and end of a date in microseconds. The end is not part of it. */
function spanOf(text: string): [bigint, bigint] {
  const moment = (instant: Temporal.Instant) => instant.epochNanoseconds / 1000n;
  const utc = (day: Temporal.PlainDate) => moment(day.toZonedDateTime('UTC').toInstant());
  if (text.includes('T')) {
    const zoned = /Z|[+-]\d\d:\d\d$/.test(text) ? text : `${text}Z`;
    const start = Temporal.Instant.from(zoned);
    const seconds = /T\d\d:\d\d:\d\d/.test(text) ? 1 : 60;
    const step = text.includes('.') ? { microseconds: 1 } : { seconds };
    return [moment(start), moment(start.add(step))];
  }
  const [year = 0, month, day] = text.split('-').map(Number);
  const first = Temporal.PlainDate.from({ year, month: month ?? 1, day: day ?? 1 });
  const unit = day !== undefined ? { days: 1 } : month !== undefined ? { months: 1 } : { years: 1 };
  return [utc(first), utc(first.add(unit))];
}

const [always, never] = [-(10n ** 20n), 10n ** 20n];

/** Reports whether a date or period matches a value of a search (R4 §3.1.1.4.5). */
export function dateHolds(type: string, element: JsonValue, value: string, now: number): boolean {
  const prefix = prefixOf(value);
  const [from, to] = spanOf(withoutPrefix(value));
  const { start, end } = Object(element);
  if (type === 'Period' && start === undefined && end === undefined) return false;
  const [first, last] =
    type === 'Period'
      ? [start === undefined ? always : spanOf(start)[0], end === undefined ? never : spanOf(end)[1]]
      : spanOf(String(element));
  const isWithin = from <= first && last <= to;
  const distance = BigInt(now) * 1000n - from;
  const slack = (distance < 0n ? -distance : distance) / 10n;
  const answers: Record<string, boolean> = {
    eq: isWithin,
    ne: !isWithin,
    gt: last > to,
    ge: last > to || isWithin,
    lt: first < from,
    le: first < from || isWithin,
    sa: first >= to,
    eb: last <= from,
    ap: first < to + slack && last > from - slack,
  };
  return answers[prefix] ?? false;
}

/** Reports whether a number matches a value of a search. */
export function numberHolds(own: unknown, value: string): boolean {
  if (typeof own !== 'number') return false;
  const [prefix, number] = [prefixOf(value), withoutPrefix(value)];
  const wanted = Number(number);
  const half = 0.5 * 10 ** -(number.split('.')[1]?.length ?? 0);
  const isWithin = (slack: number) => own >= wanted - slack && own < wanted + slack;
  if (prefix === 'ap') return isWithin(Math.abs(wanted) / 10);
  if (prefix === 'eq' || prefix === 'ne') return isWithin(half) === (prefix === 'eq');
  if (prefix === 'gt' || prefix === 'sa') return own > wanted;
  if (prefix === 'lt' || prefix === 'eb') return own < wanted;
  return prefix === 'ge' ? own >= wanted : own <= wanted;
}

/** Reports whether a quantity without a comparator matches a value of a search: number, system, unit. */
export function quantityHolds(
  element: Record<string, unknown>,
  [number = '', system, unit]: string[],
): boolean {
  if (element['comparator'] !== undefined) return false;
  if (system && (element['system'] !== system || (unit && element['code'] !== unit))) return false;
  if (!system && unit && element['code'] !== unit && element['unit'] !== unit) return false;
  return numberHolds(element['value'], number);
}
