import type { JsonObject, JsonValue } from '@ploidy/formats/fhir';
import type { Place, SearchParameter } from '@ploidy/formats/fhir-r4';

/** One condition of a search as a client writes it. */
export interface Asked {
  parameter: SearchParameter;
  modifier?: string;
  value: string;
}

/** Reports whether a resource matches, by reading it element by element: a second implementation of what statements mean. */
export function matches(resource: JsonObject, { parameter, modifier, value }: Asked): boolean {
  const found = parameter.places.flatMap((place) =>
    elementsAt(resource, place).map((element) => [place, element] as const),
  );
  if (modifier === 'missing') return (found.length === 0) === (value === 'true');
  const some = value
    .split(',')
    .some((one) => found.some(([place, element]) => holds(parameter, place, element, one, modifier)));
  return modifier === 'not' ? !some : some;
}

function elementsAt(resource: JsonObject, { steps, having }: Place): JsonValue[] {
  let values: JsonValue[] = [resource];
  for (const { name, isList } of steps)
    values = values.flatMap((value) => {
      const member = Object(value)[name];
      if (member === undefined || member === null) return [];
      if (isList) return Array.isArray(member) ? member.filter((one) => one !== null) : [];
      return Array.isArray(member) ? [] : [member];
    });
  return having ? values.filter((value) => Object(value)[having.member] === having.value) : values;
}

function holds(
  { kind, name }: SearchParameter,
  place: Place,
  element: JsonValue,
  value: string,
  modifier: string | undefined,
): boolean {
  if (kind === 'token') return holdsToken(place.type, element, value);
  if (kind === 'string') return holdsText(element, value, modifier);
  if (kind === 'date') return holdsDate(place.type, element, value);
  if (kind === 'quantity') return holdsQuantity(Object(element), value);
  if (kind === 'reference')
    return holdsReference(
      String(Object(element).reference),
      value,
      name === 'patient' ? 'Patient' : place.target,
    );
  return element === value;
}

function holdsToken(type: string, element: JsonValue, value: string): boolean {
  const bar = value.indexOf('|');
  const [system, code] = bar < 0 ? [undefined, value] : [value.slice(0, bar), value.slice(bar + 1)];
  const codings = type === 'CodeableConcept' ? (Object(element).coding ?? []) : [element];
  return codings.some((coding: Record<string, unknown>) => {
    if (typeof coding !== 'object') return String(coding) === code;
    const own = type === 'Identifier' || type === 'ContactPoint' ? coding['value'] : coding['code'];
    const isSystem =
      system === undefined || (system === '' ? coding['system'] === undefined : coding['system'] === system);
    return isSystem && (code === '' ? own !== undefined || system !== '' : own === code);
  });
}

const plain = (text: string): string => text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();

function holdsText(element: JsonValue, value: string, modifier: string | undefined): boolean {
  const parts: unknown[] =
    typeof element === 'object'
      ? Object.entries(Object(element))
          .filter(([key]) => key !== 'use' && key !== 'type')
          .flatMap(([, one]) => one)
      : [element];
  return parts.some((part) => {
    if (typeof part !== 'string') return false;
    if (modifier === 'exact') return part === value;
    return modifier === 'contains'
      ? plain(part).includes(plain(value))
      : plain(part).startsWith(plain(value));
  });
}

/** Start and end of a date in milliseconds, by the calendar of the runtime. The end is not part of it. */
function spanOf(text: string): [number, number] {
  const moment = (instant: Temporal.Instant) => Number(instant.epochNanoseconds) / 1e6;
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

function holdsDate(type: string, element: JsonValue, value: string): boolean {
  const prefix = /^[a-z]{2}/.exec(value)?.[0] ?? 'eq';
  const [from, to] = spanOf(value.replace(/^[a-z]{2}/, ''));
  const { start, end } = Object(element);
  if (type === 'Period' && start === undefined && end === undefined) return false;
  const [first, last] =
    type === 'Period'
      ? [start === undefined ? -Infinity : spanOf(start)[0], end === undefined ? Infinity : spanOf(end)[1]]
      : spanOf(String(element));
  const isWithin = from <= first && last <= to;
  const answers: Record<string, boolean> = {
    eq: isWithin,
    ne: !isWithin,
    gt: last > to,
    ge: last > to || isWithin,
    lt: first < from,
    le: first < from || isWithin,
    sa: first >= to,
    eb: last <= from,
  };
  return answers[prefix] ?? false;
}

function holdsQuantity(element: Record<string, unknown>, value: string): boolean {
  const prefix = /^[a-z]{2}/.exec(value)?.[0] ?? 'eq';
  const [number = '', system, unit] = value.replace(/^[a-z]{2}/, '').split('|');
  const own = element['value'];
  if (typeof own !== 'number' || element['comparator'] !== undefined) return false;
  if (system && (element['system'] !== system || element['code'] !== unit)) return false;
  if (!system && unit && element['code'] !== unit && element['unit'] !== unit) return false;
  const wanted = Number(number);
  const digits = number.split('.')[1]?.length ?? 0;
  // Rounding to the digits of the search, half up as the range is half open.
  const isWithin = own >= wanted - 0.5 * 10 ** -digits && own < wanted + 0.5 * 10 ** -digits;
  if (prefix === 'eq' || prefix === 'ne') return isWithin === (prefix === 'eq');
  if (prefix === 'gt' || prefix === 'sa') return own > wanted;
  if (prefix === 'lt' || prefix === 'eb') return own < wanted;
  return prefix === 'ge' ? own >= wanted : own <= wanted;
}

function holdsReference(reference: string, value: string, target: string | undefined): boolean {
  const [type, id] = value.includes('/') ? value.split('/') : [target, value];
  if (target !== undefined && type !== target) return false;
  const urn = /^urn:(?:uuid|oid):(.*)$/.exec(reference)?.[1];
  if (urn !== undefined) return urn === id;
  const parts = reference.replace(/\/_history\/.*$/, '').split('/');
  return parts.length >= 2 && parts.at(-1) === id && (type === undefined || parts.at(-2) === type);
}
