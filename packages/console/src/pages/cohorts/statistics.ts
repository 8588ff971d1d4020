/** Logarithms of factorials, as far as they were needed. */
const logFactorials = [0];

function logFactorial(count: number): number {
  for (let next = logFactorials.length; next <= count; next++)
    logFactorials.push((logFactorials[next - 1] ?? 0) + Math.log(next));
  return logFactorials[count] ?? 0;
}

/** Probability of a 2 × 2 table with its margins given (hypergeometric distribution), as a logarithm. */
function logProbability(a: number, b: number, c: number, d: number): number {
  const margins = logFactorial(a + b) + logFactorial(c + d) + logFactorial(a + c) + logFactorial(b + d);
  return (
    margins - logFactorial(a + b + c + d) - [a, b, c, d].reduce((sum, one) => sum + logFactorial(one), 0)
  );
}

/** Fisher's exact test, two-sided: the sum of the tables that are at most as probable as the observed one. */
export function fisherExact(a: number, b: number, c: number, d: number): number {
  // Tables as probable as the observed one differ from it in the last bits.
  const limit = logProbability(a, b, c, d) + 1e-7;
  const first = Math.max(0, a - d);
  const last = Math.min(a + b, a + c);
  let sum = 0;
  for (let one = first; one <= last; one++) {
    const probability = logProbability(one, a + b - one, a + c - one, d - a + one);
    if (probability <= limit) sum += Math.exp(probability);
  }
  return Math.min(1, sum);
}

/** Adjusts p-values of several tests so that they limit the false discovery rate (Benjamini and Hochberg 1995). */
export function adjusted(values: readonly number[]): number[] {
  const order = values
    .map((_, index) => index)
    .sort((one, other) => (values[other] ?? 0) - (values[one] ?? 0));
  const result = new Array<number>(values.length);
  let smallest = 1;
  for (const [at, index] of order.entries()) {
    smallest = Math.min(smallest, ((values[index] ?? 1) * values.length) / (values.length - at));
    result[index] = smallest;
  }
  return result;
}
