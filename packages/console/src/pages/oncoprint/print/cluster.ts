/** Distance between a vector without a direction and another: beyond every correlation. */
const emptyDistance = 3;

/**
 * Orders vectors by hierarchical clustering with average linkage; the distance is 1 − Spearman's correlation. NaN: no value.
 * Chains of nearest neighbours take time and memory with the square of the number (Murtagh 1983).
 */
export function clusterOrder(vectors: readonly Float64Array[]): number[] {
  const n = vectors.length;
  const ranks = vectors.map(ranked);
  const distances = new Float32Array(n * n);
  for (let one = 0; one < n; one++)
    for (let other = 0; other < one; other++) {
      const distance = distanceOf(ranks[one], ranks[other]);
      distances[one * n + other] = distance;
      distances[other * n + one] = distance;
    }
  const leaves: (number[] | undefined)[] = vectors.map((_, at) => [at]);
  const chain: number[] = [];
  for (let merges = n - 1; merges > 0; ) {
    if (chain.length === 0) chain.push(leaves.findIndex((leaf) => leaf !== undefined));
    const last = chain[chain.length - 1] ?? 0;
    const nearest = nearestOf(last, chain.at(-2), leaves, distances);
    if (nearest !== chain.at(-2)) {
      chain.push(nearest);
      continue;
    }
    chain.splice(-2);
    merge(last, nearest, leaves, distances);
    merges -= 1;
  }
  return leaves.find((leaf) => leaf !== undefined) ?? [];
}

/** Finds the nearest cluster; of equally near ones the one before it in the chain, so that chains end. */
function nearestOf(
  at: number,
  previous: number | undefined,
  leaves: readonly (number[] | undefined)[],
  distances: Float32Array,
): number {
  const n = leaves.length;
  let best = previous ?? -1;
  let least = previous === undefined ? Number.POSITIVE_INFINITY : (distances[at * n + previous] ?? 0);
  for (let other = 0; other < n; other++) {
    if (other === at || leaves[other] === undefined) continue;
    const distance = distances[at * n + other] ?? 0;
    if (distance < least || best < 0) {
      best = other;
      least = distance;
    }
  }
  return best;
}

/** Joins two clusters into the first in the order of their smallest leaf. */
function merge(one: number, other: number, leaves: (number[] | undefined)[], distances: Float32Array): void {
  const n = leaves.length;
  const [first, second] = one < other ? [one, other] : [other, one];
  const [left = [], right = []] = [leaves[first], leaves[second]];
  for (let at = 0; at < n; at++) {
    if (at === first || at === second || leaves[at] === undefined) continue;
    const distance =
      ((distances[first * n + at] ?? 0) * left.length + (distances[second * n + at] ?? 0) * right.length) /
      (left.length + right.length);
    distances[first * n + at] = distance;
    distances[at * n + first] = distance;
  }
  leaves[first] = [...left, ...right];
  leaves[second] = undefined;
}

/** Replaces values by their ranks from 1; equal values share the mean of theirs. */
function ranked(vector: Float64Array): Float64Array {
  const places = [...vector.keys()].filter((at) => !Number.isNaN(vector[at]));
  places.sort((one, other) => (vector[one] ?? 0) - (vector[other] ?? 0));
  const ranks = new Float64Array(vector.length).fill(Number.NaN);
  for (let from = 0; from < places.length; ) {
    let to = from;
    while (to < places.length && vector[places[to] ?? 0] === vector[places[from] ?? 0]) to += 1;
    for (let at = from; at < to; at++) ranks[places[at] ?? 0] = (from + to + 1) / 2;
    from = to;
  }
  return ranks;
}

/** Computes 1 − the correlation of ranks over the values that both have. */
function distanceOf(
  one: Float64Array = new Float64Array(),
  other: Float64Array = new Float64Array(),
): number {
  let [n, x, y, xx, yy, xy, isEqual] = [0, 0, 0, 0, 0, 0, true];
  for (let at = 0; at < one.length; at++) {
    const [a = Number.NaN, b = Number.NaN] = [one[at], other[at]];
    if (Number.isNaN(a) || Number.isNaN(b)) {
      isEqual &&= Number.isNaN(a) && Number.isNaN(b);
      continue;
    }
    isEqual &&= a === b;
    n += 1;
    x += a;
    y += b;
    xx += a * a;
    yy += b * b;
    xy += a * b;
  }
  if (isEqual) return 0;
  const spread = (xx - (x * x) / n) * (yy - (y * y) / n);
  return n > 1 && spread > 1e-12 ? 1 - (xy - (x * y) / n) / Math.sqrt(spread) : emptyDistance;
}
