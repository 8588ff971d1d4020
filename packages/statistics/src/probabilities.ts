/** Tails of distributions, and p-values of several tests. */

/** Limit of the terms of a continued fraction or series; far more than doubles need. */
const termsMax = 100_000;
/** Relative size of a term that changes nothing. */
const smallest = 1e-16;
/** Number in place of a zero divisor. */
const tiny = 1e-300;

/** Quantile 0.975 of the normal distribution: half the width of a 95 % interval in standard errors. */
export const normalQuantile = 1.959963984540054;

const lanczos = [
  676.5203681218851, -1259.1392167224028, 771.3234287776531, -176.6150291621406, 12.507343278686905,
  -0.13857109526572012, 9.984369578019572e-6, 1.5056327351493116e-7,
] as const;

/** Returns the logarithm of the gamma function for x > 0 (Lanczos 1964; relative error below 1e-14). */
function logGamma(x: number): number {
  if (x < 0.5) return Math.log(Math.PI / Math.sin(Math.PI * x)) - logGamma(1 - x);
  const z = x - 1;
  const t = z + 7.5;
  const sum = lanczos.reduce((total, part, at) => total + part / (z + at + 1), 0.9999999999998099);
  return 0.5 * Math.log(2 * Math.PI) + (z + 0.5) * Math.log(t) - t + Math.log(sum);
}

/** Returns what Stirling's formula lacks of the logarithm of the gamma function, x > 0: differences of large ones lose digits. */
function stirlingRest(x: number): number {
  const y = x * x;
  return x < 10
    ? logGamma(x) - (x - 0.5) * Math.log(x) + x - 0.5 * Math.log(2 * Math.PI)
    : (1 / 12 - (1 / 360 - (1 / 1260 - (1 / 1680 - 1 / 1188 / y) / y) / y) / y) / x;
}

/** Returns x log(x / mean) + mean − x, without the difference of two large numbers (Loader 2000). */
function deviance(x: number, mean: number): number {
  const distance = x - mean;
  return Math.abs(distance) < mean / 2
    ? x * Math.log1p(distance / mean) - distance
    : x * (Math.log(x) - Math.log(mean)) - distance;
}

/** Returns the upper tail of χ² with `degrees` of freedom at x ≥ 0. */
export function chiSquareTail(x: number, degrees: number): number {
  const [a, y] = [degrees / 2, x / 2];
  if (y <= 0) return 1;
  if (y === Number.POSITIVE_INFINITY) return 0;
  const scale = Math.exp(-deviance(a, y) - stirlingRest(a)) * Math.sqrt(a / (2 * Math.PI));
  return y < a + 1 ? 1 - scale * gammaSeries(a, y) : scale * gammaFraction(a, y);
}

function gammaSeries(a: number, y: number): number {
  let term = 1 / a;
  let sum = term;
  for (let n = 1; n < termsMax && term > sum * smallest; n++) {
    term *= y / (a + n);
    sum += term;
  }
  return sum;
}

/** Evaluates the continued fraction of the upper incomplete gamma function by the algorithm of Lentz. */
function gammaFraction(a: number, y: number): number {
  let b = y + 1 - a;
  let c = 1 / tiny;
  let d = 1 / b;
  let value = d;
  for (let n = 1; n < termsMax; n++) {
    const part = -n * (n - a);
    b += 2;
    d = 1 / nonZero(part * d + b);
    c = nonZero(b + part / c);
    value *= d * c;
    if (Math.abs(d * c - 1) < smallest * 2) break;
  }
  return value;
}

const nonZero = (value: number): number => (Math.abs(value) < tiny ? tiny : value);

/** Returns both tails of the normal distribution beyond |z|. */
export function normalTails(z: number): number {
  return chiSquareTail(z * z, 1);
}

/** Returns both tails of Student's distribution beyond |t|, with `degrees` of freedom. */
export function studentTails(t: number, degrees: number): number {
  return varianceRatioTail(t * t, 1, degrees);
}

/** Returns the upper tail of the distribution F at `ratio` ≥ 0. */
export function varianceRatioTail(ratio: number, above: number, below: number): number {
  if (ratio <= 0) return 1;
  if (ratio === Number.POSITIVE_INFINITY) return 0;
  const share = (above / below) * ratio;
  return incompleteBeta(1 / (1 + share), 1 / (1 + 1 / share), below / 2, above / 2);
}

/** Returns the regularized incomplete beta function at x, where y = 1 − x. */
function incompleteBeta(x: number, y: number, a: number, b: number): number {
  const n = a + b;
  const rest = stirlingRest(n) - stirlingRest(a) - stirlingRest(b);
  const scale =
    Math.exp(rest - deviance(a, n * x) - deviance(b, n * y)) * Math.sqrt(((a / n) * b) / (2 * Math.PI));
  return x < (a + 1) / (a + b + 2)
    ? (scale * betaFraction(x, a, b)) / a
    : Math.max(0, 1 - (scale * betaFraction(y, b, a)) / b);
}

/** Evaluates the continued fraction of the incomplete beta function by the algorithm of Lentz. */
function betaFraction(x: number, a: number, b: number): number {
  let c = 1;
  let d = 1 / nonZero(1 - ((a + b) * x) / (a + 1));
  let value = d;
  for (let n = 1; n < termsMax; n++) {
    const even = (n * (b - n) * x) / ((a + 2 * n - 1) * (a + 2 * n));
    d = 1 / nonZero(1 + even * d);
    c = nonZero(1 + even / c);
    value *= d * c;
    const odd = (-(a + n) * (a + b + n) * x) / ((a + 2 * n) * (a + 2 * n + 1));
    d = 1 / nonZero(1 + odd * d);
    c = nonZero(1 + odd / c);
    value *= d * c;
    if (Math.abs(d * c - 1) < smallest * 2) break;
  }
  return value;
}

/** Returns quantile 0.975 of Student's distribution with `degrees` > 0 of freedom, by bisection. */
export function studentQuantile(degrees: number): number {
  let [low, high] = [0, 2];
  while (studentTails(high, degrees) > 0.05) high *= 2;
  while (high - low > high * 1e-14) {
    const middle = (low + high) / 2;
    if (studentTails(middle, degrees) > 0.05) low = middle;
    else high = middle;
  }
  return high;
}

/** Returns a result whose numbers are all finite; undefined for one beyond the range of doubles: its tests would mean nothing. */
export function finite<R extends object>(result: R): R | undefined {
  const areFinite = Object.values(result).every(
    (value) => typeof value !== 'number' || Number.isFinite(value),
  );
  return areFinite ? result : undefined;
}

/**
 * Adjusts p-values of one family of tests so that they limit the false discovery rate (Benjamini and Hochberg 1995), in the
 * order given. Tests may depend on each other positively. RangeError for a value outside 0 to 1.
 */
export function adjusted(values: readonly number[]): number[] {
  if (values.some((value) => !(value >= 0 && value <= 1))) throw new RangeError('A p-value is from 0 to 1.');
  const order = values
    .map((value, index) => ({ value, index }))
    .sort((one, other) => other.value - one.value);
  const result = new Array<number>(values.length);
  let least = 1;
  for (const [at, { value, index }] of order.entries()) {
    least = Math.min(least, (value * values.length) / (values.length - at));
    result[index] = least;
  }
  return result;
}
