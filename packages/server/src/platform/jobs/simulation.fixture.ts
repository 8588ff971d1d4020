import { chooseNext, type PlaceLimits, type Whose } from './admission.ts';
import { SharesInMemory } from './shares.ts';

interface Arrival {
  whose: Whose;
  atS: number;
  /** Run time that it needs, without interruption. */
  lengthS: number;
  /** Declared long, as large input is. */
  isLong?: boolean;
  isSmall?: boolean;
}

interface Work {
  id: number;
  whose: Whose;
  isLong: boolean;
  isSmall: boolean;
  setAside: number;
  since: number;
  lengthMs: number;
}

const stepMs = 1000;

export interface SimulationState {
  waiting: readonly (Work & { waitedMs: number })[];
  running: readonly (Work & { ranMs: number })[];
  /** Started in this step. */
  started: readonly Work[];
}

/** Places of one process in steps of a second, filled by `chooseNext`. */
export class Simulation {
  readonly ended: number[] = [];
  readonly #limits: PlaceLimits;
  readonly #arrivals: (Arrival & { id: number })[];
  readonly #times = new Map<number, { firstStartS: number; endS: number }>();
  readonly #shares = new SharesInMemory();
  readonly #used = new Map<string, number>();
  #waiting: Work[] = [];
  #running: Work[] = [];
  #now = 0;

  constructor(limits: PlaceLimits, arrivals: readonly Arrival[]) {
    this.#limits = limits;
    this.#arrivals = arrivals.map((arrival, id) => ({ ...arrival, id }));
  }

  timesOf(id: number): { firstStartS: number; endS: number } {
    const never = Number.POSITIVE_INFINITY;
    return this.#times.get(id) ?? { firstStartS: never, endS: never };
  }

  /** Time that the places worked for a user. */
  usedS(user: string): number {
    return (this.#used.get(user) ?? 0) / 1000;
  }

  /** Runs until all work has ended, or for some time; `check` sees the state after each step. */
  run(check?: (state: SimulationState) => void, untilS = 1e6): void {
    for (; this.ended.length < this.#arrivals.length && this.#now < untilS * 1000; this.#now += stepMs) {
      this.#arrive();
      this.#end();
      const started = this.#fill();
      for (const { whose } of this.#running)
        this.#used.set(whose.user, (this.#used.get(whose.user) ?? 0) + stepMs);
      check?.({ waiting: this.#waitingNow(), running: this.#runningNow(), started });
    }
  }

  #arrive(): void {
    for (const { id, whose, atS, lengthS, isLong = false, isSmall = false } of this.#arrivals)
      if (atS * 1000 === this.#now)
        this.#waiting.push({
          ...{ id, whose, isLong, isSmall, setAside: 0, since: this.#now, lengthMs: lengthS * 1000 },
        });
  }

  #end(): void {
    for (const work of this.#running.filter(({ since, lengthMs }) => this.#now - since >= lengthMs)) {
      this.#leave(work);
      this.ended.push(work.id);
      const times = this.timesOf(work.id);
      this.#times.set(work.id, { ...times, endS: this.#now / 1000 });
    }
  }

  #fill(): Work[] {
    const started: Work[] = [];
    for (;;) {
      const running = this.#runningNow();
      const state = { running, own: running, shares: this.#shares.at(this.#now) };
      const chosen = chooseNext(this.#waitingNow(), state, this.#limits);
      if (!chosen) return started;
      const lost = this.#running.find(({ id }) => id === chosen.displaced?.id);
      if (lost) {
        this.#leave(lost);
        this.#waiting.push({
          ...lost,
          isLong: true,
          isSmall: false,
          setAside: lost.setAside + 1,
          since: this.#now,
        });
      }
      this.#waiting = this.#waiting.filter(({ id }) => id !== chosen.next.id);
      const work = { ...chosen.next, since: this.#now };
      this.#running.push(work);
      started.push(work);
      if (!this.#times.has(work.id))
        this.#times.set(work.id, { firstStartS: this.#now / 1000, endS: Number.POSITIVE_INFINITY });
    }
  }

  #leave(work: Work): void {
    this.#running = this.#running.filter(({ id }) => id !== work.id);
    this.#shares.charge(work.whose, this.#now - work.since, this.#now);
  }

  #waitingNow(): (Work & { waitedMs: number })[] {
    return this.#waiting.map((work) => ({ ...work, waitedMs: this.#now - work.since }));
  }

  #runningNow(): (Work & { ranMs: number })[] {
    return this.#running.map((work) => ({ ...work, ranMs: this.#now - work.since }));
  }
}
