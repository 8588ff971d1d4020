import type { Answer } from '../../route.ts';
import type { Client, Clients } from '../clients/index.ts';
import { redirectTo, type SignInContext, type Tokens } from '../oauth/index.ts';
import type { BrowserSessions, Session } from '../sessions/index.ts';
import { alert, page, signInPath, text } from '../setup/index.ts';
import { type Forms, formHeaders } from './forms.ts';
import type { SignIn } from './sign-in.ts';
import { formTargetsOf } from './view.ts';

export const logoutPath = '/v1/oauth/logout';

/** The parameters of RP-Initiated Logout 1.0 §2 that mean something here. */
export interface LogoutRequest {
  id_token_hint?: string;
  client_id?: string;
  post_logout_redirect_uri?: string;
  state?: string;
}

interface Understood {
  client: Client | undefined;
  /** Of whom the id token is, and of which session. */
  hint: { userId: string; sessionId: string | undefined } | undefined;
  /** Where the browser goes afterwards; absent: to a page of ours. */
  location: string | undefined;
}

/** A request that is not done: a page tells why. */
class Refused extends Error {}

/** Signing out, asked for by an application or by the person (OpenID Connect RP-Initiated Logout 1.0). */
export class Logout {
  readonly #parts: {
    signIn: SignIn;
    clients: Clients;
    tokens: Tokens;
    forms: Forms;
    browsers: BrowserSessions;
  };

  constructor(parts: {
    signIn: SignIn;
    clients: Clients;
    tokens: Tokens;
    forms: Forms;
    browsers: BrowserSessions;
  }) {
    this.#parts = parts;
  }

  /** Signs out when an id token of the person who is signed in says so; else asks him. */
  async ask(request: LogoutRequest, context: SignInContext): Promise<Answer> {
    return this.#answered(request, async (understood) => {
      const { signIn } = this.#parts;
      const session = await signIn.current(context);
      if (!session) return ended(understood);
      if (speaksFor(understood, session))
        return ended(understood, await signIn.end(session, context.requestId));
      return this.#confirmation(request, understood, context);
    });
  }

  /** The answer to that question. */
  async confirm(request: LogoutRequest, proof: string, context: SignInContext): Promise<Answer> {
    return this.#answered(request, async (understood) => {
      const { signIn, forms, browsers } = this.#parts;
      const session = await signIn.current(context);
      if (!session) return ended(understood);
      const token = browsers.tokenIn(context.headers);
      const mistake = forms.mistakeIn(context, token, purposeOf(request), proof);
      if (mistake !== undefined) return this.#confirmation(request, understood, context, mistake);
      return ended(understood, await signIn.end(session, context.requestId));
    });
  }

  async #answered(
    request: LogoutRequest,
    work: (understood: Understood) => Promise<Answer>,
  ): Promise<Answer> {
    try {
      return await work(await this.#understand(request));
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      return this.#parts.signIn.mistake(error.message);
    }
  }

  async #understand(request: LogoutRequest): Promise<Understood> {
    const { tokens, clients } = this.#parts;
    const hint = request.id_token_hint ? await tokens.readIdTokenHint(request.id_token_hint) : undefined;
    if (hint && request.client_id && hint.clientId !== request.client_id)
      throw new Refused('The id_token_hint was given to another application than client_id says.');
    const clientId = hint?.clientId ?? request.client_id;
    const client = clientId ? await clients.find(clientId) : undefined;
    if (request.client_id && !client) throw new Refused('There is no application with this client_id.');
    // A hint that cannot be verified says nothing (RP-Initiated Logout 1.0 §4): the person is asked, and sent nowhere for it.
    const unknown = request.id_token_hint !== undefined && client === undefined;
    return { client, hint, location: unknown ? undefined : returnAddress(request, client) };
  }

  #confirmation(
    request: LogoutRequest,
    { client, location }: Understood,
    context: SignInContext,
    mistake?: string,
  ): Answer {
    const { forms, browsers } = this.#parts;
    const proof = forms.proof(browsers.tokenIn(context.headers) ?? '', purposeOf(request));
    const fields = Object.entries({ ...request, proof }).map(
      ([name, value]) => `<input type="hidden" name="${name}" value="${text(String(value))}">`,
    );
    const asks = client ? `<p><strong>${text(client.name)}</strong> asks to sign you out.</p>` : '';
    const content = `${alert(mistake)}${asks}<p>You will be signed out in this browser, and of the applications that you opened with it.</p>
<form method="post" action="${logoutPath}">
${fields.join('\n')}
<button>Sign out</button>
</form>`;
    const formTargets = client && location !== undefined ? formTargetsOf(client, location) : [];
    return page(200, 'Sign out?', content, { formTargets, headers: formHeaders });
  }
}

/** §3: exactly one that the client has registered; else nobody is sent anywhere. */
function returnAddress(request: LogoutRequest, client: Client | undefined): string | undefined {
  const { post_logout_redirect_uri: address, state } = request;
  if (!address) return undefined;
  if (!client) throw new Refused('With post_logout_redirect_uri, client_id or id_token_hint must be sent.');
  if (!client.logoutUrls.includes(address))
    throw new Refused('The post_logout_redirect_uri is not one that the application has registered.');
  if (!state) return address;
  return `${address}${address.includes('?') ? '&' : '?'}${new URLSearchParams({ state })}`;
}

/** Whether the application proves that it knows who is signed in here: a foreign page cannot sign anybody out. */
function speaksFor({ hint, client }: Understood, session: Session): boolean {
  if (!hint || !client || hint.userId !== session.userId) return false;
  return hint.sessionId === undefined || hint.sessionId === session.id;
}

function ended({ location }: Understood, clearedCookie?: string): Answer {
  const headers: Record<string, string> = clearedCookie === undefined ? {} : { 'set-cookie': clearedCookie };
  if (location !== undefined) return redirectTo(location, headers);
  return page(200, 'You are signed out', `<a class="button plain" href="${signInPath}">Sign in again</a>`, {
    headers,
  });
}

function purposeOf(request: LogoutRequest): string {
  return `logout\n${JSON.stringify([request.client_id, request.post_logout_redirect_uri, request.state])}`;
}
