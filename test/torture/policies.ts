import assert from 'node:assert/strict';
import type { Person } from '../support/people.ts';
import type { Area, Client } from './client.ts';

/** A policy that grants or denies reading the audit log, and its effect on a reader. */
export class Policies implements Area {
  readonly acts = { 'change a policy': () => this.#change(), 'read under a policy': () => this.verify() };
  readonly #client: Client;
  readonly #reader: Person;
  /** Policies while there is one. */
  #id: string | undefined;
  #lets = false;

  /** `reader` has no rights besides those of the policy. */
  constructor(client: Client, reader: Person) {
    this.#client = client;
    this.#reader = reader;
  }

  async verify(): Promise<void> {
    const path = '/v1/audit-events?pageSize=1';
    await this.#client.askUntil('GET', path, [this.#lets ? 200 : 403], { key: this.#reader.key });
  }

  async #change(): Promise<void> {
    const client = this.#client;
    const lets = client.random.chance(0.5);
    if (this.#id === undefined) await this.#create(lets);
    else if (client.random.chance(0.3)) await this.#delete();
    else {
      const [path, body] = [`/v1/policies/${this.#id}`, { policy: this.#policy(lets) }];
      const reply = await client.change('policies.update', 'PUT', path, [200], { body });
      this.#lets = reply ? lets : isLetting((await client.askUntil('GET', path, [200])).body);
    }
    await this.verify();
  }

  async #create(lets: boolean): Promise<void> {
    const client = this.#client;
    const body = { name: `torture of ${client.name}`, policy: this.#policy(lets) };
    const reply = await client.change('policies.create', 'POST', '/v1/policies', [200], { body });
    const path = `/v1/policies/${encodeURIComponent(body.name)}`;
    const made = reply ?? (await client.askUntil('GET', path, [200, 404]));
    this.#id = made.status === 200 ? made.body.id : undefined;
    this.#lets = this.#id !== undefined && lets;
  }

  async #delete(): Promise<void> {
    const client = this.#client;
    const path = `/v1/policies/${this.#id}`;
    const reply = await client.change('policies.delete', 'DELETE', path, [204]);
    const look = reply ?? (await client.askUntil('GET', path, [200, 404]));
    if (look.status === 200) return;
    this.#id = undefined;
    this.#lets = false;
  }

  #policy(lets: boolean): object {
    const rule = { 'user.id': { comparison: 'equals', value: this.#reader.userId } };
    return { rules: { [lets ? 'auditRead' : 'readNothing']: [rule] } };
  }
}

function isLetting(view: { policy: { rules: object } }): boolean {
  assert.equal(Object.keys(view.policy.rules).length, 1);
  return Object.hasOwn(view.policy.rules, 'auditRead');
}
