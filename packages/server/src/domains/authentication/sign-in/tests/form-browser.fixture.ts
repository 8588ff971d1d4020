import assert from 'node:assert/strict';
import type { TestApp } from '../../../../../../../test/support/app.ts';

/** Response as a browser gets it before following a redirect. */
export interface Shown {
  status: number;
  headers: Headers;
  text: string;
  location: string | undefined;
}

/** Password of all users in these tests. */
export const password = 'correct horse battery staple';

/** Simulated browser: forms and cookies. One instance is one browser. */
export class FormBrowser {
  readonly cookies = new Map<string, string>();
  readonly #address: string;

  constructor(address: string) {
    this.#address = address;
  }

  get cookie(): string {
    return [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  }

  open(path: string, headers: Record<string, string> = {}): Promise<Shown> {
    return this.#send(path, { headers });
  }

  /** Submits the form with this action; hidden fields are included. */
  submit(
    page: Shown,
    action: string,
    fields: Record<string, string>,
    headers: Record<string, string> = {},
  ): Promise<Shown> {
    return this.post(action, { ...hiddenOf(page.text, action), ...fields }, headers);
  }

  post(path: string, fields: Record<string, string>, headers: Record<string, string> = {}): Promise<Shown> {
    const body = new URLSearchParams(fields);
    const own = { origin: this.#address, 'sec-fetch-site': 'same-origin' };
    return this.#send(path, { method: 'POST', body, headers: { ...own, ...headers } });
  }

  async #send(path: string, init: RequestInit & { headers: Record<string, string> }): Promise<Shown> {
    const headers = { ...(this.cookies.size > 0 && { cookie: this.cookie }), ...init.headers };
    const response = await fetch(new URL(path, this.#address), { ...init, headers, redirect: 'manual' });
    for (const line of response.headers.getSetCookie()) this.#keep(line);
    return {
      status: response.status,
      headers: response.headers,
      text: await response.text(),
      location: response.headers.get('location') ?? undefined,
    };
  }

  #keep(line: string): void {
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
    if (/max-age=0/i.test(line)) this.cookies.delete(name);
    else this.cookies.set(name, value);
  }
}

/** Returns the hidden fields of the form with this action. */
export function hiddenOf(html: string, action: string): Record<string, string> {
  const form = html.split('<form').find((part) => part.includes(`action="${action}"`));
  assert.ok(form, `no form for ${action} in ${html}`);
  const fields = form.split('</form>')[0]?.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g);
  return Object.fromEntries([...(fields ?? [])].map(([, name = '', value = '']) => [name, unescaped(value)]));
}

function unescaped(text: string): string {
  return text
    .replace(/&quot;/g, '"')
    .replace(/&#39;/g, "'")
    .replace(/&lt;/g, '<')
    .replace(/&amp;/g, '&');
}

/** Makes a user of the first account with a password. */
export async function makePerson(app: TestApp, email: string): Promise<string> {
  const { id, token } = await app.people.link(email);
  const form = new URLSearchParams({ token, password, repeated: password });
  const set = await fetch(`${app.address}/v1/set-up/password`, { method: 'POST', body: form });
  assert.equal(set.status, 200);
  return id;
}

/** Signs a user in without an application. */
export async function signInTo(browser: FormBrowser, email: string, word = password): Promise<Shown> {
  const page = await browser.open('/v1/oauth/sign-in');
  return browser.submit(page, '/v1/oauth/sign-in', { email, password: word });
}

/** Lists audit events of the first account about a user, by action, in order. */
export async function eventsOf(app: TestApp, userId: string): Promise<string[]> {
  const rows = await app.people.records.read
    .selectFrom('audit_events')
    .select('action')
    .where('account_id', '=', 'main')
    .where('user_id', '=', userId)
    .orderBy('sequence')
    .execute();
  return rows.map(({ action }) => action);
}
