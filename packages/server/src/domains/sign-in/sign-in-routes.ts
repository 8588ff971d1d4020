import { type Route, route } from '../../route.ts';
import { Type } from '../../schema.ts';
import { passwordShape } from '../passwords/index.ts';
import { pageAnswers, signInPath } from '../setup/index.ts';
import { patienceOrProblem } from './patience.ts';
import type { SignInForms } from './sign-in-forms.ts';
import { secondStepPath } from './view.ts';

const tag = 'Sign-in';

/** Hidden fields of every form: the authorization request ('' for our own pages), and the proof that the form is ours. */
const hiddenFields = {
  request: Type.String({ maxLength: 8192, description: 'The query of the authorization request' }),
  proof: Type.String({ maxLength: 100 }),
};

const answers = {
  ...pageAnswers,
  302: { description: 'Signed in: back to the application, or to the page about one’s own sign-in' },
};

/** The forms of signing in. They work without a script. */
export function signInRoutes(forms: SignInForms): Route[] {
  const common = { operation: 'signIn.form', tag, problemPage: patienceOrProblem, answers } as const;
  return [
    route({
      ...common,
      method: 'GET',
      path: signInPath,
      summary: 'The sign-in page, without an application',
      handle: (context) => forms.open(context),
    }),
    route({
      ...common,
      method: 'POST',
      path: signInPath,
      summary: 'Sign in with e-mail address and password',
      formBody: true,
      body: Type.Object({ ...hiddenFields, email: Type.String({ maxLength: 320 }), password: passwordShape }),
      handle: (context) => forms.password(context.body, context),
    }),
    route({
      ...common,
      method: 'POST',
      path: secondStepPath,
      summary: 'The second step of signing in: a code of the authenticator, or a recovery code',
      formBody: true,
      body: Type.Object({
        ...hiddenFields,
        step: Type.String({ maxLength: 20_000 }),
        code: Type.String({ maxLength: 40 }),
      }),
      handle: (context) => forms.code(context.body, context),
    }),
  ];
}
