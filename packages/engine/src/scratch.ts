import { randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { hasCode } from './task-runtime/error-code.ts';

/** A log for what no caller waits for. Pino's logger fits. */
export interface EngineLog {
  warn(details: object, message: string): void;
}

const folderName = /^engine-(\d+)-(\w+)-[\da-f-]+$/;

/**
 * Creates a folder of this process under `root`, after removing those of dead processes. A folder of another user cannot be
 * removed: it uses space, which the log reports.
 */
export async function openScratch(root: string, log: EngineLog): Promise<string> {
  await mkdir(root, { recursive: true, mode: 0o700 });
  for (const name of await readdir(root)) {
    const [, pid, started] = folderName.exec(name) ?? [];
    if (pid !== undefined && started !== undefined && (await startOf(Number(pid))) !== started) {
      const folder = join(root, name);
      await rm(folder, { recursive: true, force: true }).catch((error: unknown) =>
        log.warn({ err: error, folder }, 'a folder that a process left behind cannot be removed'),
      );
    }
  }
  const started = await startOf(process.pid);
  const folder = join(root, `engine-${process.pid}-${started}-${randomUUID()}`);
  await mkdir(folder, { mode: 0o700 });
  return folder;
}

/**
 * Returns the start time of a process, to distinguish it from a later one of the same number (in a container the service often is
 * number 1). `gone`: no such process.
 */
async function startOf(pid: number): Promise<string> {
  if (process.platform !== 'linux') return isAlive(pid) ? 'running' : 'gone';
  try {
    const stat = await readFile(`/proc/${pid}/stat`, 'latin1');
    // proc(5): the command may hold blanks and parentheses; `starttime` is the 20th field after it.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? 'gone';
  } catch {
    return 'gone';
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return hasCode(error, 'EPERM');
  }
}
