import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Reply, TestApp } from '../../../../../../test/support/app.ts';
import { linkIn } from '../../../../../../test/support/mail-server.ts';
import type { Person } from '../../../../../../test/support/people.ts';
import { until } from '../../../../../../test/support/until.ts';
import { newId } from '../../../base/ids.ts';

/** Person with a user and an account elsewhere. */
export interface Guest extends Person {
  email: string;
}

/** Shared steps of tests of invitations; the first administrator acts by default. */
export class Guests {
  readonly #app: TestApp;

  constructor(app: TestApp) {
    this.#app = app;
  }

  /** Returns the id of a group of an account. */
  async group(name = 'Users', sender: { key?: string; account?: string } = {}): Promise<string> {
    const account = sender.account ?? this.#app.account;
    const { body } = await this.#app.call('GET', `/v1/accounts/${account}?include=groups`, sender);
    return body.groups.find((one: { name: string }) => one.name === name).id;
  }

  /** Makes a user with a key for an own account. */
  async guest(): Promise<Guest> {
    const account = `g${newId().slice(-12)}`;
    const person = await this.#app.people.owner(account);
    return { ...person, email: `owner@${account}.test` };
  }

  async invite(email: string, group?: string): Promise<Reply> {
    const body = { group: group ?? (await this.group()), email };
    return this.#app.call('POST', '/v1/invitations', { body });
  }

  change(id: string, status: string, key?: string): Promise<Reply> {
    return this.#app.call('PATCH', `/v1/invitations/${id}`, { body: { status }, ...(key && { key }) });
  }

  /** Returns the link in a mail of an invitation, from the outbox. */
  async link(id: string, number = 1): Promise<string> {
    const path = join(this.#app.folder, 'outbox', `${id}.${number}.eml`);
    await until(() => existsSync(path), 'the mail is in the outbox');
    return linkIn(readFileSync(path, 'utf8'));
  }

  letters(): string[] {
    return readdirSync(join(this.#app.folder, 'outbox'));
  }

  /** Submits the form of a link's page. */
  async submit(link: string, fields: Record<string, string>): Promise<{ status: number; html: string }> {
    const url = new URL(link);
    const token = url.searchParams.get('token') ?? '';
    const body = new URLSearchParams({ token, ...fields });
    const reply = await fetch(`${url.origin}${url.pathname}`, { method: 'POST', body });
    return { status: reply.status, html: await reply.text() };
  }

  async isMember(email: string, group: string): Promise<boolean> {
    const row = await this.#app.people.records.read
      .selectFrom('group_members')
      .innerJoin('users', 'users.id', 'group_members.user_id')
      .select('users.id')
      .where('group_id', '=', group)
      .where('users.email', '=', email)
      .executeTakeFirst();
    return row !== undefined;
  }
}
