/** Number of bars without a given width. */
const barsDefault = 10;
/** Limit of widths between a value and 0: beyond it doubles cannot separate neighbouring bars. */
const widthsMax = 2 ** 50;
/** Largest power of ten that a double represents exactly. */
const exactPowerMax = 22;
/**
 * Limits of decimals whose tenths are computed exactly: digits after the point, and their largest integer
 * without it.
 */
const decimalsMax = 15;
const decimalMax = 1e14;

/** Bar from its lower edge (inclusive) to its upper edge, which is the next bar's. */
export interface Bar {
  from: number;
  to: number;
  count: number;
}

/**
 * Histogram in SQL. A value on an edge belongs to the bar that begins there: it is compared with the edges as
 * shown, since quotients are inexact (0.3 / 0.1 is below 3). Non-finite values belong to no bar. All groups
 * share the edges.
 */
export interface Histogram {
  /** SQL of each group's result, for `bars`. */
  sql: string;
  /** SQL computed once over all rows, if needed. */
  ofAll?: string;
  /** Converts the result of `sql` to the non-empty bars. */
  bars(result: unknown): Bar[];
}

/** Builds bars between multiples of the width. */
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
    bars(result) {
      const { near: bars, far } = JSON.parse(String(result)) as Record<'near' | 'far', Counts>;
      const between = (bars ?? []).map(({ key, value: count }) => ({
        from: endAt(key),
        to: endAt(key + 1),
        count,
      }));
      // A bar narrower than the precision at its value holds that value only.
      const alone = (far ?? []).map(({ key, value: count }) => ({ from: key, to: key, count }));
      return [...between, ...alone].sort((one, other) => one.from - other.from);
    },
  };
}

/**
 * Builds ten bars over the range of `base`; the last includes its upper edge. `name`: column name of `ofAll`.
 */
export function histogramOfTenths(value: string, base: string, name: string): Histogram {
  const inner = Array.from({ length: barsDefault - 1 }, (_, at) => at + 1);
  const at = `CASE ${inner.map((bar) => `WHEN ${value} < ${name}[${bar + 1}] THEN ${bar - 1}`).join(' ')} ELSE ${barsDefault - 1} END`;
  return {
    sql: asJson({ ends: `any_value(${name})`, counts: counted(at, finite(value)) }),
    ofAll: endsOfTenths(value, base),
    bars(result) {
      const { ends, counts } = JSON.parse(String(result)) as { ends: number[] | null; counts: Counts };
      const endAt = (place: number): number => ends?.[place] ?? 0;
      return (counts ?? []).map(({ key, value: count }) => ({ from: endAt(key), to: endAt(key + 1), count }));
    },
  };
}

/** Builds the SQL of the edges. Tenths of decimals are decimals, shown without rounding errors. */
function endsOfTenths(value: string, base: string): string {
  const power = 'power(10e0, d)';
  const digits = (end: string): string => `round(${end} * ${power})`;
  const isDecimal = (end: string): string =>
    `abs(${end}) * ${power} < ${double(decimalMax)} AND ${digits(end)} / ${power} = ${end}`;
  const decimals = `list_min(list_filter(range(${decimalsMax + 1}), lambda d: ${isDecimal('low')} AND ${isDecimal('high')}))`;
  const ends = Array.from({ length: barsDefault - 1 }, (_, before) => {
    const at = before + 1;
    // In two steps: the full range of doubles exceeds the largest double.
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

/**
 * Converts a width to a quotient of integers, so that multiples are rounded once: three times 0.1 is 3 / 10,
 * and so 0.3.
 */
function asFraction(width: number): { factor: number; divisor: number } {
  const [, whole = '', fraction = '', exponent = '0'] =
    /^(\d+)(?:\.(\d+))?(?:e([+-]\d+))?$/.exec(String(width)) ?? [];
  const digits = fraction.length - Number(exponent);
  if (digits <= 0 || digits > exactPowerMax) return { factor: width, divisor: 1 };
  return { factor: Number(whole + fraction), divisor: 10 ** digits };
}

/** Clamps an edge to the range of doubles. */
const limited = (end: number): number => Math.min(Math.max(end, -Number.MAX_VALUE), Number.MAX_VALUE);
