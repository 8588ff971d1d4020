import { mkdir, readdir, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Hold } from './blobs.ts';
import { syncFolder } from './durable.ts';
import { newKey } from './keys.ts';

/** A hold that was not renewed for so long is of a process that is gone. */
export const holdLifeMs = 5 * 60_000;
const renewEveryMs = 30_000;
/** Less than its life, because the store saw the renewal before we knew of it. */
const lapsesAfterMs = holdLifeMs - renewEveryMs;

/** The name of a hold that needs no process: it says itself until when it lasts (epoch milliseconds). */
export const lastingHold = (until: number): string => `until-${until}`;

/** Until when a hold counts that was renewed then. */
export function holdsUntil(name: string, renewedAt: number): number {
  const [, until] = /^until-(\d+)$/.exec(name) ?? [];
  return until === undefined ? renewedAt + holdLifeMs : Number(until);
}

/** The first stands still while the machine sleeps, the second may be set back. */
const clocksOfSystem: readonly (() => number)[] = [() => performance.now(), () => Date.now()];

/** Keeps a hold alive until it is released, also one that a sweep took for dead. A renewal that fails is made up for by the next. */
export function keepAlive(
  renew: () => Promise<unknown>,
  end: () => Promise<void>,
  clocks = clocksOfSystem,
): Hold {
  let renewal: Promise<unknown> | undefined;
  let hasLapsed = false;
  const now = () => clocks.map((clock) => clock());
  let renewedAt = now();
  const lapsed = (): boolean =>
    (hasLapsed ||= now().some((time, clock) => time - (renewedAt[clock] ?? time) > lapsesAfterMs));
  const renewNow = async (): Promise<void> => {
    const begunAt = now();
    await renew();
    lapsed();
    renewedAt = begunAt;
  };
  const timer = setInterval(() => {
    renewal ??= renewNow()
      .catch(() => undefined)
      .finally(() => {
        renewal = undefined;
      });
  }, renewEveryMs);
  timer.unref();
  return {
    lapsed,
    release: async () => {
      clearInterval(timer);
      // Else it would make the hold anew behind its end.
      await renewal;
      await end();
    },
  };
}

/**
 * What keeps all processes of a folder from removing blobs: a file for each hold. Who removes a blob has committed before that no
 * row names it; so whoever takes a hold first and looks at the records then, finds the bytes of all that they name.
 */
export class FolderHolds {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  async take(): Promise<Hold> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    const path = join(this.#folder, newKey());
    const renew = async (): Promise<void> => {
      await writeFile(path, '', { mode: 0o600 });
      await utimes(path, new Date(), new Date());
    };
    await renew();
    return keepAlive(renew, () => rm(path, { force: true }));
  }

  async last(ms: number): Promise<void> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    await writeFile(join(this.#folder, lastingHold(Date.now() + ms)), '', { mode: 0o600, flush: true });
    await syncFolder(this.#folder);
    await syncFolder(dirname(this.#folder));
  }

  async any(): Promise<boolean> {
    for await (const { isAlive } of this.#all()) if (isAlive) return true;
    return false;
  }

  /** Removes those of processes that are gone. */
  async sweep(): Promise<void> {
    for await (const { path, isAlive } of this.#all()) if (!isAlive) await rm(path, { force: true });
  }

  async *#all(): AsyncGenerator<{ path: string; isAlive: boolean }> {
    // Anything but "it is not there" is no proof that nobody holds: what is not removed now is removed later.
    const names = await readdir(this.#folder).catch(unlessMissing([]));
    for (const name of names) {
      const path = join(this.#folder, name);
      const found = await stat(path).catch(unlessMissing(undefined));
      if (found) yield { path, isAlive: holdsUntil(name, found.mtimeMs) > Date.now() };
    }
  }
}

function unlessMissing<T>(none: T): (error: NodeJS.ErrnoException) => T {
  return (error) => {
    if (error.code !== 'ENOENT') throw error;
    return none;
  };
}
