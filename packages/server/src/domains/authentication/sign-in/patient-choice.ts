import { Type } from 'typebox';
import { type Answer, type Route, route } from '../../../api/route.ts';
import {
  type AuthorizationRequest,
  type Authorizer,
  type Choice,
  NoDestination,
  redirectTo,
  type SignInContext,
} from '../oauth/index.ts';
import { pageAnswers, problemPage } from '../setup/index.ts';
import { type Forms, proofShape, requestShape } from './forms.ts';
import type { SignIn } from './sign-in.ts';
import { patientPage, patientPath } from './view.ts';

interface PatientChoiceDeps {
  signIn: SignIn;
  authorizer: Authorizer;
  forms: Forms;
  /** Shows the sign-in form when the session has ended meanwhile. */
  signInAgain: (request: AuthorizationRequest, context: SignInContext) => Answer;
}

interface ChosenFields {
  request: string;
  proof: string;
  patient: string;
}

const noPatient = 'There is no patient with this id that you may read.';

/** Choice of the patient to whom an app is limited, by a signed-in user who sees several (SMART App Launch 2.2, `launch/patient`). */
export class PatientChoice {
  readonly #deps: PatientChoiceDeps;

  constructor(deps: PatientChoiceDeps) {
    this.#deps = deps;
  }

  ask(choice: Choice, context: SignInContext, fault?: string): Answer {
    const { forms } = this.#deps;
    const { binding, headers } = forms.bind(context);
    const proof = forms.proof(binding, purposeOf(choice));
    const { request, patients } = choice;
    return patientPage({ request, patients, proof, headers, ...(fault !== undefined && { fault }) });
  }

  /** Grants for the chosen patient. The form's request is validated again. */
  async answer(fields: ChosenFields, context: SignInContext): Promise<Answer> {
    const { signIn, authorizer, signInAgain } = this.#deps;
    try {
      const session = await signIn.current(context);
      const decided = await authorizer.authorize(fields.request, session, context.requestId);
      if (decided.kind === 'redirect') return redirectTo(decided.location);
      if (decided.kind === 'sign-in') return signInAgain(decided.request, context);
      if (decided.kind === 'ask') return redirectTo(`/v1/oauth/authorize?${decided.request.query}`);
      const fault = await this.#faultIn(decided, fields, context);
      if (fault !== undefined) return this.ask(decided, context, fault);
      const location = await authorizer
        .grant(decided.request, decided.session, context.requestId, fields.patient)
        .catch((error: unknown) => authorizer.refuse(decided.request, error));
      return redirectTo(location);
    } catch (error) {
      if (error instanceof NoDestination) return signIn.fault(error.message);
      throw error;
    }
  }

  async #faultIn(
    choice: Choice,
    { proof, patient }: ChosenFields,
    context: SignInContext,
  ): Promise<string | undefined> {
    const { forms, authorizer } = this.#deps;
    const stale = forms.faultIn(context, forms.bindingOf(context), purposeOf(choice), proof);
    if (stale !== undefined) return stale;
    const may = await authorizer.mayChoose(choice.request, choice.session, patient);
    return may ? undefined : noPatient;
  }
}

/** Route of the submitted form. */
export function patientChoiceRoutes(choice: PatientChoice): Route[] {
  return [
    route({
      method: 'POST',
      path: patientPath,
      operation: 'signIn.form',
      tag: 'Sign-in',
      problemPage,
      summary: 'Choose the patient whose record an app reads',
      formBody: true,
      body: Type.Object({
        request: requestShape,
        proof: proofShape,
        patient: Type.String({ minLength: 1, maxLength: 255, description: 'Id of the patient' }),
      }),
      answers: { ...pageAnswers, 302: { description: 'Chosen: redirect to the application' } },
      handle: (context) => choice.answer(context.body, context),
    }),
  ];
}

function purposeOf({ request: { query }, session: { id } }: Choice): string {
  return `patient\n${id}\n${query}`;
}
