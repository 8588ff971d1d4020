import assert from 'node:assert/strict';
import type { TestApp } from '../../../../../../../test/support/app.ts';
import { makeClient } from '../../sign-in/tests/signed-in.fixture.ts';
import { type Begun, begin, finish, post, responseTo, type Seen } from './saml-browser.fixture.ts';
import { type Encryption, encrypted, encryptionFor } from './saml-encryption.fixture.ts';
import { signed, TestProvider } from './saml-provider.fixture.ts';

/** Maker of a response to a begun sign-in. */
export type Make = (begun: Begun) => string;

/** Provider that encrypts, with the outcomes of its responses. */
export class EncryptingProvider {
  readonly app: TestApp;
  readonly provider: TestProvider;
  readonly #client: string;
  /** Certificate of the recipient. */
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

  /** Returns a valid response with an encrypted assertion, signed as a whole on request. */
  answerTo(begun: Begun, how: Partial<Encryption> = {}, signs = false): string {
    const sent = encrypted(responseTo(this.app, this.provider, begun), encryptionFor(this.certificate, how));
    return signs ? signed(sent, this.provider.key, 'Response') : sent;
  }

  /** Returns the last page or redirect for a response. */
  async end(begun: Begun, xml: string): Promise<Seen> {
    return finish(this.app, await post(this.app, xml, begun.relayState), begun.cookie);
  }

  /** Returns the refusal as shown, without page-specific values, and as in the audit log. */
  async refusalOf(make: Make): Promise<[status: number, page: string, event: string]> {
    const begun = await this.begin();
    const before = (await this.#audited()).length;
    const seen = await post(this.app, make(begun), begun.relayState);
    assert.deepEqual([seen.location, seen.cookies], ['', []], seen.text);
    const events = (await this.#audited()).slice(before);
    assert.equal(events.length, 1);
    return [seen.status, seen.text.replace(/ nonce="[^"]*"|, [\w-]+<\/p>/g, ''), events.join()];
  }

  /** Asserts a refusal. `words`: the code and further text of the page. */
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
