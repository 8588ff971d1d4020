/** Returns the inverse of a symmetric, positive definite matrix (Cholesky); undefined where it is none, or nearly none. */
export function inverse(matrix: readonly (readonly number[])[]): number[][] | undefined {
  const lower = cholesky(matrix);
  if (!lower) return undefined;
  const columns = matrix.map((_, column) => {
    const unit = matrix.map((_, row) => Number(row === column));
    return backward(lower, forward(lower, unit));
  });
  return columns;
}

/** Multiplies a matrix with a vector. */
export function times(matrix: readonly (readonly number[])[], vector: readonly number[]): number[] {
  return matrix.map((row) => product(row, vector));
}

/** Multiplies two vectors. */
export function product(one: readonly number[], other: readonly number[]): number {
  return one.reduce((sum, value, at) => sum + value * (other[at] ?? 0), 0);
}

/** Part of a diagonal element below which the rest is a rounding error. */
const singularBelow = 1e-12;

function cholesky(matrix: readonly (readonly number[])[]): number[][] | undefined {
  const lower: number[][] = [];
  for (const [row, values] of matrix.entries()) {
    const next: number[] = [];
    for (let column = 0; column < row; column++) {
      const above = lower[column] ?? [];
      next.push(((values[column] ?? 0) - product(next, above.slice(0, column))) / (above[column] ?? 1));
    }
    const diagonal = values[row] ?? 0;
    const square = diagonal - product(next, next);
    if (!(square > diagonal * singularBelow)) return undefined;
    next.push(Math.sqrt(square));
    lower.push(next);
  }
  return lower;
}

function forward(lower: readonly number[][], right: readonly number[]): number[] {
  const found: number[] = [];
  for (const [row, values] of lower.entries())
    found.push(((right[row] ?? 0) - product(found, values)) / (values[row] ?? 1));
  return found;
}

function backward(lower: readonly number[][], right: readonly number[]): number[] {
  const found = new Array<number>(lower.length).fill(0);
  for (let row = lower.length - 1; row >= 0; row--) {
    const sum = lower
      .slice(row + 1)
      .reduce((all, values, at) => all + (values[row] ?? 0) * (found[row + 1 + at] ?? 0), 0);
    found[row] = ((right[row] ?? 0) - sum) / (lower[row]?.[row] ?? 1);
  }
  return found;
}
