import assert from 'node:assert/strict';
import type { Area, Client } from './client.ts';

interface Cohort {
  id: string;
  name: string;
}

/** Cohorts that are made and deleted. */
export class Cohorts implements Area {
  readonly acts = { 'make a cohort': () => this.#make(), 'delete a cohort': () => this.#delete() };
  readonly #client: Client;
  readonly #project: string;
  #kept: Cohort[] = [];

  constructor(client: Client, project: string) {
    this.#client = client;
    this.#project = project;
  }

  async verify(): Promise<void> {
    const seen = (await this.#list('')).map(({ id }) => id).sort();
    const expected = this.#kept.map(({ id }) => id).sort();
    assert.deepEqual(seen, expected, `${this.#client.name}: cohorts`);
    for (const { id } of this.#kept) await this.#client.askUntil('GET', `/v1/cohorts/${id}`, [200]);
  }

  async #make(): Promise<void> {
    const client = this.#client;
    const name = client.newName('cohort ');
    const body = { name, ownerProject: this.#project, subjectIds: ['a', 'b', name] };
    // 503: the process that counts was killed, and there is no cohort.
    const reply = await client.change('cohorts.create', 'POST', '/v1/cohorts', [200, 503], { body });
    const made =
      reply?.status === 200 ? reply.body : (await this.#list(name)).find((one) => one.name === name);
    if (reply?.status === 503) assert.equal(made, undefined, 'what failed was not made');
    if (made) this.#kept.push({ id: made.id, name });
  }

  async #delete(): Promise<void> {
    const client = this.#client;
    const cohort = this.#kept[client.random.below(8)];
    if (!cohort) return;
    const path = `/v1/cohorts/${cohort.id}`;
    const reply = await client.change('cohorts.delete', 'DELETE', path, [204]);
    const look = reply ?? (await client.askUntil('GET', path, [200, 404]));
    if (look.status !== 200) this.#kept = this.#kept.filter((one) => one !== cohort);
  }

  async #list(name: string): Promise<Cohort[]> {
    const path = `/v1/cohorts?projectId=${this.#project}&pageSize=1000&name=${encodeURIComponent(name)}`;
    return (await this.#client.askUntil('GET', path, [200])).body.items;
  }
}
