import assert from 'node:assert/strict';
import type { Area, Client } from './client.ts';

const workingMax = 8;

interface Key {
  id: string;
  key: string;
}

/** API keys that are made, used and revoked. */
export class Keys implements Area {
  readonly acts = {
    'make a key': () => this.#make(),
    'use the keys': () => this.#use(),
    'revoke a key': () => this.#revoke(),
  };
  readonly #client: Client;
  readonly #working: Key[] = [];
  readonly #revoked: Key[] = [];

  constructor(client: Client) {
    this.#client = client;
  }

  async verify(): Promise<void> {
    const seen = (await this.#list()).map(({ id }) => id).sort();
    assert.deepEqual(seen, this.#working.map(({ id }) => id).sort(), `${this.#client.name}: keys`);
    await this.#use();
  }

  async #make(): Promise<void> {
    const client = this.#client;
    if (this.#working.length >= workingMax) return;
    const name = client.newName('key ');
    const body = { name, expireInDays: 1 };
    const reply = await client.change('keys.create', 'POST', '/v1/api-keys', [200], { body });
    if (reply) {
      this.#working.push(reply.body);
      return;
    }
    // Its value is lost with the answer.
    const made = (await this.#list()).find((one) => one.name === name);
    if (made) await this.#end(made.id);
  }

  async #use(): Promise<void> {
    const use = (key: string, status: number) =>
      this.#client.askUntil('GET', '/v1/projects?pageSize=1', [status], { key });
    for (const { key } of this.#working) await use(key, 200);
    for (const { key } of this.#revoked.slice(-workingMax)) await use(key, 401);
  }

  async #revoke(): Promise<void> {
    const [key] = this.#working.splice(this.#client.random.below(workingMax), 1);
    if (!key) return;
    await this.#end(key.id);
    this.#revoked.push(key);
    await this.#client.askUntil('GET', '/v1/projects?pageSize=1', [401], { key: key.key });
  }

  /** Revokes until that is known to be done. */
  async #end(id: string): Promise<void> {
    const revoke = () => this.#client.change('keys.revoke', 'DELETE', `/v1/api-keys/${id}`, [204, 404]);
    while ((await revoke()) === undefined);
  }

  /** Keys made by this client. */
  async #list(): Promise<{ id: string; name: string }[]> {
    const { body } = await this.#client.askUntil('GET', '/v1/api-keys?pageSize=1000', [200]);
    return body.items.filter(({ name }: { name: string }) => name.startsWith('key '));
  }
}
