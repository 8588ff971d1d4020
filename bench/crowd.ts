import { request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { People, type Person } from '../test/support/people.ts';
import { startPostgres } from '../test/support/postgres.ts';
import { Latencies } from './latencies.ts';
import { peopleText } from './people.ts';
import { type Service, startService } from './service.ts';
import { addClient, firstToken, signIn } from './token.ts';

const seconds = 60;
const users = 20;
const accounts = 5;
const floodAddresses = 50;
const floodSockets = 4;
const floodPauseMs = 400;
const slowUploads = 20;
/** Statements that an abusive user keeps waiting. */
const abuse = 10;
const endless = 'SELECT count(*) FROM range(100000000000000) t(i) WHERE i % 7 = 3';
const honest = 'SELECT count(*) FROM range(400000000) t(i) WHERE i % 7 = 3';
const rowsPath = '/v1/analytics/data-lake/rows';
const queryPath = '/v1/analytics/data-lake/query';
/** Lines of a VCF that take many seconds. */
const largeLines = 300_000;

/**
 * Measures the waits of other users in a crowd: twenty users of one project, five accounts that ingest large files, fifty
 * addresses without credentials, and slow uploads. Two of the users flood the project with endless statements, and one runs
 * long ones.
 */
export async function bench(): Promise<void> {
  const { values } = parseArgs({
    options: {
      store: { type: 'string', default: 'sqlite' },
      processes: { type: 'string', default: '1' },
    },
    allowPositionals: true,
  });
  const database = values.store === 'postgres' ? await startPostgres() : undefined;
  const settings: Record<string, string> = database ? { PLOIDY_DATABASE_URL: database.url } : {};
  const services = [await startService(settings)];
  const [first] = services as [Service];
  for (let more = 1; database && more < Number(values.processes); more += 1)
    services.push(await startService(settings, first));
  const people = await People.open({ PLOIDY_DATA_DIR: first.folder, ...settings }, (key) =>
    isHeard(services, key),
  );
  const latencies = new Latencies();
  try {
    await new Crowd(services, people, latencies).run();
    latencies.print(`${values.store}, ${services.length} processes, ${seconds} s`);
  } finally {
    await people.close();
    for (const service of services.toReversed()) await service.stop();
    await database?.stop();
  }
}

async function isHeard(services: readonly Service[], key: string): Promise<boolean> {
  const answers = await Promise.all(
    services.map(({ address }) => fetch(`${address}/v1/user`, { headers: { authorization: key } })),
  );
  return answers.every(({ ok }) => ok);
}

class Crowd {
  readonly #services: readonly Service[];
  readonly #people: People;
  readonly #latencies: Latencies;
  readonly #over = new AbortController();
  #turn = 0;

  constructor(services: readonly Service[], people: People, latencies: Latencies) {
    this.#services = services;
    this.#people = people;
    this.#latencies = latencies;
  }

  async run(): Promise<void> {
    const [first] = this.#services as [Service];
    const account = first.headers['service-account'] ?? '';
    const owner: Person = { userId: '', key: first.headers['authorization'] ?? '', account };
    const project = await this.#project(owner, 'Crowd');
    await this.#ingest(owner, project, 'people.ndjson', peopleText(200, 2));
    const crowd: Person[] = [];
    for (let user = 0; user < users; user += 1)
      crowd.push(await this.#people.member(account, ['readData', 'createData', 'updateData']));
    const [one, two, long, ...others] = crowd as [Person, Person, Person, ...Person[]];
    const ingesting = [];
    for (let number = 0; number < accounts; number += 1) {
      const person = await this.#people.owner(`ingesting${number}`);
      ingesting.push(this.#ingestForEver(person, await this.#project(person, 'Large')));
    }
    const client = await addClient(first);
    const cookie = await signIn(first).catch(() => undefined);
    const work = [
      ...ingesting,
      this.#abuse(one, project),
      this.#abuse(two, project),
      this.#repeat('honest long query', 100, () => this.#query(long, project, honest)),
      ...this.#flood(),
      ...Array.from({ length: slowUploads }, () => this.#slowUpload(owner, project)),
      ...others.map((person) =>
        this.#repeat('POST rows', 2000, () =>
          this.#call(person, 'POST', rowsPath, {
            datasetId: project,
            query: 'SELECT count(*) AS patients FROM patient',
          }),
        ),
      ),
      this.#repeat('list', 200, () => this.#call(owner, 'GET', `/v1/files?datasetId=${project}&pageSize=25`)),
      this.#repeat('small ingestion', 2000, async () => {
        await this.#ingest(owner, project, `small-${this.#next()}.vcf`, vcfText(1));
      }),
      this.#repeat('healthz', 250, async () => {
        const answer = await fetch(`${this.#address()}/healthz`);
        await answer.text();
        if (!answer.ok) throw new Error(String(answer.status));
      }),
    ];
    if (cookie !== undefined) {
      const { Agent } = await import('node:http');
      const agent = new Agent({ keepAlive: true });
      work.push(
        this.#repeat('sign-in', 500, async () => {
          await firstToken(first, agent, client, cookie, 'offline_access');
        }),
      );
    }
    await delay(seconds * 1000);
    this.#over.abort();
    await Promise.race([Promise.allSettled(work), delay(15_000)]);
  }

  /** Repeats an action, and notes how long it took, or that it failed. */
  async #repeat(name: string, pauseMs: number, act: () => Promise<unknown>): Promise<void> {
    while (!this.#over.signal.aborted) {
      await delay(pauseMs * (0.5 + Math.random()));
      const from = performance.now();
      await act().then(
        () => this.#latencies.add(name, performance.now() - from),
        (error: unknown) => {
          if (!this.#over.signal.aborted) this.#latencies.fail(name, String(error));
          // An action that the end cuts off has waited at least so long.
          else this.#latencies.add(name, performance.now() - from);
        },
      );
    }
  }

  async #abuse(person: Person, project: string): Promise<void> {
    for (let count = 0; count < abuse; count += 1)
      await this.#start(person, project, endless).catch(() => this.#latencies.fail('abuse', 'refused'));
  }

  async #ingestForEver(person: Person, project: string): Promise<void> {
    for (let round = 0; !this.#over.signal.aborted; round += 1)
      await this.#ingest(person, project, `large-${round}.vcf`, largeText).catch(() => delay(1000));
  }

  /** Requests without credentials, of which each address keeps some open. */
  #flood(): Promise<void>[] {
    const ticket = 'a'.repeat(43);
    const paths = [`/v1/oauth/external/${ticket}/token`, '/v1/projects', '/v1/oauth/jwks'];
    return Array.from({ length: floodAddresses * floodSockets }, async (_, number) => {
      const localAddress = `127.0.0.${2 + Math.floor(number / floodSockets)}`;
      while (!this.#over.signal.aborted) {
        await this.#anonymous(localAddress, paths[number % paths.length] ?? '');
        await delay(floodPauseMs);
      }
    });
  }

  #anonymous(localAddress: string, path: string): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const sent = request(
      `${this.#address()}${path}`,
      { localAddress, signal: this.#over.signal },
      (answer) => {
        answer.resume().once('close', resolve);
      },
    );
    sent.once('error', () => resolve()).end();
    return promise;
  }

  /** Sends a byte a second of an upload, and another one when it is cut off. */
  async #slowUpload(person: Person, project: string): Promise<void> {
    while (!this.#over.signal.aborted) {
      const name = `slow-${this.#next()}.bin`;
      const body = { name, datasetId: project };
      const made = await this.#call<{ uploadUrl: string }>(person, 'POST', '/v1/files', body).catch(
        () => undefined,
      );
      if (made) await this.#trickle(made.uploadUrl);
      await delay(500);
    }
  }

  async #trickle(url: string): Promise<void> {
    const headers = { 'content-length': 1_000_000 };
    const sent = request(url, { method: 'PUT', headers, signal: this.#over.signal });
    sent.once('error', () => undefined);
    while (!this.#over.signal.aborted && !sent.destroyed) {
      sent.write('x');
      await delay(1000);
    }
  }

  async #project(person: Person, name: string): Promise<string> {
    return (await this.#call<{ id: string }>(person, 'POST', '/v1/projects', { name })).id;
  }

  async #ingest(person: Person, project: string, name: string, text: string | Buffer): Promise<void> {
    const made = await this.#call<{ id: string; uploadUrl: string }>(person, 'POST', '/v1/files', {
      ...{ name, datasetId: project },
    });
    const sent = await fetch(made.uploadUrl, { method: 'PUT', body: text });
    if (!sent.ok) throw new Error(`upload ${sent.status}`);
    const body = { datasetId: project, fileId: made.id };
    const { id } = await this.#call<{ id: string }>(person, 'POST', '/v1/ingestions', body);
    await this.#settled(person, `/v1/ingestions/${id}`, ['queued', 'running']);
  }

  async #query(person: Person, project: string, sql: string): Promise<void> {
    const id = await this.#start(person, project, sql);
    await this.#settled(person, `${queryPath}/${id}`, ['running']);
  }

  async #start(person: Person, project: string, sql: string): Promise<string> {
    const outputFileName = `asked-${this.#next()}.csv`;
    const body = { query: sql, datasetId: project, outputFileName };
    return (await this.#call<{ queryId: string }>(person, 'POST', queryPath, body)).queryId;
  }

  async #settled(person: Person, path: string, going: string[]): Promise<void> {
    for (;;) {
      const { state } = await this.#call<{ state: string }>(person, 'GET', path);
      if (state === 'succeeded') return;
      if (!going.includes(state)) throw new Error(state);
      await delay(200, undefined, { signal: this.#over.signal });
    }
  }

  #next(): number {
    this.#turn += 1;
    return this.#turn;
  }

  #address(): string {
    return this.#services[this.#next() % this.#services.length]?.address ?? '';
  }

  async #call<T = unknown>(person: Person, method: string, path: string, body?: object): Promise<T> {
    const headers: Record<string, string> = { authorization: person.key, 'service-account': person.account };
    if (body) headers['content-type'] = 'application/json';
    const sent = body ? { body: JSON.stringify(body) } : {};
    const answer = await fetch(`${this.#address()}${path}`, {
      ...{ method, headers, ...sent },
      signal: AbortSignal.timeout(seconds * 1000),
    });
    const text = await answer.text();
    if (!answer.ok)
      throw new Error(
        `${method} ${path.replace(/[0-9a-z]{20,}/g, ':id')} ${answer.status} ${text.slice(0, 120)}`,
      );
    return (text === '' ? undefined : JSON.parse(text)) as T;
  }
}

const largeText = Buffer.from(vcfText(largeLines));

function vcfText(lines: number): string {
  const head = '##fileformat=VCFv4.2\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\tS1\n';
  const rows = Array.from({ length: lines }, (_, at) => `1\t${at + 1}\t.\tA\tG\t.\tPASS\t.\tGT\t0/1`);
  return `${head}${rows.join('\n')}\n`;
}
