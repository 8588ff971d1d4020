import { emailKey } from '../../names.ts';
import { type Answer, type Route, route } from '../../route.ts';
import { Type } from '../../schema.ts';
import type { SignInContext } from '../oauth/index.ts';
import { pageAnswers } from '../setup/index.ts';
import type { Delays } from './delays.ts';
import type { ForgottenPasswords } from './forgotten.ts';
import type { Forms } from './forms.ts';
import { networkOf } from './network.ts';
import { patienceOrProblem, tooManyAttempts } from './patience.ts';
import { forgottenPage, forgottenPath, mailSentPage } from './view.ts';

const purpose = 'forgotten-password';

/** /v1/oauth/forgotten-password: a link with which to choose a new password, by mail. */
export function forgottenRoutes(parts: {
  forms: Forms;
  delays: Delays;
  forgotten: ForgottenPasswords;
}): Route[] {
  const { forms, delays, forgotten } = parts;
  const common = {
    path: forgottenPath,
    operation: 'signIn.forgotten',
    tag: 'Sign-in',
    answers: pageAnswers,
    problemPage: patienceOrProblem,
  } as const;
  const show = (context: SignInContext, mistake?: string): Answer => {
    const { binding, headers } = forms.bind(context);
    const proof = forms.proof(binding, purpose);
    return forgottenPage({ request: undefined, proof, headers, email: '', ...(mistake && { mistake }) });
  };
  return [
    route({
      ...common,
      method: 'GET',
      summary: 'The page on which somebody asks for a new password',
      handle: async (context) => show(context),
    }),
    route({
      ...common,
      method: 'POST',
      summary:
        'Send a link with which to choose a new password; the answer does not tell whether there is such a user',
      formBody: true,
      body: Type.Object({
        proof: Type.String({ maxLength: 100 }),
        email: Type.String({
          minLength: 3,
          maxLength: 320,
          pattern: '^[^@\\s]+@[^@\\s]+$',
          description: 'An e-mail address',
        }),
      }),
      handle: async (context) => {
        const { email, proof } = context.body;
        const mistake = forms.mistakeIn(context, forms.bindingOf(context), purpose, proof);
        if (mistake !== undefined) return show(context, mistake);
        const waitMs = await delays.take([
          { kind: 'mail', name: emailKey(email) },
          { kind: 'address', name: networkOf(context.address) },
        ]);
        if (waitMs > 0) throw tooManyAttempts(waitMs);
        await forgotten.request(email);
        return mailSentPage(email);
      },
    }),
  ];
}
