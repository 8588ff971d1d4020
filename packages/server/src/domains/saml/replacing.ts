import type { Reader, Records } from '../../platform/records/records.ts';
import type { Answer } from '../../route.ts';
import type { AuthorizationRequest, SignInContext } from '../oauth/index.ts';
import type { Session } from '../sessions/index.ts';
import { alert, page, text } from '../setup/index.ts';
import { type Forms, formTargetsOf, type SignIn } from '../sign-in/index.ts';
import { findUserById } from '../users/index.ts';
import type { Vouched } from './identities.ts';

export const finishPath = '/v1/saml/finish';

/** Somebody who is signed in in the browser, and who would be instead of him. */
interface Replaced {
  session: Session;
  next: Vouched;
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
    next: Vouched,
    context: SignInContext,
    proof: string | undefined,
  ): Promise<Replaced | undefined> {
    const { signIn, forms } = this.#parts;
    const session = await signIn.current(context);
    if (!session || session.userId === next.userId) return undefined;
    if (proof === undefined) return { session, next, mistake: undefined };
    const purpose = purposeOf(session, next);
    const mistake = forms.mistakeIn(context, forms.bindingOf(context), purpose, proof);
    return mistake === undefined ? undefined : { session, next, mistake };
  }

  /** `handle`: with which the answer of the provider is fetched then. */
  async ask(
    handle: string,
    { session, next, mistake }: Replaced,
    { client, redirectUri }: AuthorizationRequest,
    context: SignInContext,
  ): Promise<Answer> {
    const { binding, headers } = this.#parts.forms.bind(context);
    const proof = this.#parts.forms.proof(binding, purposeOf(session, next));
    const { read } = this.#parts.records;
    const [present, account] = await Promise.all([
      findUserById(read, session.userId),
      accountNamed(read, client.account),
    ]);
    const same = present?.email === next.email;
    const shown = `<strong>${text(next.email)}</strong>`;
    const other = next.claimed
      ? `another user, known by this address only in the account ${account}`
      : 'another user with the same address';
    const content = `${alert(mistake)}<p>In this browser you are signed in as <strong>${text(present?.email ?? '')}</strong>. <strong>${text(client.name)}</strong> signs you in as ${same ? other : shown}, by the identity provider of the account ${account}. This sign-in is good for that account only.</p>
<p>If you go on, your present sign-in ends here, and in the applications that were opened with it. If you did not mean to sign in, close this page: nothing happens then.</p>
<form method="post" action="${finishPath}">
<input type="hidden" name="handle" value="${text(handle)}">
<input type="hidden" name="proof" value="${text(proof)}">
<button>Go on as ${same ? 'the other user' : text(next.email)}</button>
</form>`;
    return page(200, 'Sign in as somebody else?', content, {
      formTargets: formTargetsOf(client, redirectUri),
      headers,
    });
  }
}

/** Name and id as they stand on the page: everybody may choose a name, and an id is given once. */
async function accountNamed(read: Reader, id: string): Promise<string> {
  const row = await read.selectFrom('accounts').select('name').where('id', '=', id).executeTakeFirst();
  return `<strong>${text(row?.name ?? id)}</strong> (${text(id)})`;
}

function purposeOf({ id }: Session, { userId, email }: Vouched): string {
  return `saml-replacing\n${id}\n${userId ?? email}`;
}
