/** Bars of a histogram without a width of its own. */
const barsDefault = 10;
/** Where more widths than this lie between a value and 0, doubles hardly tell neighbouring bars apart. */
const widthsMax = 2 ** 50;
/** Powers of ten that doubles hold exactly. */
const exactPowerMax = 22;
/** Digits behind the point of values whose tenths are told in decimals, and the largest number that they make without the point. */
const decimalsMax = 15;
const decimalMax = 1e14;

/** A bar of a histogram: from its lower end to its upper one, which is the next bar's. */
export interface Bar {
  from: number;
  to: number;
  count: number;
}

/**
 * A histogram. A value on an end belongs to the bar that begins there: it is held against the ends as they are told, since quotients
 * are not exact (0.3 / 0.1 is below 3). What is no finite number stands in no bar. The ends are the same in all groups.
 */
export interface Histogram {
  /** SQL of what each group answers: a text, for `bars`. */
  sql: string;
  /** SQL of what is found once of all rows, where the histogram needs it. */
  ofAll?: string;
  /** The bars that are not empty, from what `sql` gave. */
  bars(told: unknown): Bar[];
}

/** Bars between multiples of the width. */
export function histogramOfWidth(value: string, width: number): Histogram {
  const { factor, divisor } = asFraction(width);
  const end = (at: string): string => `(${at}) * ${double(factor)} / ${double(divisor)}`;
  const quotient = `${value} / ${double(width)}`;
  const near = `floor(${quotient})`;
  const at = `CASE WHEN ${value} < ${end(near)} THEN ${near} - 1 WHEN ${value} >= ${end(`${near} + 1`)} THEN ${near} + 1 ELSE ${near} END`;
  const isNear = `abs(${quotient}) < ${widthsMax}`;
  const sql = asJson({
    near: counted(at, `${finite(value)} AND ${isNear}`),
    far: counted(value, `${finite(value)} AND NOT ${isNear}`),
  });
  const endAt = (place: number): number => limited((place * factor) / divisor);
  return {
    sql,
    bars(told) {
      const { near: bars, far } = JSON.parse(String(told)) as Record<'near' | 'far', Counts>;
      const between = (bars ?? []).map(({ key, value: count }) => ({
        from: endAt(key),
        to: endAt(key + 1),
        count,
      }));
      // A bar that is narrower than what its value can be told from holds it alone.
      const alone = (far ?? []).map(({ key, value: count }) => ({ from: key, to: key, count }));
      return [...between, ...alone].sort((one, other) => one.from - other.from);
    },
  };
}

/** Tenths of the range of `base`, the last of which holds its upper end. `name`: how the column of `ofAll` is called. */
export function histogramOfTenths(value: string, base: string, name: string): Histogram {
  const inner = Array.from({ length: barsDefault - 1 }, (_, at) => at + 1);
  const at = `CASE ${inner.map((bar) => `WHEN ${value} < ${name}[${bar + 1}] THEN ${bar - 1}`).join(' ')} ELSE ${barsDefault - 1} END`;
  return {
    sql: asJson({ ends: `any_value(${name})`, counts: counted(at, finite(value)) }),
    ofAll: endsOfTenths(value, base),
    bars(told) {
      const { ends, counts } = JSON.parse(String(told)) as { ends: number[] | null; counts: Counts };
      const endAt = (place: number): number => ends?.[place] ?? 0;
      return (counts ?? []).map(({ key, value: count }) => ({ from: endAt(key), to: endAt(key + 1), count }));
    },
  };
}

/** SQL of the list of ends: tenths of decimals are decimals, and come out as people write them. */
function endsOfTenths(value: string, base: string): string {
  const power = 'power(10e0, d)';
  const digits = (end: string): string => `round(${end} * ${power})`;
  const isDecimal = (end: string): string =>
    `abs(${end}) * ${power} < ${double(decimalMax)} AND ${digits(end)} / ${power} = ${end}`;
  const decimals = `list_min(list_filter(range(${decimalsMax + 1}), lambda d: ${isDecimal('low')} AND ${isDecimal('high')}))`;
  const ends = Array.from({ length: barsDefault - 1 }, (_, before) => {
    const at = before + 1;
    // In two steps: from the least to the greatest of all doubles is more than they hold.
    const computed = `low + ${Math.floor(at / 2)} * width + ${Math.ceil(at / 2)} * width`;
    const exact = `(${digits('low')} * ${barsDefault - at} + ${digits('high')} * ${at}) / (${power} * ${barsDefault})`;
    return `CASE WHEN d IS NOT NULL THEN ${exact} WHEN ${computed} > high THEN high ELSE ${computed} END`;
  });
  return `SELECT [low, ${ends.join(', ')}, high]
    FROM (SELECT low, high, high / ${barsDefault} - low / ${barsDefault} AS width, ${decimals} AS d
      FROM (SELECT min(${value}) AS low, max(${value}) AS high FROM ${base} WHERE ${finite(value)}))`;
}

type Counts = { key: number; value: number }[] | null;

const finite = (value: string): string => `isfinite(${value})`;
const double = (number: number): string => `CAST('${number}' AS DOUBLE)`;
const counted = (key: string, which: string): string =>
  `map_entries(histogram(CAST(${key} AS DOUBLE)) FILTER (${which}))`;

function asJson(members: Record<string, string>): string {
  const pairs = Object.entries(members).map(([name, sql]) => `'${name}': ${sql}`);
  return `CAST(to_json({${pairs.join(', ')}}) AS VARCHAR)`;
}

/** A width as a quotient of whole numbers, whose multiples are then rounded once: three times 0.1 is 3 / 10, and so 0.3. */
function asFraction(width: number): { factor: number; divisor: number } {
  const [, whole = '', fraction = '', exponent = '0'] =
    /^(\d+)(?:\.(\d+))?(?:e([+-]\d+))?$/.exec(String(width)) ?? [];
  const digits = fraction.length - Number(exponent);
  if (digits <= 0 || digits > exactPowerMax) return { factor: width, divisor: 1 };
  return { factor: Number(whole + fraction), divisor: 10 ** digits };
}

/** The bar at the end of what doubles hold ends there. */
const limited = (end: number): number => Math.min(Math.max(end, -Number.MAX_VALUE), Number.MAX_VALUE);
