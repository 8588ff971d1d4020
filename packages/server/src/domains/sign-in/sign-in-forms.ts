import type { Answer } from '../../route.ts';
import type { SignInContext } from '../oauth/index.ts';
import { type AuthorizationRequest, type Authorizer, NoDestination, redirectTo } from '../oauth/index.ts';
import type { SecondFactors } from '../second-factor/index.ts';
import type { AuthenticationMethod } from '../sessions/index.ts';
import type { Delays, Subject } from './delays.ts';
import { type Forms, staleForm } from './forms.ts';
import { keepPassword, type PasswordCheck } from './password-check.ts';
import { tooManyAttempts } from './patience.ts';
import type { SecondStep } from './second-step.ts';
import type { Proven, SignIn } from './sign-in.ts';
import { type ShownForm, secondStepPage, signInPage } from './view.ts';

/** The page about one's own sign-in: where somebody lands who signs in without an application. */
export const ownPath = '/v1/security';

const wrong = 'The e-mail address or the password is wrong.';

export interface SignInFormsParts {
  signIn: SignIn;
  authorizer: Authorizer;
  forms: Forms;
  passwords: PasswordCheck;
  secondFactors: SecondFactors;
  secondStep: SecondStep;
  delays: Delays;
}

interface Fields {
  /** The query of the authorization request; '' for our own pages. */
  request: string;
  proof: string;
}

/** What somebody signs in for, read anew from the form: an authorization request or our own pages, or the answer that ends it. */
type Aim = { request: AuthorizationRequest | undefined } | { answer: Answer };

/** Signing in by password, and with a second factor: shows forms, takes them back. Between the two nothing is stored. */
export class SignInForms {
  readonly #parts: SignInFormsParts;

  constructor(parts: SignInFormsParts) {
    this.#parts = parts;
  }

  /** For our own pages. */
  async open(context: SignInContext): Promise<Answer> {
    if (await this.#parts.signIn.current(context)) return redirectTo(ownPath);
    return this.show(undefined, context);
  }

  show(request: AuthorizationRequest | undefined, context: SignInContext): Answer {
    return this.#form(request, context, { email: request?.loginHint?.slice(0, 320) ?? '' });
  }

  async password(
    fields: Fields & { email: string; password: string },
    context: SignInContext,
  ): Promise<Answer> {
    const { email, password } = fields;
    const aim = await this.#aim(fields.request);
    if ('answer' in aim) return aim.answer;
    const { request } = aim;
    const mistake = this.#mistakeIn(fields, context);
    if (mistake !== undefined) return this.#form(request, context, { email: '', mistake });
    if (request && !request.client.identityProviders.includes('PASSWORD')) return this.show(request, context);
    const { address, requestId, headers } = context;
    const result = await this.#parts.passwords.ofEmail(email, { password, address, requestId, headers });
    if (result.kind === 'wait') throw tooManyAttempts(result.waitMs);
    if (result.kind === 'wrong') return this.#form(request, context, { email, mistake: wrong });
    const { secondFactors, secondStep } = this.#parts;
    if (!(await secondFactors.isOn(result.userId)))
      return this.#finish(request, provenBy(result, ['pwd']), context);
    const bound = this.#bound(request, context);
    const step = secondStep.seal(result, { binding: bound.binding, query: fields.request });
    return secondStepPage({ ...bound, step });
  }

  async code(fields: Fields & { step: string; code: string }, context: SignInContext): Promise<Answer> {
    const aim = await this.#aim(fields.request);
    if ('answer' in aim) return aim.answer;
    const { request } = aim;
    const { forms, secondStep, secondFactors, delays, passwords } = this.#parts;
    const place = { binding: forms.bindingOf(context), query: fields.request };
    const stale = this.#mistakeIn(fields, context);
    const step = stale === undefined ? await secondStep.open(fields.step, place) : undefined;
    if (step === undefined) return this.#form(request, context, { email: '', mistake: stale ?? staleForm });
    const { userId } = step;
    const subject: Subject = { kind: 'code', name: userId };
    const waitMs = await delays.take([subject]);
    if (waitMs > 0) throw tooManyAttempts(waitMs);
    if (!(await secondFactors.take(userId, fields.code))) {
      await passwords.failed({ user: userId, requestId: context.requestId, factor: 'code' });
      const mistake = 'This code is wrong, or was used already. Wait for the next one.';
      return secondStepPage({ ...this.#bound(request, context), step: fields.step, mistake });
    }
    await delays.clear([subject]);
    return this.#finish(request, provenBy(step, ['pwd', 'otp']), context);
  }

  async #finish(
    request: AuthorizationRequest | undefined,
    who: Proven,
    context: SignInContext,
  ): Promise<Answer> {
    const { signIn } = this.#parts;
    if (request) return signIn.complete(request, who, context);
    const { cookies } = await signIn.begin(who, context);
    return redirectTo(ownPath, { 'set-cookie': cookies });
  }

  /** What came in a hidden field may have been changed: it is checked as if it came for the first time. */
  async #aim(query: string): Promise<Aim> {
    if (query === '') return { request: undefined };
    const { authorizer, signIn } = this.#parts;
    try {
      const decided = await authorizer.authorize(query, undefined);
      return decided.kind === 'redirect' ? { answer: redirectTo(decided.location) } : decided;
    } catch (error) {
      if (error instanceof NoDestination) return { answer: signIn.mistake(error.message) };
      throw error;
    }
  }

  #mistakeIn({ request, proof }: Fields, context: SignInContext): string | undefined {
    const { forms } = this.#parts;
    return forms.mistakeIn(context, forms.bindingOf(context), purposeOf(request), proof);
  }

  #bound(
    request: AuthorizationRequest | undefined,
    context: SignInContext,
  ): Pick<ShownForm, 'request' | 'proof' | 'headers'> & { binding: string } {
    const { binding, headers } = this.#parts.forms.bind(context);
    const proof = this.#parts.forms.proof(binding, purposeOf(request?.query ?? ''));
    return { request, proof, headers, binding };
  }

  #form(
    request: AuthorizationRequest | undefined,
    context: SignInContext,
    shown: { email: string; mistake?: string },
  ): Answer {
    const { binding: _, ...bound } = this.#bound(request, context);
    return signInPage({ ...bound, ...shown });
  }
}

function provenBy(
  { userId, passwordHash }: { userId: string; passwordHash: string },
  methods: AuthenticationMethod[],
): Proven {
  return { userId, methods, still: (tx) => keepPassword(tx, userId, passwordHash) };
}

function purposeOf(query: string): string {
  return `sign-in\n${query}`;
}
