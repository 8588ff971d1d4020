/** Resource that jobs compete for: kinds of one class share its places. */
export const jobClasses = [
  'sign-in',
  'mail',
  'webhook',
  'removal',
  'query',
  'ingestion',
  'sync',
  // Claimed last: no caller waits for it.
  'background',
] as const;
export type JobClass = (typeof jobClasses)[number];

/** Owner of the work: the levels of the fair order. An empty id means no owner, and has no share. */
export interface Whose {
  account: string;
  project: string;
  user: string;
}

/** Work of the service itself. */
export const nobody: Whose = { account: '', project: '', user: '' };

/** Places of a class in one process. */
export interface PlaceLimits {
  /** Jobs that run at once. */
  max: number;
  /** Places among them that long work never takes. */
  shortMax: number;
  /** Size of the input and run time from which on work is long. */
  shortBytes?: number;
  shortMs: number;
  /** Places among the short ones for work with a small input only, below `bytes`; a run of `ms` beside waiting small work yields. */
  small?: { max: number; bytes: number; ms: number };
  /** Time that others wait before a long run yields its place to them; from its third run on it may run twice as long each time. */
  yieldMs: number;
  /** Jobs of one user in an account that may wait or run at once. */
  ofUserMax?: number;
}

export interface WaitingWork {
  whose: Whose;
  isLong: boolean;
  isSmall?: boolean;
  /** Time it has waited. */
  waitedMs: number;
}

export interface RunningWork {
  whose: Whose;
  isLong: boolean;
  isSmall?: boolean;
  /** Time of the present run. */
  ranMs: number;
  /** Number of its runs that yielded. */
  setAside: number;
}

/** Time used of late, by the name of an account, project or user (`namesOf`). */
export type Shares = ReadonlyMap<string, number>;

/** Run time below which work never loses its place as long work: its start would have been for nothing. */
export const beginningMs = 500;
/** A start costs a process: short work counts as so much. */
const startMs = 1000;
/** The past counts for minutes only: longest run that counts in full. */
const countedMaxMs = 120_000;

/** Names of the shares that work counts for. */
export function namesOf({ account, project, user }: Whose): string[] {
  const levels = { account, project, user };
  return Object.entries(levels).flatMap(([level, id]) => (id === '' ? [] : `${level}:${id}`));
}

export function costOf(ranMs: number): number {
  return startMs + Math.min(Math.max(ranMs, 0), countedMaxMs);
}

/**
 * Order in which work gets places: by account, then by project, then by user. Those with the fewest places are first; of
 * equals, those with the least recent time. A user counts at each level with all that is theirs, so many projects are no second
 * share.
 */
export class FairOrder {
  readonly #places = new Map<string, number>();
  readonly #used: Map<string, number>;

  constructor(running: readonly RunningWork[], shares: Shares) {
    this.#used = new Map(shares);
    for (const { whose, ranMs } of running)
      for (const name of namesOf(whose)) {
        this.#places.set(name, (this.#places.get(name) ?? 0) + 1);
        this.#used.set(name, (this.#used.get(name) ?? 0) + costOf(ranMs));
      }
  }

  /** Sorts work, that of equals as it was. */
  sort<T extends { whose: Whose }>(work: readonly T[]): T[] {
    const keyed = work.map((one) => ({ one, key: this.#keyOf(one.whose) }));
    return keyed.sort((one, other) => compare(one.key, other.key)).map(({ one }) => one);
  }

  /** Reports whether waiting work holds fewer places than running work, where their owners differ. */
  mayDisplace(waiting: Whose, running: Whose): boolean {
    return compare(this.#placesOf(waiting), this.#placesOf(running)) < 0;
  }

  /** Returns how much more time of late running work had than waiting work, at the first level whose owners differ. */
  leadMs(running: Whose, waiting: Whose): number {
    const [used, other] = [levelsOf(running, this.#used), levelsOf(waiting, this.#used)];
    const differs = [running.account !== waiting.account, running.project !== waiting.project, true];
    const level = differs.indexOf(true);
    return (used[level] ?? 0) - (other[level] ?? 0) - startMs;
  }

  /** Lists what is compared: at last, for the work of one user, its projects and accounts alone. */
  #keyOf(whose: Whose): number[] {
    const places = this.#placesOf(whose);
    const used = levelsOf(whose, this.#used);
    const alone = { ...whose, user: '' };
    const [placesAlone, usedAlone] = [this.#placesOf(alone), levelsOf(alone, this.#used)];
    return [
      ...places.flatMap((count, level) => [count, startsIn(used[level])]),
      ...placesAlone.flatMap((count, level) => [count, startsIn(usedAlone[level])]),
      // The longest time without a turn: age alone would let all older work of many users go first.
      ...used.map(halvingsSince),
    ];
  }

  #placesOf(whose: Whose): number[] {
    return levelsOf(whose, this.#places);
  }
}

function levelsOf({ account, project, user }: Whose, amounts: ReadonlyMap<string, number>): number[] {
  const of = (level: string, id: string): number => (id === '' ? 0 : (amounts.get(`${level}:${id}`) ?? 0));
  const own = of('user', user);
  return [Math.max(of('account', account), own), Math.max(of('project', project), own), own];
}

/** Shorter differences are chance. Rounded, since the share of one start decays below a whole one at once. */
const startsIn = (usedMs = 0): number => Math.round(usedMs / startMs);

/** Returns how often the use of a start was halved, below zero. Finer differences are chance. */
const halvingsSince = (usedMs: number): number => Math.min(0, Math.floor(Math.log2(usedMs / startMs)));

function compare(one: readonly number[], other: readonly number[]): number {
  const level = one.findIndex((amount, at) => amount !== other[at]);
  return level < 0 ? 0 : (one[level] ?? 0) - (other[level] ?? 0);
}

/**
 * Chooses what runs next in a process. `waiting`: the oldest first, which is next of equals. `own`: what runs in its places.
 * The chosen work gets a free place, or that of `displaced`, which is set aside: a long run in a place for short work, or one
 * that others have waited for too long.
 *
 * Work is long by its run, or, beside waiting short work, by the time that its owner used more: so an owner of much long work
 * has no short beginning each time. Work is declared long before it starts: by its input, or as it was set aside. Of those no
 * more run than there are places for long work. A run that turns out long uses none of these places, so that short beginnings
 * keep no long work out.
 */
export function chooseNext<W extends WaitingWork, R extends RunningWork>(
  waiting: readonly W[],
  { running, own, shares }: { running: readonly RunningWork[]; own: readonly R[]; shares: Shares },
  limits: PlaceLimits,
): { next: W; displaced?: R } | undefined {
  const order = new FairOrder(running, shares);
  const sorted = order.sort(waiting);
  const longMax = limits.max - limits.shortMax;
  const { max: smallMax, ms: smallMs } = limits.small ?? { max: 0, ms: 0 };
  const mayStart = ({ isLong, isSmall }: WaitingWork, after: readonly R[]) =>
    (!isLong || after.filter((run) => run.isLong).length < longMax) &&
    (isSmall || after.filter((run) => !run.isSmall).length < limits.max - smallMax);
  if (own.length < limits.max) {
    const next = sorted.find((work) => mayStart(work, own));
    return next && { next };
  }
  const shortestFirst = own.toSorted((one, other) => one.ranMs - other.ranMs);
  const small = sorted.find((work) => work.isSmall);
  const grown =
    small &&
    own.find((run) => run.isSmall && run.ranMs >= smallMs && order.mayDisplace(small.whose, run.whose));
  if (small && grown) return { next: small, displaced: grown };
  const short = sorted.find((work) => !work.isLong);
  const long = shortestFirst.filter((run) => short && isLongBeside(run, short, order, limits));
  if (short && long.length > longMax) {
    const may = long.filter((run) => order.mayDisplace(short.whose, run.whose));
    const displaced = may.find((run) => !run.isLong) ?? may.find((run) => hasHadItsTime(run, limits));
    if (displaced) return { next: short, displaced };
  }
  for (const next of sorted) {
    if (next.waitedMs < limits.yieldMs) continue;
    const displaced = shortestFirst.find(
      (run) =>
        hasHadItsTime(run, limits) &&
        order.mayDisplace(next.whose, run.whose) &&
        mayStart(
          next,
          own.filter((one) => one !== run),
        ),
    );
    if (displaced) return { next, displaced };
  }
  return undefined;
}

function isLongBeside(
  run: RunningWork,
  short: WaitingWork,
  order: FairOrder,
  { shortMs }: PlaceLimits,
): boolean {
  if (run.isLong || run.ranMs >= shortMs) return true;
  return run.ranMs >= beginningMs && order.leadMs(run.whose, short.whose) >= shortMs;
}

/** Reports whether work has used its time. The time doubles whenever the work is set aside, so that it ends at last. */
function hasHadItsTime({ ranMs, setAside }: RunningWork, { yieldMs }: PlaceLimits): boolean {
  return ranMs >= yieldMs * 2 ** Math.max(0, setAside - 1);
}
