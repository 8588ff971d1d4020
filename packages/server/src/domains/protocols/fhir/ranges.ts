import type { Parameters } from '../../analysis/analytics/index.ts';
import { anyPlace, type Compare, onceUsed, type Used } from './comparison.ts';
import { elements, endOf, member, some, startOf, texts } from './places.ts';
import {
  type Prefix,
  type QuantityValue,
  quantityIn,
  type TimeRange,
  timeRangeIn,
  unescaped,
  wrongValue,
} from './values.ts';

/** Comparisons of the range of a resource with that of the search (R4 §3.1.1.4.5), by the names of four limits. */
function rangeTest(prefix: Prefix, [start, end]: [string, string], [from, to]: [Used, Used]): string {
  const isWithin = () => `${start} >= ${from()} AND ${end} <= ${to()}`;
  const tests: Record<Prefix, () => string> = {
    eq: isWithin,
    ne: () => `NOT (${isWithin()})`,
    gt: () => `${end} > ${to()}`,
    lt: () => `${start} < ${from()}`,
    ge: () => `(${end} > ${to()} OR (${isWithin()}))`,
    le: () => `(${start} < ${from()} OR (${isWithin()}))`,
    sa: () => `${start} >= ${to()}`,
    eb: () => `${end} <= ${from()}`,
    ap: () => `${start} < ${to()} AND ${end} > ${from()}`,
  };
  return tests[prefix]();
}

/** Stands for the start of a period without one. */
const always = '-9223372036854775807';
const never = '9223372036854775807';

/** Builds the start and end of an element with a date or period. */
export function limitsOf(type: string, one: string): [string, string] {
  if (type !== 'Period') return [startOf(one), endOf(one)];
  const [start, end] = [member(one, 'start'), member(one, 'end')];
  const isKnown = `${start} IS NULL AND ${end} IS NULL`;
  return [
    `CASE WHEN ${isKnown} THEN NULL WHEN ${start} IS NULL THEN ${always} ELSE ${startOf(start)} END`,
    `CASE WHEN ${isKnown} THEN NULL WHEN ${end} IS NULL THEN ${never} ELSE ${endOf(end)} END`,
  ];
}

/** Compares dates and periods with a date of some precision. */
export const date: Compare = (parameter, value, _modifier, { parameters, now }) => {
  const range = timeRangeIn(parameter.name, unescaped(value));
  const { from, to } = range.prefix === 'ap' ? widened(range, BigInt(now) * 1000n) : range;
  const add = (one: bigint) => onceUsed(() => parameters.add(String(one), 'BIGINT'));
  const limits: [Used, Used] = [add(from), add(to)];
  return anyPlace(parameter, (place) =>
    some(place.type === 'Period' ? elements(place) : texts(place), (one) =>
      rangeTest(range.prefix, limitsOf(place.type, one), limits),
    ),
  );
};

/** Widens a range on both sides by a tenth of its distance from now, which R4 suggests for `ap`. */
function widened({ prefix, from, to }: TimeRange, now: bigint): TimeRange {
  const distance = now > from ? now - from : from - now;
  return { prefix, from: from - distance / 10n, to: to + distance / 10n };
}

/** Builds the condition that the SQL of a number matches a value of a search. */
function numberTest(
  { prefix, number: exactly, half }: QuantityValue,
  parameters: Parameters,
): (one: string) => string {
  const slack = prefix === 'ap' ? Math.abs(exactly) / 10 : half;
  const [exact, from, to] = [exactly, exactly - slack, exactly + slack].map((one) =>
    onceUsed(() => parameters.add(one, 'DOUBLE')),
  ) as [Used, Used, Used];
  const isWithin = (one: string) => `${one} >= ${from()} AND ${one} < ${to()}`;
  const tests: Record<Prefix, (one: string) => string> = {
    eq: isWithin,
    ap: isWithin,
    ne: (one) => `NOT (${isWithin(one)})`,
    gt: (one) => `${one} > ${exact()}`,
    sa: (one) => `${one} > ${exact()}`,
    lt: (one) => `${one} < ${exact()}`,
    eb: (one) => `${one} < ${exact()}`,
    ge: (one) => `${one} >= ${exact()}`,
    le: (one) => `${one} <= ${exact()}`,
  };
  return tests[prefix];
}

/** Compares numbers. */
export const number: Compare = (parameter, value, _modifier, { parameters }) => {
  const wanted = quantityIn(parameter.name, value);
  if (wanted.system !== undefined || wanted.unit !== undefined)
    throw wrongValue(parameter.name, 'has no units: send the number alone');
  const test = numberTest(wanted, parameters);
  return anyPlace(parameter, (place) => some(texts(place), (one) => test(`TRY_CAST(${one} AS DOUBLE)`)));
};

/** Compares the numbers of quantities, and their units. */
export const quantity: Compare = (parameter, value, _modifier, { parameters }) => {
  const wanted = quantityIn(parameter.name, value);
  const { system, unit } = wanted;
  const test = numberTest(wanted, parameters);
  const wantedUnit = unit === undefined ? undefined : parameters.add(unit, 'VARCHAR');
  const wantedSystem = system === undefined ? undefined : parameters.add(system, 'VARCHAR');
  return anyPlace(parameter, (place) =>
    some(elements(place), (one) => {
      const unitNames = place.type === 'Money' ? ['currency'] : wantedSystem ? ['code'] : ['code', 'unit'];
      const units = unitNames.map((name) => `${member(one, name)} = ${wantedUnit}`);
      return [
        test(numberOf(one)),
        ...(wantedUnit === undefined ? [] : [`(${units.join(' OR ')})`]),
        ...(wantedSystem === undefined ? [] : [`${member(one, 'system')} = ${wantedSystem}`]),
      ].join(' AND ');
    }),
  );
};

/** Builds the number of a quantity; one with a comparator, such as `<5`, has none. */
export const numberOf = (one: string): string =>
  `CASE WHEN ${member(one, 'comparator')} IS NULL THEN TRY_CAST(${member(one, 'value')} AS DOUBLE) END`;
