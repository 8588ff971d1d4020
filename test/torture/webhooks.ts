import assert from 'node:assert/strict';
import type { Receiver } from '../../packages/server/src/domains/protocols/events/webhooks/receiver.fixture.ts';
import { until } from '../support/until.ts';
import type { Area, Client } from './client.ts';

/** A webhook that receives each file that arrives in a project: at least once, under one id. */
export class Webhooks implements Area {
  readonly acts = { 'put a watched file': () => this.#put() };
  readonly #client: Client;
  readonly #receiver: Receiver;
  readonly #files: string[] = [];
  #project = '';
  #hook = '';

  constructor(client: Client, receiver: Receiver) {
    this.#client = client;
    this.#receiver = receiver;
  }

  async verify(): Promise<void> {
    for (const file of this.#files) {
      await until(() => this.#idsOf(file).size > 0, `${this.#client.name}: the file ${file} is announced`);
      assert.equal(this.#idsOf(file).size, 1, `${this.#client.name}: ids of the event of ${file}`);
    }
    this.#client.journal.count('webhooks verified');
  }

  /** Ids of the messages about a file. */
  #idsOf(file: string): Set<unknown> {
    const mine = this.#receiver.received.filter(({ body }) => JSON.parse(body).data?.resource?.id === file);
    return new Set(mine.map(({ headers }) => headers['webhook-id']));
  }

  async #put(): Promise<void> {
    const client = this.#client;
    if (this.#hook === '') await this.#watch();
    if (this.#hook === '') return;
    const body = { name: client.newName('watched '), datasetId: this.#project, overwrite: true };
    const begun = await client.askUntil('POST', '/v1/files', [200], { body });
    await client.putUntil(begun.body.uploadUrl, Buffer.from(body.name));
    const { text } = await client.askUntil('GET', `/v1/files/${begun.body.id}`, [200]);
    assert.equal(text, body.name);
    this.#files.push(begun.body.id);
  }

  async #watch(): Promise<void> {
    const client = this.#client;
    const name = client.newName('watched ');
    const made = await client.change('projects.create', 'POST', '/v1/projects', [200], { body: { name } });
    if (!made) return;
    this.#project = made.body.id;
    const body = { name, url: this.#receiver.url, datasetId: made.body.id, events: ['file.arrived'] };
    // 409: an account may have 20.
    const hook = await client.change('webhooks.create', 'POST', '/v1/webhooks', [200, 409], { body });
    this.#hook = hook?.body.id ?? '';
  }
}
