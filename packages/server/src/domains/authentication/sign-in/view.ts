import type { Answer } from '../../../api/route.ts';
import { type Client, isBuiltIn } from '../clients/index.ts';
import type { AuthorizationRequest, Choice } from '../oauth/index.ts';
import { alert, page, signInPath, text } from '../setup/index.ts';

export const secondStepPath = '/v1/oauth/second-step';
export const consentPath = '/v1/oauth/command-line';
export const patientPath = '/v1/oauth/patient';
export const forgottenPath = '/v1/oauth/forgotten-password';

/** Content of a form of the sign-in view. */
export interface ShownForm {
  /** Authorization request; absent for pages of this service. */
  request: AuthorizationRequest | undefined;
  /** Page of this service to return to; absent: the home page. */
  returnTo?: string | undefined;
  proof: string;
  /** Headers that bind the form to the browser. */
  headers: Record<string, string>;
  fault?: string;
  status?: number;
}

/** Page that asks for a password, or offers the identity provider of the application. */
export function signInPage({ email, ...form }: ShownForm & { email: string }): Answer {
  const { request, fault } = form;
  const providers = request?.client.identityProviders ?? ['PASSWORD'];
  const withPassword = providers.includes('PASSWORD');
  const parts = [
    introduction(request),
    alert(fault),
    withPassword ? passwordForm(form, email) : '',
    withPassword && providers.includes('SAML') ? '<p class="or">or</p>' : '',
    providers.includes('SAML') && request ? samlLink(request, withPassword) : '',
  ];
  return formPage(form, 'Sign in', parts);
}

/** Page that asks for the code of an authenticator after the password. */
export function secondStepPage({ step, ...form }: ShownForm & { step: string }): Answer {
  const { fault } = form;
  return formPage(form, 'One more step', [
    introduction(form.request),
    alert(fault),
    `<form method="post" action="${secondStepPath}">
${hidden(form)}
<input type="hidden" name="step" value="${text(step)}">
<label for="code">Code from your authenticator</label>
<input id="code" name="code" class="code" inputmode="numeric" autocomplete="one-time-code" maxlength="40" required autofocus${
      fault === undefined ? '' : ' aria-invalid="true"'
    } aria-describedby="${fault === undefined ? '' : 'fault '}hint">
<p id="hint" class="soft">Six digits. Without your device, use one of your recovery codes; each works once.</p>
<button>Continue</button>
</form>`,
  ]);
}

/** Page on which a signed-in user consents to the program of an assistant, which named itself. */
function assistantPage(form: ShownForm & { request: AuthorizationRequest }): Answer {
  const { client, target, redirectUri } = form.request;
  const { protocol, host } = new URL(redirectUri);
  const place = /^https?:$/.test(protocol) ? host : protocol;
  return formPage(form, 'Let an assistant read as you?', [
    alert(form.fault),
    `<p>A program that calls itself <strong>${text(client.name)}</strong> asks to use the account <strong>${text(target.account)}</strong> as you: to read what you may read there, and to make cohorts where the account allows it.</p>`,
    `<p>It returns to <strong>${text(place)}</strong>. What it reads leaves this service, to the operator of the assistant.</p>`,
    '<p>Continue only if you have just connected it yourself. Otherwise close this page.</p>',
    consentForm(form),
  ]);
}

function consentForm(form: ShownForm): string {
  return `<form method="post" action="${consentPath}">
${hidden(form)}
<button>Allow</button>
</form>`;
}

/** Page on which a signed-in user consents to the command line, or to an assistant. */
export function consentPage(form: ShownForm & { request: AuthorizationRequest }): Answer {
  if (form.request.client.registered) return assistantPage(form);
  return formPage(form, 'Allow the command line?', [
    alert(form.fault),
    '<p>The <strong>Ploidy command line</strong> on this computer asks to act for you: to read and change everything that you may.</p>',
    '<p>Continue only if you have just run <code>ploidy login</code> here. Otherwise close this page.</p>',
    consentForm(form),
  ]);
}

/** Page on which a signed-in user chooses the patient whose record an app reads. */
export function patientPage({ patients, ...form }: ShownForm & Pick<Choice, 'request' | 'patients'>): Answer {
  const invalid = form.fault === undefined ? '' : ' aria-invalid="true"';
  const described = form.fault === undefined ? 'hint' : 'fault hint';
  const options = patients.map(({ id, label }) => `<option value="${text(id)}">${text(label)}</option>`);
  return formPage(form, 'Whose record?', [
    `<p><strong>${text(form.request.client.name)}</strong> asks to read the record of one patient.</p>`,
    alert(form.fault),
    `<form method="post" action="${patientPath}">
${hidden(form)}
<label for="patient">Patient</label>
<input id="patient" name="patient" list="patients" maxlength="255" autocomplete="off" required autofocus${invalid} aria-describedby="${described}">
<datalist id="patients">
${options.join('\n')}
</datalist>
<p id="hint" class="soft">Choose from the list, or type the id of a patient.</p>
<button>Continue</button>
</form>`,
  ]);
}

/** Page to request a link for a new password. */
export function passwordResetPage(form: ShownForm & { email: string }): Answer {
  return formPage(form, 'Forgotten your password?', [
    '<p>We send you a link to choose a new one.</p>',
    alert(form.fault),
    `<form method="post" action="${forgottenPath}">
${hidden(form)}
${emailField(form.email, true, form.fault)}
<button>Send the link</button>
</form>`,
  ]);
}

/** Confirmation page, equal for known and unknown addresses. */
export function mailSentPage(email: string): Answer {
  return page(
    200,
    'Check your mail',
    `<p role="status">If ${text(email)} belongs to a user, a link is on its way. It works once, for an hour.</p>
<p class="soft">No mail after some minutes? Check your spam folder, and that this is the address you sign in with.</p>`,
  );
}

function introduction(request: AuthorizationRequest | undefined): string {
  if (!request) return '';
  const asks = isBuiltIn(request.client)
    ? ' It will act for you on this computer: go on only if you have just typed <code>ploidy login</code> here.'
    : request.client.registered
      ? ' A program gave itself this name. You are asked before it may read anything.'
      : '';
  return `<p>To continue to <strong>${text(request.client.name)}</strong>.${asks}</p>`;
}

function passwordForm(form: ShownForm, email: string): string {
  const invalid = form.fault === undefined ? '' : ' aria-invalid="true" aria-describedby="fault"';
  const focus = email === '' ? '' : ' autofocus';
  return `<form method="post" action="${signInPath}">
${hidden(form)}
${emailField(email, email === '', form.fault)}
<label for="password">Password</label>
<input id="password" name="password" type="password" autocomplete="current-password" maxlength="4096" required${focus}${invalid}>
<button>Sign in</button>
</form>
<p class="soft"><a href="${forgottenPath}">Forgotten your password?</a></p>`;
}

function emailField(email: string, focus: boolean, fault: string | undefined): string {
  const invalid = fault === undefined ? '' : ' aria-invalid="true" aria-describedby="fault"';
  return `<label for="email">E-mail address</label>
<input id="email" name="email" type="email" autocomplete="username" inputmode="email" maxlength="320" value="${text(email)}" required${focus ? ' autofocus' : ''}${invalid}>`;
}

function samlLink({ query }: AuthorizationRequest, beside: boolean): string {
  const href = `/v1/saml/sign-in?request=${encodeURIComponent(query)}`;
  return `<a class="button${beside ? ' plain' : ''}" href="${text(href)}">Sign in with your organisation</a>`;
}

function hidden({ request, returnTo = '', proof }: ShownForm): string {
  return `<input type="hidden" name="request" value="${text(request?.query ?? returnTo)}">
<input type="hidden" name="proof" value="${text(proof)}">`;
}

function formPage(form: ShownForm, title: string, parts: string[]): Answer {
  const { request, headers, fault, status = fault === undefined ? 200 : 400 } = form;
  const formTargets = request ? formTargetsOf(request.client, request.redirectUri) : [];
  return page(status, title, parts.filter(Boolean).join('\n'), { formTargets, headers });
}

/**
 * Returns the sources for `form-action` that permit redirects to the application. Browsers check every
 * redirect after a form, the application's own included: one that redirects to another origin registers an
 * address there.
 */
export function formTargetsOf({ callbackUrls, logoutUrls }: Client, address: string): string[] {
  return [...new Set([address, ...callbackUrls, ...logoutUrls].map(formTargetOf))];
}

/**
 * Returns the source of an address: its scheme where there is no origin or for IPv6 (CSP Level 3 §2.3.1). A
 * host with a semicolon, which URLs allow, would begin another directive: it gets the scheme too.
 */
function formTargetOf(redirectUri: string): string {
  const { protocol, origin, hostname } = new URL(redirectUri);
  return /^https?:$/.test(protocol) && /^[\w.-]+$/.test(hostname) ? origin : protocol;
}
