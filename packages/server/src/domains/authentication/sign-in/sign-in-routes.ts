import { Type } from 'typebox';
import { type Route, route } from '../../../api/route.ts';
import { pageAnswers, signInPath } from '../setup/index.ts';
import { waitOrProblemPage } from './attempts/too-many-attempts.ts';
import { proofShape, requestShape } from './forms.ts';
import { passwordShape } from './passwords/index.ts';
import type { SignInForms } from './sign-in-forms.ts';
import { secondStepPath } from './view.ts';

const tag = 'Sign-in';

/** Hidden fields of every form: the authorization request or the page to return to, and the proof. */
const hiddenFields = { request: requestShape, proof: proofShape };

const answers = {
  ...pageAnswers,
  302: { description: 'Signed in: redirect to the application, or to the page that `return` names' },
};

/** Routes of the sign-in forms. They work without scripts. */
export function signInRoutes(forms: SignInForms): Route[] {
  const common = { operation: 'signIn.form', tag, problemPage: waitOrProblemPage, answers } as const;
  return [
    route({
      ...common,
      method: 'GET',
      path: signInPath,
      summary: 'Show the sign-in page, without an application',
      query: Type.Object({
        return: Type.Optional(
          Type.String({
            maxLength: 20,
            description: 'Page to return to: `security`, or `device-` with a code',
          }),
        ),
      }),
      handle: (context) => forms.open(context, context.query.return),
    }),
    route({
      ...common,
      method: 'POST',
      path: signInPath,
      summary: 'Sign in with e-mail address and password',
      formBody: true,
      body: Type.Object({
        ...hiddenFields,
        email: Type.String({ maxLength: 320, description: 'E-mail address' }),
        password: passwordShape,
      }),
      handle: (context) => forms.password(context.body, context),
    }),
    route({
      ...common,
      method: 'POST',
      path: secondStepPath,
      summary: 'Send the second step of a sign-in: a code of the authenticator, or a recovery code',
      formBody: true,
      body: Type.Object({
        ...hiddenFields,
        step: Type.String({ maxLength: 20_000, description: 'Sealed first step' }),
        code: Type.String({ maxLength: 40, description: 'Code of the authenticator, or a recovery code' }),
      }),
      handle: (context) => forms.code(context.body, context),
    }),
  ];
}
