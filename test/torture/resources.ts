import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import type { MortalService } from '../crash/mortal-service.ts';

/** Resources of a process. */
export interface Held {
  residentBytes: number;
  /** Open files and the rest, without the connections of clients and those to its own processes. */
  handles: string[];
}

/** Each worker is held by its channel and its error output. */
const handlesOfWorker = 2;
const established = '01';

/** Measures the service's resources, without its worker processes. */
export function heldBy(service: MortalService): Held {
  const { pid } = service.server.process;
  const folder = `/proc/${pid}`;
  const status = readFileSync(`${folder}/status`, 'latin1');
  const residentBytes = Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) * 1024;
  const connections = connectionsOf(Number(new URL(service.server.baseUrl).port));
  const handles = readdirSync(`${folder}/fd`).flatMap((name) => targetOf(`${folder}/fd/${name}`) ?? []);
  const own = handles.filter((one) => !connections.has(one)).sort();
  // Sockets, too; they come last.
  const firstSocket = own.findIndex((one) => one.startsWith('socket:'));
  own.splice(firstSocket, handlesOfWorker * childrenOf(Number(pid)));
  return { residentBytes, handles: own };
}

/**
 * Returns the connections that clients have with the service at present, as they are named among its handles (proc(5),
 * net/tcp).
 */
function connectionsOf(port: number): Set<string> {
  const lines = readFileSync('/proc/net/tcp', 'latin1').trim().split('\n').slice(1);
  const fields = lines.map((line) => line.trim().split(/\s+/));
  const local = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  return new Set(
    fields
      .filter(([, address = '', , state]) => address.endsWith(local) && state === established)
      .map((line) => `socket:[${line[9]}]`),
  );
}

function childrenOf(pid: number): number {
  return processes().filter(({ parent }) => parent === pid).length;
}

/** Returns all processes, with their command lines. */
function processes(): { pid: number; parent: number; command: string }[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return pids.flatMap((pid) => {
    try {
      const command = readFileSync(`/proc/${pid}/cmdline`, 'latin1').replaceAll('\0', ' ');
      const parent = /^PPid:\t(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1];
      return [{ pid: Number(pid), parent: Number(parent), command }];
    } catch (error) {
      // The process ended between listing and reading.
      if (error instanceof Error && 'code' in error) return [];
      throw error;
    }
  });
}

function targetOf(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch (error) {
    // The descriptor was closed between listing and reading.
    if (error instanceof Error && Reflect.get(error, 'code') === 'ENOENT') return undefined;
    throw error;
  }
}

/** Processes that still work in the service's folder and belong to a service that died. */
export function orphansOf(service: MortalService): string[] {
  const orphans = processes().filter(
    ({ parent, command }) =>
      command.includes(service.folder) &&
      command.includes('/task-entry-points/') &&
      parent !== service.server.process.pid,
  );
  return orphans.map(({ pid, command }) => `${pid}: ${command}`);
}
