import type { Records } from '../../platform/records/records.ts';
import type { Answer } from '../../route.ts';
import type { AuthorizationRequest, SignInContext } from '../oauth/index.ts';
import type { Session } from '../sessions/index.ts';
import { alert, page, text } from '../setup/index.ts';
import { type Forms, formTargetsOf, type SignIn } from '../sign-in/index.ts';
import { findUserById } from '../users/index.ts';

export const finishPath = '/v1/saml/finish';

/** Somebody who is signed in in the browser, and who would be instead of him. */
interface Replaced {
  session: Session;
  userId: string;
  /** Why the form that says yes was not taken. */
  mistake: string | undefined;
}

/** The question whether somebody who is signed in in this browser gives way to whom an identity provider vouches for. */
export class Replacing {
  readonly #parts: { records: Records; signIn: Pick<SignIn, 'current'>; forms: Forms };

  constructor(parts: { records: Records; signIn: Pick<SignIn, 'current'>; forms: Forms }) {
    this.#parts = parts;
  }

  /** Whom the browser has to be asked about; `undefined` where there is nobody else, or it was asked. */
  async unconfirmed(
    userId: string,
    context: SignInContext,
    proof: string | undefined,
  ): Promise<Replaced | undefined> {
    const { signIn, forms } = this.#parts;
    const session = await signIn.current(context);
    if (!session || session.userId === userId) return undefined;
    if (proof === undefined) return { session, userId, mistake: undefined };
    const purpose = purposeOf(session, userId);
    const mistake = forms.mistakeIn(context, forms.bindingOf(context), purpose, proof);
    return mistake === undefined ? undefined : { session, userId, mistake };
  }

  /** `handle`: with which the answer of the provider is fetched then. */
  async ask(
    handle: string,
    { session, userId, mistake }: Replaced,
    { client, redirectUri }: AuthorizationRequest,
    context: SignInContext,
  ): Promise<Answer> {
    const { binding, headers } = this.#parts.forms.bind(context);
    const proof = this.#parts.forms.proof(binding, purposeOf(session, userId));
    const [present, next] = await Promise.all([this.#emailOf(session.userId), this.#emailOf(userId)]);
    const content = `${alert(mistake)}<p>In this browser you are signed in as <strong>${text(present)}</strong>. <strong>${text(client.name)}</strong> signs you in as <strong>${text(next)}</strong>, by the identity provider of its organisation.</p>
<p>If you go on, ${text(present)} is signed out here, and of the applications that were opened with it. If you did not mean to sign in, close this page: nothing happens then.</p>
<form method="post" action="${finishPath}">
<input type="hidden" name="handle" value="${text(handle)}">
<input type="hidden" name="proof" value="${text(proof)}">
<button>Go on as ${text(next)}</button>
</form>`;
    return page(200, 'Sign in as somebody else?', content, {
      formTargets: formTargetsOf(client, redirectUri),
      headers,
    });
  }

  async #emailOf(userId: string): Promise<string> {
    return (await findUserById(this.#parts.records.read, userId))?.email ?? '';
  }
}

function purposeOf({ id }: Session, userId: string): string {
  return `saml-replacing\n${id}\n${userId}`;
}
