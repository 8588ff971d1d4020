import assert from 'node:assert/strict';
import type { TestApp } from '../support/app.ts';
import { type Begun, begin, finish, post, responseTo, type Seen } from './saml-browser.ts';
import { type Encryption, encrypted, encryptionFor } from './saml-encryption.ts';
import { signed, TestProvider } from './saml-provider.ts';
import { makeClient } from './signed-in.ts';

/** An answer to a sign-in that has been begun. */
export type Make = (begun: Begun) => string;

/** A provider that encrypts, and what becomes of its answers. */
export class EncryptingProvider {
  readonly app: TestApp;
  readonly provider: TestProvider;
  readonly #client: string;
  /** For whom it encrypts. */
  certificate = '';

  private constructor(app: TestApp, provider: TestProvider, client: string) {
    this.app = app;
    this.provider = provider;
    this.#client = client;
  }

  static async open(app: TestApp): Promise<EncryptingProvider> {
    const provider = await new TestProvider().open();
    const { id } = await makeClient(app, {
      identityProviders: ['SAML'],
      customIdentityProvider: { metadataUrl: provider.metadataUrl },
    });
    return new EncryptingProvider(app, provider, id);
  }

  close(): Promise<void> {
    return this.provider.close();
  }

  begin(): Promise<Begun> {
    return begin(this.app, this.#client);
  }

  /** A right response, its assertion encrypted; then signed as a whole where it is asked for. */
  answerTo(begun: Begun, how: Partial<Encryption> = {}, signs = false): string {
    const sent = encrypted(responseTo(this.app, this.provider, begun), encryptionFor(this.certificate, how));
    return signs ? signed(sent, this.provider.key, 'Response') : sent;
  }

  /** Where the browser ends with an answer. */
  async end(begun: Begun, xml: string): Promise<Seen> {
    return finish(this.app, await post(this.app, xml, begun.relayState), begun.cookie);
  }

  /** The refusal as a person sees it, without what each page has of its own, and as the audit log has it. */
  async refusalOf(make: Make): Promise<[status: number, page: string, event: string]> {
    const begun = await this.begin();
    const before = (await this.#audited()).length;
    const seen = await post(this.app, make(begun), begun.relayState);
    assert.deepEqual([seen.location, seen.cookies], ['', []], seen.text);
    const events = (await this.#audited()).slice(before);
    assert.equal(events.length, 1);
    return [seen.status, seen.text.replace(/ nonce="[^"]*"|, [\w-]+<\/p>/g, ''), events.join()];
  }

  /** `words`: the code, and what else is on the page. */
  async refusesWith(make: Make, words: [code: string, ...more: string[]]): Promise<void> {
    const [, page, event] = await this.refusalOf(make);
    for (const word of words) assert.ok(page.includes(word), `${word} in ${page}`);
    assert.ok(event.includes(words[0]), event);
    assert.ok(!page.includes('marked'), page);
  }

  async #audited(): Promise<string[]> {
    const events = this.app.people.records.read
      .selectFrom('audit_events')
      .select('details')
      .where('action', '=', 'saml.refuse');
    return (await events.orderBy('sequence').execute()).map(({ details }) => JSON.stringify(details));
  }
}
