import { cpSync, mkdirSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MortalService } from '../crash/mortal-service.ts';
import { signal } from '../crash/worker-processes.ts';
import { SmallDisk } from '../faults/small-disk.ts';
import type { Call } from '../inputs/project.ts';
import { freePort } from '../support/free-port.ts';
import type { FreshDatabase } from '../support/postgres.ts';
import { startPostgres } from '../support/postgres.ts';
import { type S3Server, startS3 } from '../support/s3/server.ts';
import { until } from '../support/until.ts';
import { type Balancer, startBalancer } from './balancer.ts';
import type { Journal } from './journal.ts';
import type { Life } from './life.ts';
import { Wire } from './wire.ts';

const processes = 3;
const diskMebibytes = 512;

/** Three processes, as on three machines, with one database, one bucket, and a proxy before them. */
export class Fleet implements Life {
  readonly services: readonly MortalService[];
  readonly s3: S3Server;
  readonly wire: Wire;
  /** Disk of the last process, where this process may mount one. */
  readonly disk: SmallDisk | undefined;
  readonly reasons = ['INTERRUPTED', 'DISK', 'QUERY_DISK', 'INTERNAL'];
  readonly up = Promise.resolve();
  readonly #journal: Journal;
  readonly #balancer: Balancer;
  readonly #database: FreshDatabase;
  #faults = 0;
  #isDisturbed = false;

  private constructor(
    parts: Pick<Fleet, 'services' | 's3' | 'wire' | 'disk'>,
    balancer: Balancer,
    database: FreshDatabase,
    journal: Journal,
  ) {
    this.services = parts.services;
    this.s3 = parts.s3;
    this.wire = parts.wire;
    this.disk = parts.disk;
    this.#balancer = balancer;
    this.#database = database;
    this.#journal = journal;
  }

  /** `program`: path of another `ploidy.js`. */
  static async start(
    journal: Journal,
    settings: Record<string, string> = {},
    program?: string,
  ): Promise<Fleet> {
    const [database, s3, balancer] = [await startPostgres(), await startS3(), await startBalancer()];
    const direct = new URL(database.url);
    const wire = await Wire.to(Number(direct.port));
    direct.port = String(wire.port);
    const disk = SmallDisk.mount(diskMebibytes);
    const services: MortalService[] = [];
    for (let number = 0; number < processes; number += 1) {
      const port = String(await freePort());
      const [first] = services;
      const isLast = number === processes - 1;
      const folder = isLast && disk ? disk.folder : mkdtempSync(join(tmpdir(), 'ploidy-fleet-'));
      if (first) share(first.folder, folder);
      balancer.upstreams.push(`http://127.0.0.1:${port}`);
      const all = {
        ...{ ...s3.settings, PLOIDY_DATABASE_URL: direct.href, PLOIDY_PORT: port },
        PLOIDY_PUBLIC_URL: balancer.address,
        ...settings,
      };
      const service = await MortalService.startIn(folder, all, program);
      services.push(service);
    }
    const fleet = new Fleet({ services, s3, wire, disk }, balancer, database, journal);
    await fleet.untilReady('a start');
    return fleet;
  }

  /** Process for operators' commands and looks into the records. */
  get first(): MortalService {
    const [first] = this.services;
    if (!first) throw new Error('There is no process.');
    return first;
  }

  readonly call: Call = (method, path, options) =>
    this.first.callAt(this.#balancer.address, method, path, options);

  get account(): string {
    return this.first.server.account;
  }

  get settings(): Record<string, string> {
    return { ...this.first.settings, PLOIDY_DATA_DIR: this.first.folder };
  }

  get folders(): string[] {
    return this.services.map(({ folder }) => folder);
  }

  watch(): (status?: number) => boolean {
    const [faults, wasDisturbed] = [this.#faults, this.#isDisturbed];
    // 500 is a fault of the service, and 404 would be untrue of what is there.
    const isRefusal = (status = 503): boolean => [502, 503, 504].includes(status);
    return (status) => isRefusal(status) && (wasDisturbed || this.#faults !== faults);
  }

  /** Lets something go wrong, and mends it; resolves when every process is ready again. */
  async suffer(name: string, fault: () => Promise<void>): Promise<void> {
    this.#faults += 1;
    this.#isDisturbed = true;
    this.#journal.note('', name, '…');
    this.#journal.count(`fault: ${name}`);
    await fault();
    await this.untilReady(name);
    this.#journal.note('', name, 'is over');
    this.#isDisturbed = false;
  }

  /** Waits for each process at its own address: what it prints is that of the proxy. */
  async untilReady(what: string): Promise<void> {
    for (const address of this.#balancer.upstreams)
      await until(
        () =>
          fetch(`${address}/readyz`).then(
            ({ ok }) => ok,
            () => false,
          ),
        `after ${what} each process is ready`,
      );
  }

  /** Lets the proxy send nothing more to a process; the returned function lets it send again. */
  withhold(service: MortalService): () => void {
    const { upstreams } = this.#balancer;
    const address = `http://127.0.0.1:${service.settings['PLOIDY_PORT']}`;
    upstreams.splice(upstreams.indexOf(address), 1);
    return () => void upstreams.push(address);
  }

  async end(): Promise<void> {
    for (const { server } of this.services) signal(server.process.pid ?? 0, 'SIGCONT');
    this.wire.set('open');
    this.s3.fault = () => undefined;
    for (const service of this.services)
      await (service.folder === this.disk?.folder ? service.kill() : service.end());
    this.disk?.unmount();
    this.#balancer.close();
    this.wire.close();
    await this.s3.close();
    await this.#database.stop();
  }
}

/** Gives a further process what it needs of the first: the master key, and where the first key is. */
function share(from: string, to: string): void {
  mkdirSync(join(to, 'secrets'), { recursive: true, mode: 0o700 });
  for (const name of ['secrets/master.key', 'first-run.json']) cpSync(join(from, name), join(to, name));
}
