import { asksPatient } from '../../../access/smart-scopes.ts';
import type { Answer } from '../../../api/route.ts';
import type { Records, Transaction } from '../../../platform/records/records.ts';
import type { Audit } from '../../audit/index.ts';
import {
  type AuthorizationRequest,
  type Authorizer,
  type Grants,
  redirectTo,
  type SignInContext,
} from '../oauth/index.ts';
import { page, text } from '../setup/index.ts';
import type { Devices } from './devices.ts';
import { recordInAccounts } from './events.ts';
import {
  type AuthenticationMethod,
  type BrowserSessions,
  type Session,
  type Sessions,
  sessionCookie,
  writeCookie,
} from './sessions/index.ts';

interface SignInDeps {
  records: Records;
  audit: Audit;
  sessions: Sessions;
  browsers: BrowserSessions;
  devices: Devices;
  grants: Grants;
  authorizer: Authorizer;
  publicUrl: () => string;
}

/** Authenticated user. */
export interface AuthenticatedUser {
  userId: string;
  methods: AuthenticationMethod[];
  /** Throws once the proof is void: called in the transaction that begins the session. */
  requireValid: (tx: Transaction) => Promise<void>;
  /** Account whose identity provider authenticated the user: the session is limited to it. */
  onlyAccount?: string;
  /** Client of that provider. */
  providedBy?: string;
  /** Epoch milliseconds; time of authentication, if not just now. */
  authenticatedAt?: number;
  /** Epoch milliseconds; end of the session set by the identity provider. */
  endsAt?: number;
}

/** Sessions of browsers: the current one, and those of authenticated users. */
export class SignIn {
  readonly #deps: SignInDeps;

  constructor(deps: SignInDeps) {
    this.#deps = deps;
  }

  async current({ headers }: Pick<SignInContext, 'headers'>): Promise<Session | undefined> {
    const { sessions, browsers } = this.#deps;
    return sessions.current(browsers.tokenIn(headers));
  }

  /**
   * Completes every sign-in: begins a session, sets its cookie and redirects to the client. A client that registered itself needs
   * consent on a page of its own. An app for one patient needs the choice of the patient.
   */
  async complete(
    request: AuthorizationRequest,
    user: AuthenticatedUser,
    context: SignInContext,
  ): Promise<Answer> {
    const { session, cookies } = await this.begin(user, context);
    if (request.client.registered || asksPatient(request.scope))
      return redirectTo(`/v1/oauth/authorize?${signedInNow(request.query)}`, { 'set-cookie': cookies });
    const { authorizer } = this.#deps;
    const location = await authorizer
      .grant(request, session, context.requestId)
      .catch((error: unknown) => authorizer.refuse(request, error));
    return redirectTo(location, { 'set-cookie': cookies });
  }

  /** Begins a session with new cookies. The previous one of this browser ends. */
  async begin(
    user: AuthenticatedUser,
    context: SignInContext,
  ): Promise<{ session: Session; cookies: string[] }> {
    const { records, sessions, devices, audit, publicUrl } = this.#deps;
    const { userId, methods, onlyAccount } = user;
    const before = await this.current(context);
    const begun = await records.transact(async (tx) => {
      // A concurrent change of the proof ends all sessions it finds: it finds this one, or this one does not
      // begin.
      await user.requireValid(tx);
      const made = await sessions.begin(tx, {
        ...user,
        userAgent: String(context.headers['user-agent'] ?? ''),
        address: context.address,
      });
      if (before) await this.#replace(tx, before, made.session);
      const { requestId } = context;
      const event = { userId, onlyAccount, via: `session:${made.session.id}`, requestId };
      const details = { methods: methods.join(' ') };
      await recordInAccounts(audit, tx, { ...event, action: 'signIn.done', outcome: 'done', details });
      return made;
    });
    const cookie = writeCookie(sessionCookie, begun.token, publicUrl(), begun.lifeMs);
    const byPassword = methods.includes('pwd');
    return { session: begun.session, cookies: byPassword ? [cookie, devices.cookieFor(userId)] : [cookie] };
  }

  /**
   * Moves grants to the user's new session, whatever its methods: a grant keeps its limits, and the session
   * has its own. Grants of another user end with the old session.
   */
  async #replace(tx: Transaction, before: Session, now: Session): Promise<void> {
    const { sessions, grants } = this.#deps;
    const [ended] = await sessions.end(tx, before.userId, { id: before.id });
    if (ended === undefined) return;
    if (before.userId === now.userId) await grants.adopt(tx, { from: before.id, to: now.id });
    else await grants.revoke(tx, { session: before.id });
  }

  /** Ends the session of this browser with its grants. Returns the header that clears the cookie. */
  async end(session: Session, requestId: string): Promise<string> {
    const { records, sessions, grants, audit, publicUrl } = this.#deps;
    const { id, userId, onlyAccount } = session;
    await records.transact(async (tx) => {
      const ended = await sessions.end(tx, userId, { id });
      await grants.revoke(tx, { session: id });
      if (ended.length === 0) return;
      const event = { userId, onlyAccount, via: `session:${id}`, requestId };
      await recordInAccounts(audit, tx, { ...event, action: 'signIn.out', outcome: 'done' });
    });
    return writeCookie(sessionCookie, '', publicUrl(), 0);
  }

  fault(message: string): Answer {
    return page(
      400,
      'This link does not work',
      `<p role="alert">${text(message)}</p><p>Go back to the application and try again, or send this message to its developers.</p>`,
    );
  }
}

/** Returns a request without what a sign-in has fulfilled. */
function signedInNow(query: string): string {
  const parameters = new URLSearchParams(query);
  for (const name of ['prompt', 'max_age']) parameters.delete(name);
  return parameters.toString();
}
