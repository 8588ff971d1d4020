import { Type } from 'typebox';
import { type Answer, type Route, route } from '../../../../api/route.ts';
import { emailKey } from '../../../../base/names.ts';
import type { SignInContext } from '../../oauth/index.ts';
import { pageAnswers } from '../../setup/index.ts';
import type { Delays } from '../attempts/backoff.ts';
import { sourcesOf } from '../attempts/sources.ts';
import { tooManyAttempts, waitOrProblemPage } from '../attempts/too-many-attempts.ts';
import { type Forms, proofShape } from '../forms.ts';
import { forgottenPath, mailSentPage, passwordResetPage } from '../view.ts';
import type { PasswordResets } from './password-reset.ts';

const purpose = 'forgotten-password';

/** Routes of /v1/oauth/forgotten-password: requests of links to set a new password. */
export function passwordResetRoutes(deps: { forms: Forms; delays: Delays; resets: PasswordResets }): Route[] {
  const { forms, delays, resets } = deps;
  const common = {
    path: forgottenPath,
    operation: 'signIn.forgotten',
    tag: 'Sign-in',
    answers: pageAnswers,
    problemPage: waitOrProblemPage,
  } as const;
  const show = (context: SignInContext, fault?: string): Answer => {
    const { binding, headers } = forms.bind(context);
    const proof = forms.proof(binding, purpose);
    return passwordResetPage({ request: undefined, proof, headers, email: '', ...(fault && { fault }) });
  };
  return [
    route({
      ...common,
      method: 'GET',
      summary: 'Show the page to request a new password',
      handle: async (context) => show(context),
    }),
    route({
      ...common,
      method: 'POST',
      summary: 'Send a link to set a new password; the response does not reveal whether the user exists',
      formBody: true,
      body: Type.Object({
        proof: proofShape,
        email: Type.String({
          minLength: 3,
          maxLength: 320,
          pattern: '^[^@\\s]+@[^@\\s]+$',
          description: 'An e-mail address',
        }),
      }),
      handle: async (context) => {
        const { email, proof } = context.body;
        const fault = forms.faultIn(context, forms.bindingOf(context), purpose, proof);
        if (fault !== undefined) return show(context, fault);
        const waitMs = await delays.take([
          { kind: 'mail', name: emailKey(email) },
          ...sourcesOf(forms.browserOf(context), context.address),
        ]);
        if (waitMs > 0) throw tooManyAttempts(waitMs);
        await resets.request(email);
        return mailSentPage(email);
      },
    }),
  ];
}
