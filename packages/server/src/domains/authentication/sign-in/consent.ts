import { Type } from 'typebox';
import { type Answer, type Route, route } from '../../../api/route.ts';
import {
  type AuthorizationRequest,
  type Authorizer,
  NoDestination,
  redirectTo,
  type SignInContext,
} from '../oauth/index.ts';
import { pageAnswers, problemPage } from '../setup/index.ts';
import { type Forms, proofShape, requestShape } from './forms.ts';
import type { Session } from './sessions/index.ts';
import type { SignIn } from './sign-in.ts';
import { consentPage, consentPath } from './view.ts';

interface ConsentDeps {
  signIn: SignIn;
  authorizer: Authorizer;
  forms: Forms;
  /** Shows the sign-in form when the session has ended meanwhile. */
  signInAgain: (request: AuthorizationRequest, context: SignInContext) => Answer;
}

/**
 * Consent by a signed-in user to a client that no administrator of an account chose: the command line, and assistants that
 * registered themselves. Without it a link would be enough (RFC 8252 §8.6).
 */
export class Consent {
  readonly #deps: ConsentDeps;

  constructor(deps: ConsentDeps) {
    this.#deps = deps;
  }

  ask(request: AuthorizationRequest, session: Session, context: SignInContext, fault?: string): Answer {
    const { forms } = this.#deps;
    const { binding, headers } = forms.bind(context);
    const proof = forms.proof(binding, purposeOf(request.query, session));
    return consentPage({ request, proof, headers, ...(fault !== undefined && { fault }) });
  }

  /** Grants after consent. The form's request is validated again. */
  async answer(fields: { request: string; proof: string }, context: SignInContext): Promise<Answer> {
    const { signIn, authorizer, forms, signInAgain } = this.#deps;
    try {
      const session = await signIn.current(context);
      const decided = await authorizer.authorize(fields.request, session, context.requestId);
      if (decided.kind === 'redirect') return redirectTo(decided.location);
      const { request } = decided;
      if (decided.kind === 'sign-in') return signInAgain(request, context);
      if (decided.kind === 'choose') return redirectTo(`/v1/oauth/authorize?${request.query}`);
      const purpose = purposeOf(fields.request, decided.session);
      const fault = forms.faultIn(context, forms.bindingOf(context), purpose, fields.proof);
      if (fault !== undefined) return this.ask(request, decided.session, context, fault);
      const location = await authorizer
        .grant(request, decided.session, context.requestId)
        .catch((error: unknown) => authorizer.refuse(request, error));
      return redirectTo(location);
    } catch (error) {
      if (error instanceof NoDestination) return signIn.fault(error.message);
      throw error;
    }
  }
}

/** Routes of the submitted consent form. */
export function consentRoutes(consent: Consent): Route[] {
  return [
    route({
      method: 'POST',
      path: consentPath,
      operation: 'signIn.form',
      tag: 'Sign-in',
      problemPage,
      summary: 'Consent to the command line or to an assistant',
      formBody: true,
      body: Type.Object({
        request: requestShape,
        proof: proofShape,
      }),
      answers: { ...pageAnswers, 302: { description: 'Consent given: redirect to the application' } },
      handle: (context) => consent.answer(context.body, context),
    }),
  ];
}

function purposeOf(query: string, { id }: Session): string {
  return `consent\n${id}\n${query}`;
}
