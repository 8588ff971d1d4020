import { Type } from 'typebox';
import { type Route, route } from '../../../api/route.ts';
import { Problem } from '../../../base/problem.ts';
import type { Records } from '../../../platform/records/records.ts';
import { redirectTo } from '../oauth/index.ts';
import { findToken, openingPath, pageAnswers, problemPage, spendToken, tokenShape } from '../setup/index.ts';
import type { SignIn } from './sign-in.ts';

const purpose = 'opening';

const linkUsedUp = () =>
  new Problem(403, 'LINK_INVALID', 'This link was used or is too old. Sign in with your password.');

/** Route of a link that signs in once: the first start prints one. `home`: the address of the redirect. */
export function openingRoutes({
  records,
  signIn,
  home,
}: {
  records: Records;
  signIn: SignIn;
  home: string;
}): Route[] {
  return [
    route({
      method: 'GET',
      path: openingPath,
      operation: 'signIn.form',
      tag: 'Set-up',
      problemPage,
      summary: 'Open the console with a session by a one-time link',
      query: Type.Object({ token: tokenShape }),
      answers: { ...pageAnswers, 302: { description: 'Signed in: redirect to the console' } },
      handle: async (context) => {
        const { token } = context.query;
        const known = await findToken(records.read, token, purpose);
        // A preview by HEAD, as in a chat, must not use up a link.
        if (!known || context.method === 'HEAD') throw linkUsedUp();
        const userId = known.subject;
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
