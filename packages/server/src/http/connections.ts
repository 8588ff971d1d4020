import { readFileSync } from 'node:fs';
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { Counter, type Registry } from 'prom-client';
import type { PlatformLog } from '../platform/records/index.ts';
import { SparseWarning } from '../sparse-warning.ts';

/** Open files that the service needs beside connections: the sockets of its port, records, processes of the engine, blobs. */
const ownFilesMax = 300;
/** Of a connection: its socket, and the file that is sent or received through it. */
const filesOfConnection = 2;
/** Connections that are kept however few files may be open. */
const connectionsMin = 50;

/** Who is told of connections that are refused. */
export interface ConnectionParts {
  log: PlatformLog;
  registry: Registry;
}

/**
 * Lets a server keep so many connections at most, through whichever socket they came; those beyond end before anything is made for them, are
 * counted and told. Never more than the system lets a process open files: beyond that it would end them itself, and tell nobody. To be
 * called after all others that listen for connections, and before the server listens.
 */
export function limitConnections(
  server: Server,
  connectionsMax: number,
  { log, registry }: ConnectionParts,
): void {
  const most = affordable(connectionsMax, log);
  const warning = new SparseWarning(log, 'there are as many connections as may be: more are refused');
  const refused = new Counter({
    name: 'ploidy_http_connections_refused_total',
    help: 'Connections that were ended at once because there were too many',
    registers: [registry],
  });
  let open = 0;
  const listeners = server.listeners('connection') as ((socket: Socket) => void)[];
  server.removeAllListeners('connection');
  server.on('connection', (socket: Socket) => {
    if (open >= most) {
      socket.destroy();
      refused.inc();
      warning.tell({ connectionsMax: most });
      return;
    }
    open += 1;
    socket.once('close', () => {
      open -= 1;
    });
    for (const listener of listeners) listener.call(server, socket);
  });
}

function affordable(connectionsMax: number, log: PlatformLog): number {
  const filesMax = openFilesMax();
  const filesWanted = filesOfConnection * connectionsMax + ownFilesMax;
  if (filesMax >= filesWanted) return connectionsMax;
  const affordable = Math.floor((filesMax - ownFilesMax) / filesOfConnection);
  const most = Math.min(connectionsMax, Math.max(connectionsMin, affordable));
  log.warn(
    { filesMax, filesWanted, connectionsMax: most },
    'the limit of open files (ulimit -n) is too low for PLOIDY_CONNECTIONS_MAX: fewer connections are kept',
  );
  return most;
}

/** Linux tells it (proc(5)); elsewhere it is not known. Node raises the soft limit to the hard one when it starts. */
function openFilesMax(): number {
  if (process.platform !== 'linux') return Number.POSITIVE_INFINITY;
  const [, soft] = /^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
  return soft === undefined ? Number.POSITIVE_INFINITY : Number(soft);
}
