import { readdirSync, readFileSync } from 'node:fs';

const everyMs = 100;

/** Watches the memory of a process and all its descendants: their maximum PSS (each shared page once), in bytes. */
export function watchMemory(root: number): { stop: () => number } {
  let peak = 0;
  const timer = setInterval(() => {
    peak = Math.max(peak, treeBytes(root));
  }, everyMs);
  return {
    stop: () => {
      clearInterval(timer);
      return peak;
    },
  };
}

/** Watches the resident memory of one process: its start and its maximum, in bytes. */
export function watchResident(pid: number): { before: number; stop: () => { peak: number; after: number } } {
  const before = residentBytes(pid);
  let peak = before;
  const timer = setInterval(() => {
    peak = Math.max(peak, residentBytes(pid));
  }, everyMs);
  return {
    before,
    stop: () => {
      clearInterval(timer);
      return { peak, after: residentBytes(pid) };
    },
  };
}

/** Resident memory of a process, in bytes. */
export function residentBytes(pid: number): number {
  return Number(/^VmRSS:\s+(\d+)/m.exec(read(`/proc/${pid}/status`))?.[1] ?? 0) * 1024;
}

/** Processor time of a process and all its descendants, also of those that have ended, in milliseconds (proc(5): hundredths of a second). */
export function treeProcessorMs(root: number): number {
  return treeOf(root).reduce((sum, pid) => {
    const status = read(`/proc/${pid}/stat`);
    const fields = status.slice(status.lastIndexOf(')') + 2).split(' ');
    return sum + [11, 12, 13, 14].reduce((ticks, at) => ticks + Number(fields[at] ?? 0), 0) * 10;
  }, 0);
}

function treeBytes(root: number): number {
  return treeOf(root).reduce((sum, pid) => sum + pssBytes(pid), 0);
}

function treeOf(root: number): number[] {
  const children = new Map<number, number[]>();
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const parent = parentOf(Number(name));
    if (parent !== undefined) children.set(parent, [...(children.get(parent) ?? []), Number(name)]);
  }
  const tree = [root];
  for (const pid of tree) tree.push(...(children.get(pid) ?? []));
  return tree;
}

/** Reads a file of a process, which may end between the listing and the look. */
function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ESRCH'))
      return '';
    throw error;
  }
}

export function parentOf(pid: number): number | undefined {
  const found = /^PPid:\s+(\d+)/m.exec(read(`/proc/${pid}/status`));
  return found ? Number(found[1]) : undefined;
}

function pssBytes(pid: number): number {
  return Number(/^Pss:\s+(\d+)/m.exec(read(`/proc/${pid}/smaps_rollup`))?.[1] ?? 0) * 1024;
}
