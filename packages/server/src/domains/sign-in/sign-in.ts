import type { Records, Transaction } from '../../platform/records/records.ts';
import type { Answer } from '../../route.ts';
import type { Audit } from '../audit/index.ts';
import {
  type AuthorizationRequest,
  type Authorizer,
  type Grants,
  redirectTo,
  type SignInContext,
} from '../oauth/index.ts';
import {
  type AuthenticationMethod,
  type BrowserSessions,
  type Session,
  type Sessions,
  sessionCookie,
  writeCookie,
} from '../sessions/index.ts';
import { page, text } from '../setup/index.ts';
import type { Devices } from './devices.ts';
import { tellAccounts } from './events.ts';

export interface SignInParts {
  records: Records;
  audit: Audit;
  sessions: Sessions;
  browsers: BrowserSessions;
  devices: Devices;
  grants: Grants;
  authorizer: Authorizer;
  publicUrl: () => string;
}

/** Somebody who has proved who he is. */
export interface Proven {
  userId: string;
  methods: AuthenticationMethod[];
  /** Throws when what he proved it with counts no more: asked in the transaction that lets him in. */
  still: (tx: Transaction) => Promise<void>;
  /** Proved by an identity provider of this account: good for this account only. */
  onlyAccount?: string;
  /** The client whose provider it is. */
  providedBy?: string;
  /** Epoch milliseconds; when he proved it, if that was not just now. */
  authenticatedAt?: number;
  /** Epoch milliseconds; when the identity provider wants the session to end. */
  endsAt?: number;
}

/** Signing in: who is signed in in a browser, and what happens when somebody has proved who he is. */
export class SignIn {
  readonly #parts: SignInParts;

  constructor(parts: SignInParts) {
    this.#parts = parts;
  }

  async current({ headers }: Pick<SignInContext, 'headers'>): Promise<Session | undefined> {
    const { sessions, browsers } = this.#parts;
    return sessions.current(browsers.tokenIn(headers));
  }

  /** The last step of every way of signing in: begins a session, sets its cookie and goes back to the client. */
  async complete(request: AuthorizationRequest, who: Proven, context: SignInContext): Promise<Answer> {
    const { session, cookies } = await this.begin(who, context);
    const { authorizer } = this.#parts;
    const location = await authorizer
      .grant(request, session)
      .catch((error: unknown) => authorizer.refuse(request, error));
    return redirectTo(location, { 'set-cookie': cookies });
  }

  /** Begins a session, with new cookies. The one that this browser had before ends. */
  async begin(who: Proven, context: SignInContext): Promise<{ session: Session; cookies: string[] }> {
    const { records, sessions, devices, audit, publicUrl } = this.#parts;
    const { userId, methods, onlyAccount } = who;
    const before = await this.current(context);
    const begun = await records.transact(async (tx) => {
      // Whoever changes that at this moment ends the sessions that he finds: this one has to be among them, or not to begin.
      await who.still(tx);
      const made = await sessions.begin(tx, {
        ...who,
        userAgent: String(context.headers['user-agent'] ?? ''),
        address: context.address,
      });
      if (before) await this.#replace(tx, before, made.session);
      const { requestId } = context;
      const event = { userId, onlyAccount, via: `session:${made.session.id}`, requestId };
      const details = { methods: methods.join(' ') };
      await tellAccounts(audit, tx, { ...event, action: 'signIn.done', outcome: 'done', details });
      return made;
    });
    const cookie = writeCookie(sessionCookie, begun.token, publicUrl(), begun.lifeMs);
    const byPassword = methods.includes('pwd');
    return { session: begun.session, cookies: byPassword ? [cookie, devices.cookieFor(userId)] : [cookie] };
  }

  /**
   * What the same person gave applications goes over to his new session, in whichever way he has signed in: a grant stays good for what
   * it was given for, and the session is what its own sign-in proved. That of another person ends with the old session.
   */
  async #replace(tx: Transaction, before: Session, now: Session): Promise<void> {
    const { sessions, grants } = this.#parts;
    const [ended] = await sessions.end(tx, before.userId, { id: before.id });
    if (ended === undefined) return;
    if (before.userId === now.userId) await grants.adopt(tx, { from: before.id, to: now.id });
    else await grants.revoke(tx, { session: before.id });
  }

  /** Ends the session of this browser and what was granted in it. Answers the header that clears the cookie. */
  async end(session: Session, requestId: string): Promise<string> {
    const { records, sessions, grants, audit, publicUrl } = this.#parts;
    const { id, userId, onlyAccount } = session;
    await records.transact(async (tx) => {
      const ended = await sessions.end(tx, userId, { id });
      await grants.revoke(tx, { session: id });
      if (ended.length === 0) return;
      const event = { userId, onlyAccount, via: `session:${id}`, requestId };
      await tellAccounts(audit, tx, { ...event, action: 'signIn.out', outcome: 'done' });
    });
    return writeCookie(sessionCookie, '', publicUrl(), 0);
  }

  mistake(message: string): Answer {
    return page(
      400,
      'This link does not work',
      `<p role="alert">${text(message)}</p><p>Go back to the application and try again, or tell its makers what is written here.</p>`,
    );
  }
}
