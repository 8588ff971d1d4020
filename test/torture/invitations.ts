import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Area, Client } from './client.ts';

interface Invitation {
  id: string;
  email: string;
  revoked: boolean;
}

/** People who are invited, and invitations that are revoked. */
export class Invitations implements Area {
  readonly acts = { 'invite a user': () => this.#invite(), 'revoke an invitation': () => this.#revoke() };
  readonly #client: Client;
  readonly #group: string;
  readonly #sent: Invitation[] = [];

  constructor(client: Client, group: string) {
    this.#client = client;
    this.#group = group;
  }

  async verify(): Promise<void> {
    const seen = (await this.#list()).map(({ id, status }) => `${id} ${status}`).sort();
    const expected = this.#sent.map(({ id, revoked }) => `${id} ${revoked ? 'REVOKED' : 'AWAITING'}`).sort();
    assert.deepEqual(seen, expected, `${this.#client.name}: invitations`);
    const letters = this.#client.life.folders.flatMap((folder) => {
      const outbox = join(folder, 'outbox');
      const names = existsSync(outbox) ? readdirSync(outbox) : [];
      return names.map((name) => readFileSync(join(outbox, name), 'utf8'));
    });
    for (const { email, revoked } of this.#sent) {
      const count = letters.filter((letter) => letter.includes(email)).length;
      assert.ok(revoked || count > 0, `${email} was sent a mail`);
    }
  }

  async #invite(): Promise<void> {
    const client = this.#client;
    const email = `${client.newName('guest-')}@torture.test`;
    const body = { group: this.#group, email };
    const reply = await client.change('invitations.create', 'POST', '/v1/invitations', [200], { body });
    const made = reply?.body ?? (await this.#list()).find((one) => one.email === email);
    if (made) this.#sent.push({ id: made.id, email, revoked: false });
  }

  async #revoke(): Promise<void> {
    const client = this.#client;
    const invitation = this.#sent.findLast(({ revoked }) => !revoked);
    if (!invitation) return;
    const path = `/v1/invitations/${invitation.id}`;
    const body = { status: 'REVOKED' };
    const reply = await client.change('invitations.revoke', 'PATCH', path, [200], { body });
    const { status } = (reply ?? (await client.askUntil('GET', path, [200]))).body;
    invitation.revoked = status === 'REVOKED';
  }

  async #list(): Promise<{ id: string; email: string; status: string }[]> {
    const found: { id: string; email: string; status: string }[] = [];
    const path = `/v1/invitations?account=${this.#client.person.account}&pageSize=1000`;
    for (let next: string | undefined = path; next !== undefined; ) {
      const { body }: { body: { items: []; links: { next?: string } } } = await this.#client.askUntil(
        'GET',
        next,
        [200],
      );
      found.push(...body.items);
      next = body.links.next;
    }
    return found;
  }
}
