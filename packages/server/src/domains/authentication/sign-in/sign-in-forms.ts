import type { Answer } from '../../../api/route.ts';
import type { SignInContext } from '../oauth/index.ts';
import {
  type AuthorizationRequest,
  type Authorizer,
  devicePath,
  NoDestination,
  redirectTo,
} from '../oauth/index.ts';
import type { Delays, Subject } from './attempts/backoff.ts';
import { tooManyAttempts } from './attempts/too-many-attempts.ts';
import { type Forms, staleForm } from './forms.ts';
import { lockPassword, type PasswordCheck } from './password-check.ts';
import type { SecondFactors } from './second-factor/index.ts';
import type { SecondStep } from './second-step.ts';
import type { AuthenticationMethod } from './sessions/index.ts';
import type { AuthenticatedUser, SignIn } from './sign-in.ts';
import { type ShownForm, secondStepPage, signInPage } from './view.ts';

/** Path of the page for one's own sign-in. */
export const ownPath = '/v1/security';

/** Query of the sign-in page, and hidden request of its forms, for a return to `ownPath`. */
export const returnToOwn = 'return=security';

/** Returns the page of this service that a query of the sign-in page names; `undefined` for others. */
function ownPageOf(query: string | undefined): string | undefined {
  if (query === returnToOwn) return ownPath;
  const [, code] = /^return=device-([A-Za-z-]{0,12})$/.exec(query ?? '') ?? [];
  return code === undefined ? undefined : `${devicePath}${code === '' ? '' : `?user_code=${code}`}`;
}

/** Returns the query of the sign-in page for a return to the page of devices with a code. */
export function returnToDevice(userCode: string): string {
  return `return=device-${userCode.replace(/[^A-Za-z-]/g, '').slice(0, 12)}`;
}

const wrong = 'The e-mail address or the password is wrong.';

interface SignInFormsDeps {
  signIn: SignIn;
  authorizer: Authorizer;
  forms: Forms;
  passwords: PasswordCheck;
  secondFactors: SecondFactors;
  secondStep: SecondStep;
  delays: Delays;
  /** Address after a sign-in without an application. */
  home: string;
}

interface Fields {
  /** Query of the authorization request; empty, or that of the sign-in page, for pages of this service. */
  request: string;
  proof: string;
}

/**
 * Target of a sign-in, validated again from the form: an authorization request, pages of this service, or the
 * answer to an invalid one.
 */
type Aim = Target | { answer: Answer };

/** Application, or page of this service to return to; without both the home page. */
interface Target {
  request?: AuthorizationRequest | undefined;
  returnTo?: string | undefined;
}

/** Sign-in by password and second factor: shows and accepts forms. Nothing is stored between the two. */
export class SignInForms {
  readonly #deps: SignInFormsDeps;

  constructor(deps: SignInFormsDeps) {
    this.#deps = deps;
  }

  /** Shows the form for pages of this service: the home page, or the one that `return` names. */
  async open(context: SignInContext, name: string | undefined): Promise<Answer> {
    const returnTo = `return=${name}`;
    const target = ownPageOf(returnTo) === undefined ? {} : { returnTo };
    if (await this.#deps.signIn.current(context)) return redirectTo(this.#pageOf(target));
    return this.#form(target, context, { email: '' });
  }

  show(request: AuthorizationRequest | undefined, context: SignInContext): Answer {
    return this.#form({ request }, context, { email: request?.loginHint?.slice(0, 320) ?? '' });
  }

  #pageOf({ returnTo }: Target): string {
    return ownPageOf(returnTo) ?? this.#deps.home;
  }

  async password(
    fields: Fields & { email: string; password: string },
    context: SignInContext,
  ): Promise<Answer> {
    const { email, password } = fields;
    const aim = await this.#aim(fields.request, context);
    if ('answer' in aim) return aim.answer;
    const { request } = aim;
    const fault = this.#faultIn(fields, context);
    if (fault !== undefined) return this.#form(aim, context, { email: '', fault });
    if (request && !request.client.identityProviders.includes('PASSWORD')) return this.show(request, context);
    const { address, requestId, headers } = context;
    const result = await this.#deps.passwords.verifyByEmail(email, { password, address, requestId, headers });
    if (result.kind === 'wait') throw tooManyAttempts(result.waitMs);
    if (result.kind === 'wrong') return this.#form(aim, context, { email, fault: wrong });
    const { secondFactors, secondStep } = this.#deps;
    if (!(await secondFactors.isOn(result.userId)))
      return this.#finish(aim, provenBy(result, ['pwd']), context);
    const bound = this.#bound(aim, context);
    const step = secondStep.seal(result, { binding: bound.binding, query: fields.request });
    return secondStepPage({ ...bound, step });
  }

  async code(fields: Fields & { step: string; code: string }, context: SignInContext): Promise<Answer> {
    const aim = await this.#aim(fields.request, context);
    if ('answer' in aim) return aim.answer;
    const { forms, secondStep, secondFactors, delays, passwords } = this.#deps;
    const place = { binding: forms.bindingOf(context), query: fields.request };
    const stale = this.#faultIn(fields, context);
    const step = stale === undefined ? await secondStep.open(fields.step, place) : undefined;
    if (step === undefined) return this.#form(aim, context, { email: '', fault: stale ?? staleForm });
    const { userId } = step;
    const subject: Subject = { kind: 'code', name: userId };
    const waitMs = await delays.take([subject]);
    if (waitMs > 0) throw tooManyAttempts(waitMs);
    if (!(await secondFactors.take(userId, fields.code))) {
      await passwords.failed({ user: userId, requestId: context.requestId, factor: 'code' });
      const fault = 'This code is wrong or already used. Wait for the next one.';
      return secondStepPage({ ...this.#bound(aim, context), step: fields.step, fault });
    }
    await delays.clear([subject]);
    return this.#finish(aim, provenBy(step, ['pwd', 'otp']), context);
  }

  async #finish(target: Target, who: AuthenticatedUser, context: SignInContext): Promise<Answer> {
    const { signIn } = this.#deps;
    if (target.request) return signIn.complete(target.request, who, context);
    const { cookies } = await signIn.begin(who, context);
    return redirectTo(this.#pageOf(target), { 'set-cookie': cookies });
  }

  /** Validates the hidden request again: it may have been changed. */
  async #aim(query: string, { requestId }: SignInContext): Promise<Aim> {
    if (query === '') return {};
    if (ownPageOf(query) !== undefined) return { returnTo: query };
    const { authorizer, signIn } = this.#deps;
    try {
      const decided = await authorizer.authorize(query, undefined, requestId);
      return decided.kind === 'redirect' ? { answer: redirectTo(decided.location) } : decided;
    } catch (error) {
      if (error instanceof NoDestination) return { answer: signIn.fault(error.message) };
      throw error;
    }
  }

  #faultIn({ request, proof }: Fields, context: SignInContext): string | undefined {
    const { forms } = this.#deps;
    return forms.faultIn(context, forms.bindingOf(context), purposeOf(request), proof);
  }

  #bound(
    { request, returnTo }: Target,
    context: SignInContext,
  ): Pick<ShownForm, 'request' | 'returnTo' | 'proof' | 'headers'> & { binding: string } {
    const { binding, headers } = this.#deps.forms.bind(context);
    const proof = this.#deps.forms.proof(binding, purposeOf(request?.query ?? returnTo ?? ''));
    return { request, returnTo, proof, headers, binding };
  }

  #form(aim: Target, context: SignInContext, shown: { email: string; fault?: string }): Answer {
    const { binding: _, ...bound } = this.#bound(aim, context);
    return signInPage({ ...bound, ...shown });
  }
}

function provenBy(
  { userId, passwordHash }: { userId: string; passwordHash: string },
  methods: AuthenticationMethod[],
): AuthenticatedUser {
  return { userId, methods, requireValid: (tx) => lockPassword(tx, userId, passwordHash) };
}

function purposeOf(query: string): string {
  return `sign-in\n${query}`;
}
