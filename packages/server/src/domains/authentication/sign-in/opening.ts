import { Type } from 'typebox';
import { type Answer, type Route, route } from '../../../api/route.ts';
import { Problem } from '../../../base/problem.ts';
import type { Records } from '../../../platform/records/records.ts';
import { redirectTo, type SignInContext } from '../oauth/index.ts';
import {
  alert,
  findToken,
  openingPath,
  page,
  pageAnswers,
  problemPage,
  spendToken,
  text,
  tokenShape,
} from '../setup/index.ts';
import { type Forms, proofShape } from './forms.ts';
import type { SignIn } from './sign-in.ts';

const purpose = 'opening';

const linkUsedUp = () =>
  new Problem(403, 'LINK_INVALID', 'This link was used or is too old. Sign in with your password.');

interface OpeningDeps {
  records: Records;
  signIn: SignIn;
  forms: Forms;
  /** Address of the redirect. */
  home: string;
}

/** Routes of a link that signs in once: the first start makes one. */
export function openingRoutes(deps: OpeningDeps): Route[] {
  const common = { path: openingPath, operation: 'signIn.form', tag: 'Set-up', problemPage } as const;
  return [
    route({
      ...common,
      method: 'GET',
      summary: 'Show the page of a one-time link to the console; opening it changes nothing',
      query: Type.Object({ token: tokenShape }),
      answers: pageAnswers,
      handle: (context) => form(deps, context.query.token, context),
    }),
    route({
      ...common,
      method: 'POST',
      summary: 'Open the console with a session; the link is used up',
      formBody: true,
      body: Type.Object({ token: tokenShape, proof: proofShape }),
      answers: { ...pageAnswers, 302: { description: 'Signed in: redirect to the console' } },
      handle: async (context) => {
        const { token, proof } = context.body;
        const { forms, signIn, home } = deps;
        const fault = forms.faultIn(context, forms.bindingOf(context), purposeOf(token), proof);
        if (fault !== undefined) return form(deps, token, context, fault);
        const { subject: userId } = await validToken(deps, token);
        const { cookies } = await signIn.begin(
          {
            userId,
            methods: [],
            requireValid: async (tx) => {
              if ((await spendToken(tx, token, purpose)) !== userId) throw linkUsedUp();
            },
          },
          context,
        );
        return redirectTo(home, { 'set-cookie': cookies });
      },
    }),
  ];
}

/** Shows a button: scanners of mail and previews in chats follow links, and press none. */
async function form(
  deps: OpeningDeps,
  token: string,
  context: SignInContext,
  fault?: string,
): Promise<Answer> {
  await validToken(deps, token);
  const { binding, headers } = deps.forms.bind(context);
  return page(
    fault === undefined ? 200 : 400,
    'Open the console',
    `${alert(fault)}<p>This link signs in once.</p>
<form method="post" action="${openingPath}">
<input type="hidden" name="token" value="${text(token)}">
<input type="hidden" name="proof" value="${text(deps.forms.proof(binding, purposeOf(token)))}">
<button autofocus>Open</button>
</form>`,
    { headers },
  );
}

async function validToken({ records }: OpeningDeps, token: string): Promise<{ subject: string }> {
  const known = await findToken(records.read, token, purpose);
  if (!known || known.used || known.expired) throw linkUsedUp();
  return known;
}

const purposeOf = (token: string): string => `opening\n${token}`;
