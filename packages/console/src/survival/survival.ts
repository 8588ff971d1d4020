/** Time for which a subject was followed, and whether the event ended it. */
export interface Followed {
  time: number;
  isEvent: boolean;
}

/** Step of a survival curve: the share without the event from this time on. */
export interface Step {
  time: number;
  share: number;
  atRisk: number;
  events: number;
  censored: number;
}

/** Estimates survival (Kaplan and Meier 1958): one step a distinct time, from 1 at time 0. */
export function kaplanMeier(subjects: readonly Followed[]): Step[] {
  const steps: Step[] = [{ time: 0, share: 1, atRisk: subjects.length, events: 0, censored: 0 }];
  let share = 1;
  let atRisk = subjects.length;
  for (const [time, at] of byTime(subjects)) {
    const events = at.filter(({ isEvent }) => isEvent).length;
    share *= 1 - events / atRisk;
    steps.push({ time, share, atRisk, events, censored: at.length - events });
    atRisk -= at.length;
  }
  return steps;
}

/** Tests whether two groups survive alike (log-rank): the p-value; `undefined` without events. */
export function logRank(one: readonly Followed[], other: readonly Followed[]): number | undefined {
  let observed = 0;
  let expected = 0;
  let variance = 0;
  for (const [time, at] of byTime([...one, ...other])) {
    const events = at.filter(({ isEvent }) => isEvent).length;
    if (events === 0) continue;
    const first = one.filter((subject) => subject.time >= time).length;
    const total = first + other.filter((subject) => subject.time >= time).length;
    observed += one.filter((subject) => subject.time === time && subject.isEvent).length;
    expected += (events * first) / total;
    if (total > 1)
      variance += (events * first * (total - first) * (total - events)) / (total ** 2 * (total - 1));
  }
  return variance === 0
    ? undefined
    : complementaryError(Math.abs(observed - expected) / Math.sqrt(2 * variance));
}

function byTime(subjects: readonly Followed[]): [number, Followed[]][] {
  return [...Map.groupBy(subjects, ({ time }) => time)].sort(([one], [other]) => one - other);
}

/** Returns the complementary error function of x ≥ 0 (Abramowitz and Stegun 1964, 7.1.26; error below 1.5e-7). */
function complementaryError(x: number): number {
  const t = 1 / (1 + 0.3275911 * x);
  const terms = [1.061405429, -1.453152027, 1.421413741, -0.284496736, 0.254829592];
  return terms.reduce((sum, term) => (sum + term) * t, 0) * Math.exp(-x * x);
}
