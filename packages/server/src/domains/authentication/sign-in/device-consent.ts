import { Type } from 'typebox';
import { type Answer, type Route, route } from '../../../api/route.ts';
import { networkOf } from '../../../base/network.ts';
import type { Records } from '../../../platform/records/records.ts';
import type { DeviceRequestsTable } from '../../../platform/records/schema-sign-in.ts';
import { commandLine } from '../clients/index.ts';
import { type DeviceRequests, devicePath, type Grants, type SignInContext } from '../oauth/index.ts';
import { alert, page, pageAnswers, signInPath, text } from '../setup/index.ts';
import type { Delays } from './attempts/backoff.ts';
import { tooManyAttempts, waitOrProblemPage } from './attempts/too-many-attempts.ts';
import { type Forms, proofShape, staleForm } from './forms.ts';
import type { Session } from './sessions/index.ts';
import type { SignIn } from './sign-in.ts';
import { returnToDevice } from './sign-in-forms.ts';

interface DeviceConsentDeps {
  records: Records;
  signIn: SignIn;
  forms: Forms;
  delays: Delays;
  devices: DeviceRequests;
  grants: Grants;
}

type Decision = 'look' | 'allow' | 'deny';
type Asked = Pick<DeviceRequestsTable, 'asked_from' | 'created_at'>;

const unknownCode = 'No open request has this code. Check the letters, or run the command again.';

/** Consent of a signed-in user to a device without a browser (RFC 8628 §3.3). */
export class DeviceConsent {
  readonly #deps: DeviceConsentDeps;

  constructor(deps: DeviceConsentDeps) {
    this.#deps = deps;
  }

  /**
   * Shows the request that the code in a link would approve. Such a link can have any sender (RFC 8628 §5.4). So a request from
   * another network than the browser's is shown only after its code was typed.
   */
  async show(userCode: string, context: SignInContext): Promise<Answer> {
    const session = await this.#session(context);
    if (!session) return signInFirst(userCode);
    if (userCode === '') return this.#codePage(session, context);
    const found = await this.#find(userCode, session);
    if (!found) return this.#codePage(session, context, unknownCode);
    const isNear = networkOf(found.asked_from) === networkOf(context.address);
    if (!isNear) return this.#codePage(session, context, undefined, fromElsewhere(found));
    return this.#consentPage(userCode, found, session, context);
  }

  /** Shows what a typed code would approve, or decides a request that was shown. */
  async decide(
    { user_code, proof, decision }: { user_code: string; proof: string; decision: Decision },
    context: SignInContext,
  ): Promise<Answer> {
    const { records, forms, devices, grants } = this.#deps;
    const session = await this.#session(context);
    if (!session) return signInFirst(user_code);
    const purpose = decision === 'look' ? typingPurpose(session) : purposeOf(user_code, session);
    const fault = forms.faultIn(context, forms.bindingOf(context), purpose, proof);
    if (fault !== undefined) return this.#codePage(session, context, fault);
    const found = await this.#find(user_code, session);
    if (decision === 'look' && found) return this.#consentPage(user_code, found, session, context);
    if (!found) return this.#codePage(session, context, decision === 'look' ? unknownCode : staleForm);
    const decided = await records.transact(async (tx) => {
      if (decision === 'deny') return devices.decide(tx, found, { denied_at: Date.now() });
      const request = { client: commandLine, flow: 'code', scope: 'openid' } as const;
      const { grant } = await grants.add(tx, request, session);
      return devices.decide(tx, found, { grant_id: grant.id });
    });
    if (!decided) return this.#codePage(session, context, unknownCode);
    const title = decision === 'allow' ? 'The device is signed in' : 'Denied';
    return page(200, title, '<p role="status">You can close this page.</p>');
  }

  /** Finds an open request; wrong codes delay their user. */
  async #find(userCode: string, { userId }: Session) {
    const { delays, devices } = this.#deps;
    const subject = [{ kind: 'code' as const, name: `device:${userId}` }];
    const waitMs = await delays.take(subject);
    if (waitMs > 0) throw tooManyAttempts(waitMs);
    const found = await devices.find(userCode);
    if (found) await delays.clear(subject);
    return found;
  }

  /** Returns a session that reaches all accounts of its user; as the command line, it needs the password. */
  async #session(context: SignInContext): Promise<Session | undefined> {
    const session = await this.#deps.signIn.current(context);
    return session?.onlyAccount === undefined && !session?.methods.includes('saml') ? session : undefined;
  }

  #consentPage(userCode: string, found: Asked, session: Session, context: SignInContext): Answer {
    const { binding, headers } = this.#deps.forms.bind(context);
    const proof = this.#deps.forms.proof(binding, purposeOf(userCode, session));
    return page(
      200,
      'Allow this device?',
      `<p>A program, such as the <strong>Ploidy command line</strong> or a BI tool, ${placeOf(found)}, would act for you: read and change everything that you may.</p>
<p>Continue only if you have just started this yourself: <code>ploidy login --device</code> shows the code <strong>${text(userCode)}</strong>; a BI tool has opened this page.</p>
<form method="post" action="${devicePath}">
<input type="hidden" name="user_code" value="${text(userCode)}">
<input type="hidden" name="proof" value="${text(proof)}">
<button name="decision" value="allow">Allow</button>
<button name="decision" value="deny" class="plain">Deny</button>
</form>`,
      { headers },
    );
  }

  #codePage(session: Session, context: SignInContext, fault?: string, note = ''): Answer {
    const { binding, headers } = this.#deps.forms.bind(context);
    const proof = this.#deps.forms.proof(binding, typingPurpose(session));
    return page(
      fault === undefined ? 200 : 400,
      'Sign in a device',
      `${alert(fault)}${note}<form method="post" action="${devicePath}">
<input type="hidden" name="proof" value="${text(proof)}">
<label for="user_code">Code that the device shows</label>
<input id="user_code" name="user_code" class="code" autocomplete="off" maxlength="20" required autofocus>
<button name="decision" value="look">Continue</button>
</form>`,
      { headers },
    );
  }
}

/** Explains why a code in a link has to be typed. */
const fromElsewhere = (found: Asked): string =>
  `<p>This link is of a program ${placeOf(found)}: another network than that of your browser. Anybody can send such a link. If you have started the program yourself, type its code. For a BI tool, which shows none, use this browser in the network of the tool, or an API key.</p>
`;

function placeOf({ asked_from, created_at }: Asked): string {
  const minutes = Math.max(1, Math.round((Date.now() - created_at) / 60_000));
  const at = new Date(created_at).toISOString().slice(0, 16).replace('T', ' ');
  return `at the address <strong>${text(asked_from)}</strong>, which asked ${minutes} min ago (${at} UTC)`;
}

function signInFirst(userCode: string): Answer {
  return page(
    200,
    'Sign in first',
    `<p>Sign in with your password. This page follows, with the code.</p>
<a class="button" href="${signInPath}?${returnToDevice(userCode)}">Sign in</a>`,
  );
}

/** Purpose of the form in which a code is typed. */
const typingPurpose = ({ id }: Session): string => `device code\n${id}`;

function purposeOf(userCode: string, { id }: Session): string {
  return `device\n${id}\n${userCode}`;
}

/** Routes of the page that approves a device. */
export function deviceConsentRoutes(consent: DeviceConsent): Route[] {
  const userCode = Type.String({ maxLength: 20, description: 'Code that the device shows' });
  const common = {
    path: devicePath,
    operation: 'signIn.form',
    tag: 'Sign-in',
    problemPage: waitOrProblemPage,
    answers: pageAnswers,
  } as const;
  return [
    route({
      ...common,
      method: 'GET',
      summary: 'Show the page to approve a device without a browser',
      query: Type.Object({ user_code: Type.Optional(userCode) }),
      handle: (context) => consent.show(context.query.user_code ?? '', context),
    }),
    route({
      ...common,
      method: 'POST',
      summary: 'Approve or deny a device',
      formBody: true,
      body: Type.Object({
        user_code: userCode,
        proof: proofShape,
        decision: Type.Union([Type.Literal('look'), Type.Literal('allow'), Type.Literal('deny')], {
          description: 'Decision of the user; `look`: shows what the typed code would allow',
        }),
      }),
      handle: (context) => consent.decide(context.body, context),
    }),
  ];
}
