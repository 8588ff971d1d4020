import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { duckdbEngine, type Engine } from '../../packages/engine/src/index.ts';
import type { Config } from '../../packages/server/src/config/config.ts';
import { engineSettings } from '../../packages/server/src/config/engine-settings.ts';
import { end } from './end.ts';
import { silent } from './records.ts';

/** Milliseconds for which an unused engine is kept, where no batch reports the end of all files. */
const keptMs = 1000;
/** Engines kept at a time, each with processes of its own: other settings than the usual ones are rare. */
const keptMax = 3;

interface Kept {
  engine: Engine;
  folder: string;
  timer: NodeJS.Timeout | undefined;
}

/** Engines that no service has at the moment, by their settings. */
const kept = new Map<string, Kept>();

/**
 * Returns the engine of a service in this process: one that an earlier service had, whose processes are warm, or a new one. Two
 * services at a time never have the same. One that shall hold processes ready makes its own.
 */
export async function lendEngine(
  config: Config,
): Promise<{ engine: Engine | undefined; giveBack: () => Promise<void> }> {
  if (config.idleWorkers > 0) return { engine: undefined, giveBack: async () => undefined };
  const settings = engineSettings(config);
  const key = JSON.stringify({ ...settings, scratchFolder: '' });
  const lent = kept.get(key) ?? (await open(settings));
  kept.delete(key);
  clearTimeout(lent.timer);
  // The service finds its folder as if it had made it.
  mkdirSync(settings.scratchFolder, { recursive: true, mode: 0o700 });
  return { engine: lent.engine, giveBack: () => giveBack(key, lent) };
}

async function open(settings: ReturnType<typeof engineSettings>): Promise<Kept> {
  const folder = mkdtempSync(join(tmpdir(), 'ploidy-engine-'));
  const engine = await duckdbEngine({ ...settings, scratchFolder: folder }, silent);
  return { engine, folder, timer: undefined };
}

async function giveBack(key: string, lent: Kept): Promise<void> {
  if (kept.has(key)) return close(lent);
  kept.set(key, lent);
  if (end.isCalled) {
    const [[oldestKey, oldest] = []] = kept;
    if (kept.size <= keptMax || oldestKey === undefined || oldest === undefined) return;
    kept.delete(oldestKey);
    return close(oldest);
  }
  lent.timer = setTimeout(() => {
    kept.delete(key);
    void close(lent);
  }, keptMs);
}

end.steps.push(async () => {
  await Promise.all([...kept.values()].map(close));
  kept.clear();
});

async function close({ engine, folder }: Kept): Promise<void> {
  await engine.close();
  rmSync(folder, { recursive: true, force: true });
}
