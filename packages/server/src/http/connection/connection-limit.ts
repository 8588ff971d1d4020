import { readFileSync } from 'node:fs';
import type { IncomingMessage, Server } from 'node:http';
import { BlockList, isIP, type Socket } from 'node:net';
import { Counter, type Registry } from 'prom-client';
import { SparseWarning } from '../../platform/log/sparse-warning.ts';
import type { PlatformLog } from '../../platform/records/index.ts';

/** Open files that the service needs beside connections: records, processes of the engine, blobs. */
const ownFilesMax = 300;
/** Files of a connection: its socket, and the file that is sent or received through it. */
const filesPerConnection = 2;
/** Connections that are accepted however few files may be open. */
const connectionsMin = 50;

interface ConnectionDeps {
  log: PlatformLog;
  registry: Registry;
  /** Reports whether many clients come by an address. */
  isShared: (address: string) => boolean;
}

/** Share of all connections that one address may have. */
const addressShare = 0.1;
/** Connections of one address that are accepted however few may be open. */
const perAddressMin = 20;

/**
 * Limits the open connections of a server, and counts and logs those that it drops. When all are in use, the oldest that never
 * sent a request gives way; one address has at most a tenth, unless `isShared` marks a proxy of many clients.
 */
export function limitConnections(
  server: Server,
  connectionsMax: number,
  { log, registry, isShared }: ConnectionDeps,
): void {
  const warning = new SparseWarning(log, 'the limit of connections is reached: more are refused');
  const refused = new Counter({
    name: 'ploidy_http_connections_refused_total',
    help: 'Connections that were ended at once because there were too many',
    registers: [registry],
  });
  const max = affordable(connectionsMax, log);
  const perAddressMax = Math.max(perAddressMin, Math.floor(max * addressShare));
  const refuse = (socket: Socket): void => {
    refused.inc();
    warning.report({ connectionsMax: max });
    socket.destroy();
  };
  const connections = new Connections();
  server.on('connection', (socket: Socket) => {
    const address = socket.remoteAddress ?? '';
    if (!isShared(address) && connections.of(address) >= perAddressMax) return refuse(socket);
    if (connections.count >= max) {
      const silent = connections.oldestSilent();
      refuse(silent ?? socket);
      if (!silent) return;
    }
    connections.add(socket, address);
  });
  server.on('request', ({ socket }: IncomingMessage) => connections.hear(socket));
}

/** The open connections of a server. */
class Connections {
  readonly #byAddress = new Map<string, number>();
  /** Connections without a request so far, the oldest first. */
  readonly #silent = new Set<Socket>();
  count = 0;

  of(address: string): number {
    return this.#byAddress.get(address) ?? 0;
  }

  oldestSilent(): Socket | undefined {
    const [oldest] = this.#silent;
    return oldest;
  }

  hear(socket: Socket): void {
    this.#silent.delete(socket);
  }

  add(socket: Socket, address: string): void {
    this.count += 1;
    this.#silent.add(socket);
    this.#byAddress.set(address, this.of(address) + 1);
    socket.once('close', () => {
      this.count -= 1;
      this.#silent.delete(socket);
      const left = this.of(address) - 1;
      if (left > 0) this.#byAddress.set(address, left);
      else this.#byAddress.delete(address);
    });
  }
}

/** Reduces the limit to what open files allow: beyond that the system drops connections without a trace. */
function affordable(connectionsMax: number, log: PlatformLog): number {
  const filesMax = openFilesMax();
  const filesWanted = filesPerConnection * connectionsMax + ownFilesMax;
  if (filesMax >= filesWanted) return connectionsMax;
  const affordable = Math.floor((filesMax - ownFilesMax) / filesPerConnection);
  const max = Math.min(connectionsMax, Math.max(connectionsMin, affordable));
  log.warn(
    { filesMax, filesWanted, connectionsMax: max },
    'the limit of open files (ulimit -n) is too low for PLOIDY_CONNECTIONS_MAX: fewer connections are accepted',
  );
  return max;
}

/** Reads the limit of open files, which only Linux reports (proc(5)). Node raises the soft limit to the hard one at its start. */
function openFilesMax(): number {
  if (process.platform !== 'linux') return Number.POSITIVE_INFINITY;
  const [, soft] = /^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
  return soft === undefined ? Number.POSITIVE_INFINITY : Number(soft);
}

/** Creates the check for addresses of proxies: those of this machine, and `trusted` ones (addresses and networks in CIDR). */
export function sharedAddresses(trusted: readonly string[]): (address: string) => boolean {
  const list = new BlockList();
  list.addSubnet('127.0.0.0', 8, 'ipv4');
  list.addAddress('::1', 'ipv6');
  for (const one of trusted) {
    const [address = '', bits] = one.split('/');
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
    if (bits !== undefined) list.addSubnet(address, Number(bits), family);
    else if (isIP(address) > 0) list.addAddress(address, family);
  }
  return (address) => isIP(address) === 0 || list.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');
}
