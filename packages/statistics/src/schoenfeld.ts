/** Test of proportional hazards by scaled residuals of Schoenfeld (Grambsch and Therneau 1994). */
import { type Described, derivatives, type Hazard, riskOrder, scale } from './cox.ts';
import { inverse, product, times } from './matrix.ts';
import { chiSquareTail } from './probabilities.ts';
import { kaplanMeier, observed } from './survival.ts';

/** Test of a trend of the residuals over time; a low p-value contradicts proportional hazards. */
interface Trend {
  statistic: number;
  degrees: number;
  p: number;
}

/** Trend of all covariates together, and of each. */
export interface Proportionality extends Trend {
  each: Trend[];
}

/**
 * Tests whether hazards are proportional. Times count as 1 less the estimate of Kaplan and Meier, so that a long tail weighs
 * little. `hazards`: the estimate for these subjects. Undefined where events have one time.
 */
export function proportionality(
  subjects: readonly Described[],
  hazards: readonly Hazard[],
): Proportionality | undefined {
  const { kept } = observed(subjects);
  const { scaled, ranges } = scale(kept, hazards.length);
  const order = riskOrder(scaled);
  const beta = hazards.map(({ coefficient }, at) => coefficient * (ranges[at] ?? 1));
  const { parts, information } = derivatives(order, beta);
  const covariance = inverse(information);
  const survival = new Map(kaplanMeier(kept).steps.map((step) => [step.time, step.survival]));
  const events = order.map(({ events: list }) => ({
    count: list.reduce((sum, { count = 1 }) => sum + count, 0),
    place: 1 - (survival.get(list[0]?.time ?? 0) ?? 0),
  }));
  const all = events.reduce((sum, { count }) => sum + count, 0);
  const mean = events.reduce((sum, { count, place }) => sum + count * place, 0) / all;
  const spread = events.reduce((sum, { count, place }) => sum + count * (place - mean) ** 2, 0);
  if (!covariance || !(spread > 0)) return undefined;
  const trend = beta.map((_, at) =>
    parts.reduce((sum, part, time) => sum + ((events[time]?.place ?? 0) - mean) * (part[at] ?? 0), 0),
  );
  const scaledTrend = times(covariance, trend);
  const test = (statistic: number, degrees: number): Trend => ({
    ...{ statistic, degrees },
    p: chiSquareTail(statistic, degrees),
  });
  return {
    ...test((all * product(trend, scaledTrend)) / spread, beta.length),
    each: scaledTrend.map((value, at) =>
      test((all * value ** 2) / ((covariance[at]?.[at] ?? 0) * spread), 1),
    ),
  };
}
