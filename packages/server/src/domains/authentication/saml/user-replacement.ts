import type { Answer } from '../../../api/route.ts';
import type { Reader, Records } from '../../../platform/records/records.ts';
import { findUserById } from '../../identity/users/index.ts';
import type { AuthorizationRequest, SignInContext } from '../oauth/index.ts';
import { alert, page, text } from '../setup/index.ts';
import { type Forms, formTargetsOf, type SignIn } from '../sign-in/index.ts';
import type { Session } from '../sign-in/sessions/index.ts';
import type { Vouched } from './identities.ts';

export const finishPath = '/v1/saml/finish';

/** Signed-in user, and the one to replace it. */
interface Replaced {
  session: Session;
  next: Vouched;
  /** Error of the confirmation form. */
  fault: string | undefined;
}

/** Confirmation before an identity provider's user replaces the signed-in user of a browser. */
export class UserReplacement {
  readonly #deps: { records: Records; signIn: Pick<SignIn, 'current'>; forms: Forms };

  constructor(deps: { records: Records; signIn: Pick<SignIn, 'current'>; forms: Forms }) {
    this.#deps = deps;
  }

  /** Returns the users to confirm; `undefined` when there is no other, or it was confirmed. */
  async unconfirmed(
    next: Vouched,
    context: SignInContext,
    proof: string | undefined,
  ): Promise<Replaced | undefined> {
    const { signIn, forms } = this.#deps;
    const session = await signIn.current(context);
    if (!session || session.userId === next.userId) return undefined;
    if (proof === undefined) return { session, next, fault: undefined };
    const purpose = purposeOf(session, next);
    const fault = forms.faultIn(context, forms.bindingOf(context), purpose, proof);
    return fault === undefined ? undefined : { session, next, fault };
  }

  /** Shows the confirmation page. `handle`: fetches the provider's response afterwards. */
  async ask(
    handle: string,
    { session, next, fault }: Replaced,
    { client, redirectUri }: AuthorizationRequest,
    context: SignInContext,
  ): Promise<Answer> {
    const { binding, headers } = this.#deps.forms.bind(context);
    const proof = this.#deps.forms.proof(binding, purposeOf(session, next));
    const { read } = this.#deps.records;
    const [present, account] = await Promise.all([
      findUserById(read, session.userId),
      accountNamed(read, client.account),
    ]);
    const same = present?.email === next.email;
    const shown = `<strong>${text(next.email)}</strong>`;
    const other = next.claimed
      ? `another user, known by this address only in the account ${account}`
      : 'another user with the same address';
    const content = `${alert(fault)}<p>In this browser you are signed in as <strong>${text(present?.email ?? '')}</strong>. <strong>${text(client.name)}</strong> signs you in as ${same ? other : shown}, by the identity provider of the account ${account}. This sign-in is limited to that account.</p>
<p>If you continue, your present sign-in ends here and in the applications that you opened with it. If you did not start this sign-in, close this page.</p>
<form method="post" action="${finishPath}">
<input type="hidden" name="handle" value="${text(handle)}">
<input type="hidden" name="proof" value="${text(proof)}">
<button>Continue as ${same ? 'the other user' : text(next.email)}</button>
</form>`;
    return page(200, 'Sign in as another user?', content, {
      formTargets: formTargetsOf(client, redirectUri),
      headers,
    });
  }
}

/** Returns name and id of an account: names are free to choose, ids are unique. */
async function accountNamed(read: Reader, id: string): Promise<string> {
  const row = await read.selectFrom('accounts').select('name').where('id', '=', id).executeTakeFirst();
  return `<strong>${text(row?.name ?? id)}</strong> (${text(id)})`;
}

function purposeOf({ id }: Session, { userId, email }: Vouched): string {
  return `saml-replacing\n${id}\n${userId ?? email}`;
}
