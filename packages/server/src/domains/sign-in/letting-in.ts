import { type Answer, type Route, route } from '../../route.ts';
import { Type } from '../../schema.ts';
import {
  type AuthorizationRequest,
  type Authorizer,
  NoDestination,
  redirectTo,
  type SignInContext,
} from '../oauth/index.ts';
import type { Session } from '../sessions/index.ts';
import { pageAnswers, problemPage } from '../setup/index.ts';
import type { Forms } from './forms.ts';
import type { SignIn } from './sign-in.ts';
import { lettingInPage, lettingInPath } from './view.ts';

export interface LettingInParts {
  signIn: SignIn;
  authorizer: Authorizer;
  forms: Forms;
  /** Where somebody signs in whose session has ended meanwhile. */
  signInAgain: (request: AuthorizationRequest, context: SignInContext) => Answer;
}

/**
 * The question whether the command line may act for who is signed in. Everybody knows its client, and on a computer of many users
 * any of them may listen at the address that it returns to: without the question a link would be enough (RFC 8252 §8.6).
 */
export class LettingIn {
  readonly #parts: LettingInParts;

  constructor(parts: LettingInParts) {
    this.#parts = parts;
  }

  ask(request: AuthorizationRequest, session: Session, context: SignInContext, mistake?: string): Answer {
    const { forms } = this.#parts;
    const { binding, headers } = forms.bind(context);
    const proof = forms.proof(binding, purposeOf(request.query, session));
    return lettingInPage({ request, proof, headers, ...(mistake !== undefined && { mistake }) });
  }

  /** The question was answered with yes. What came in the form is checked as if it came for the first time. */
  async answer(fields: { request: string; proof: string }, context: SignInContext): Promise<Answer> {
    const { signIn, authorizer, forms, signInAgain } = this.#parts;
    try {
      const session = await signIn.current(context);
      const decided = await authorizer.authorize(fields.request, session);
      if (decided.kind === 'redirect') return redirectTo(decided.location);
      const { request } = decided;
      if (decided.kind === 'sign-in') return signInAgain(request, context);
      const purpose = purposeOf(fields.request, decided.session);
      const mistake = forms.mistakeIn(context, forms.bindingOf(context), purpose, fields.proof);
      if (mistake !== undefined) return this.ask(request, decided.session, context, mistake);
      const location = await authorizer
        .grant(request, decided.session)
        .catch((error: unknown) => authorizer.refuse(request, error));
      return redirectTo(location);
    } catch (error) {
      if (error instanceof NoDestination) return signIn.mistake(error.message);
      throw error;
    }
  }
}

/** The form that asks, taken back. */
export function lettingInRoutes(lettingIn: LettingIn): Route[] {
  return [
    route({
      method: 'POST',
      path: lettingInPath,
      operation: 'signIn.form',
      tag: 'Sign-in',
      problemPage,
      summary: 'Let the command line act for who is signed in',
      formBody: true,
      body: Type.Object({
        request: Type.String({ maxLength: 8192, description: 'The query of the authorization request' }),
        proof: Type.String({ maxLength: 100 }),
      }),
      answers: { ...pageAnswers, 302: { description: 'Let in: back to the command line' } },
      handle: (context) => lettingIn.answer(context.body, context),
    }),
  ];
}

function purposeOf(query: string, { id }: Session): string {
  return `letting-in\n${id}\n${query}`;
}
