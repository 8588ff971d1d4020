import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import type { Area, Client } from './client.ts';

const root = '/v1/analytics/data-lake/query';
const rangeMax = 20_000_000;
const runningMax = 3;

interface Asked {
  id: string;
  answer: string;
  cancelled: boolean;
}

/** Returns the rows of a statement over a project; it is asked again when it was interrupted too often. */
export async function askLake(client: Client, project: string, query: string): Promise<string[]> {
  for (;;) {
    const body = { query, datasetId: project, outputFileName: client.newName('seen-') };
    const begun = await client.change('lake.query', 'POST', root, [200, 503], { body });
    if (begun?.status !== 200) continue;
    const path = `${root}/${begun.body.queryId}`;
    let view = (await client.askUntil('GET', path, [200])).body;
    while (view.state === 'running') {
      await delay(20);
      view = (await client.askUntil('GET', path, [200])).body;
    }
    if (view.state === 'succeeded') {
      const { text } = await client.askUntil('GET', `/v1/files/${view.resultFileId}`, [200]);
      return text.trimEnd().split('\n').slice(1);
    }
    client.assertExplained(view.error);
  }
}

/** Statements that run a while, some of which are cancelled. */
export class Queries implements Area {
  readonly acts = { 'ask a query': () => this.#ask(), 'cancel a query': () => this.#cancel() };
  readonly #client: Client;
  readonly #project: string;
  readonly #asked: Asked[] = [];

  constructor(client: Client, project: string) {
    this.#client = client;
    this.#project = project;
  }

  async verify(): Promise<void> {
    for (const { id, answer, cancelled } of this.#asked) {
      const { body } = await this.#client.askUntil('GET', `${root}/${id}`, [200]);
      this.#client.journal.count(`query ${body.state}`);
      const file = await this.#client.askUntil('GET', `/v1/files/${id}`, [200, 404]);
      if (cancelled) assert.equal(body.state, 'cancelled', 'the cancelling was acknowledged');
      if (body.state === 'succeeded') assert.equal(file.text, answer);
      else assert.equal(file.status, 404, `a query that is ${body.state} leaves no file`);
      if (body.state === 'failed') this.#client.assertExplained(body.error);
      else assert.ok(['succeeded', 'cancelled'].includes(body.state), `it is ${body.state}`);
    }
  }

  async #ask(): Promise<void> {
    const client = this.#client;
    if ((await this.#running()).length >= runningMax) return;
    const range = 10 + client.random.below(rangeMax);
    const outputFileName = `${client.newName('q-')}.csv`;
    const query = `select count(*) from range(${range}) t(i) where i % 7 = 3`;
    const body = { query, datasetId: this.#project, outputFileName };
    // 503: the process that reads statements was killed while it started, and there is no query.
    const reply = await client.change('lake.query', 'POST', root, [200, 503], { body });
    const found = reply?.status === 200 ? reply.body.queryId : await this.#unknown(outputFileName);
    if (reply?.status === 503) assert.equal(found, undefined, 'what failed was not begun');
    const id: string | undefined = found;
    const answer = `count\n${Math.floor((range - 4) / 7) + 1}\n`;
    if (id !== undefined) this.#asked.push({ id, answer, cancelled: false });
  }

  async #unknown(name: string): Promise<string | undefined> {
    const path = `${root}?datasetId=${this.#project}&pageSize=1000&outputFileName=${name}`;
    return (await this.#client.askUntil('GET', path, [200])).body.items[0]?.id;
  }

  async #cancel(): Promise<void> {
    const [asked] = await this.#running();
    if (!asked) return;
    const reply = await this.#client.change('lake.cancel', 'DELETE', `${root}/${asked.id}`, [200, 409]);
    asked.cancelled = reply?.status === 200;
  }

  async #running(): Promise<Asked[]> {
    const running: Asked[] = [];
    for (const asked of this.#asked.slice(-runningMax)) {
      const { body } = await this.#client.askUntil('GET', `${root}/${asked.id}`, [200]);
      if (body.state === 'running') running.push(asked);
    }
    return running;
  }
}
