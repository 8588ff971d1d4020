import type { Answer } from '../../../api/route.ts';
import type { Client, Clients } from '../clients/index.ts';
import { redirectTo, type SignInContext, type Tokens } from '../oauth/index.ts';
import { alert, page, signInPath, text } from '../setup/index.ts';
import { type Forms, formHeaders } from './forms.ts';
import type { BrowserSessions, Session } from './sessions/index.ts';
import type { SignIn } from './sign-in.ts';
import { formTargetsOf } from './view.ts';

export const logoutPath = '/v1/oauth/logout';

/** Supported parameters of RP-Initiated Logout 1.0 §2. */
export interface LogoutRequest {
  id_token_hint?: string;
  client_id?: string;
  post_logout_redirect_uri?: string;
  state?: string;
}

interface Understood {
  client: Client | undefined;
  /** User and session of the id token. */
  hint: { userId: string; sessionId: string | undefined } | undefined;
  /** Redirect address after sign-out; absent for a page of this service. */
  location: string | undefined;
}

/** Refused request, with the reason for its page. */
class Refused extends Error {}

/** Sign-out, requested by an application or the user (OpenID Connect RP-Initiated Logout 1.0). */
export class Logout {
  readonly #deps: {
    signIn: SignIn;
    clients: Clients;
    tokens: Tokens;
    forms: Forms;
    browsers: BrowserSessions;
  };

  constructor(deps: {
    signIn: SignIn;
    clients: Clients;
    tokens: Tokens;
    forms: Forms;
    browsers: BrowserSessions;
  }) {
    this.#deps = deps;
  }

  /** Signs out on an id token of the signed-in user; otherwise asks for confirmation. */
  async ask(request: LogoutRequest, context: SignInContext): Promise<Answer> {
    return this.#answered(request, async (understood) => {
      const { signIn } = this.#deps;
      const session = await signIn.current(context);
      if (!session) return ended(understood);
      if (speaksFor(understood, session))
        return ended(understood, await signIn.end(session, context.requestId));
      return this.#confirmation(request, understood, context);
    });
  }

  /** Signs out after confirmation. */
  async confirm(request: LogoutRequest, proof: string, context: SignInContext): Promise<Answer> {
    return this.#answered(request, async (understood) => {
      const { signIn, forms, browsers } = this.#deps;
      const session = await signIn.current(context);
      if (!session) return ended(understood);
      const token = browsers.tokenIn(context.headers);
      const fault = forms.faultIn(context, token, purposeOf(request), proof);
      if (fault !== undefined) return this.#confirmation(request, understood, context, fault);
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
      return this.#deps.signIn.fault(error.message);
    }
  }

  async #understand(request: LogoutRequest): Promise<Understood> {
    const { tokens, clients } = this.#deps;
    const hint = request.id_token_hint ? await tokens.readIdTokenHint(request.id_token_hint) : undefined;
    if (hint && request.client_id && hint.clientId !== request.client_id)
      throw new Refused('The id_token_hint was issued to another application than client_id.');
    const clientId = hint?.clientId ?? request.client_id;
    const client = clientId ? await clients.find(clientId) : undefined;
    if (request.client_id && !client) throw new Refused('There is no application with this client_id.');
    // An unverifiable hint has no effect (RP-Initiated Logout 1.0 §4): confirmation is asked for, without
    // redirect.
    const unknown = request.id_token_hint !== undefined && client === undefined;
    return { client, hint, location: unknown ? undefined : returnAddress(request, client) };
  }

  #confirmation(
    request: LogoutRequest,
    { client, location }: Understood,
    context: SignInContext,
    fault?: string,
  ): Answer {
    const { forms, browsers } = this.#deps;
    const proof = forms.proof(browsers.tokenIn(context.headers) ?? '', purposeOf(request));
    const fields = Object.entries({ ...request, proof }).map(
      ([name, value]) => `<input type="hidden" name="${name}" value="${text(String(value))}">`,
    );
    const asks = client ? `<p><strong>${text(client.name)}</strong> asks to sign you out.</p>` : '';
    const content = `${alert(fault)}${asks}<p>You will be signed out in this browser and in the applications that you opened with it.</p>
<form method="post" action="${logoutPath}">
${fields.join('\n')}
<button>Sign out</button>
</form>`;
    const formTargets = client && location !== undefined ? formTargetsOf(client, location) : [];
    return page(200, 'Sign out?', content, { formTargets, headers: formHeaders });
  }
}

/** Returns the redirect address if the client has registered exactly it (§3). */
function returnAddress(request: LogoutRequest, client: Client | undefined): string | undefined {
  const { post_logout_redirect_uri: address, state } = request;
  if (!address) return undefined;
  if (!client) throw new Refused('With post_logout_redirect_uri, client_id or id_token_hint must be sent.');
  if (!client.logoutUrls.includes(address))
    throw new Refused('The post_logout_redirect_uri is not registered for the application.');
  if (!state) return address;
  return `${address}${address.includes('?') ? '&' : '?'}${new URLSearchParams({ state })}`;
}

/** Reports whether the application identifies the signed-in user: a foreign page cannot sign users out. */
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
