import type { Answer } from '../../route.ts';
import { type Client, isBuiltIn } from '../clients/index.ts';
import type { AuthorizationRequest } from '../oauth/index.ts';
import { alert, page, signInPath, text } from '../setup/index.ts';

export const secondStepPath = '/v1/oauth/second-step';
export const lettingInPath = '/v1/oauth/command-line';
export const forgottenPath = '/v1/oauth/forgotten-password';

/** What a form of the sign-in view is shown with. */
export interface ShownForm {
  /** What somebody signs in for; absent: for our own pages. */
  request: AuthorizationRequest | undefined;
  proof: string;
  /** Those that bind the form to the browser. */
  headers: Record<string, string>;
  mistake?: string;
  status?: number;
}

/** Where somebody says who he is, by password or by the identity provider of the application's account. */
export function signInPage({ email, ...form }: ShownForm & { email: string }): Answer {
  const { request, mistake } = form;
  const providers = request?.client.identityProviders ?? ['PASSWORD'];
  const withPassword = providers.includes('PASSWORD');
  const parts = [
    introduction(request),
    alert(mistake),
    withPassword ? passwordForm(form, email) : '',
    withPassword && providers.includes('SAML') ? '<p class="or">or</p>' : '',
    providers.includes('SAML') && request ? samlLink(request, withPassword) : '',
  ];
  return formPage(form, 'Sign in', parts);
}

/** Where the code of an authenticator is asked for, once the password was right. */
export function secondStepPage({ step, ...form }: ShownForm & { step: string }): Answer {
  const { mistake } = form;
  return formPage(form, 'One more step', [
    introduction(form.request),
    alert(mistake),
    `<form method="post" action="${secondStepPath}">
${hidden(form)}
<input type="hidden" name="step" value="${text(step)}">
<label for="code">Code from your authenticator</label>
<input id="code" name="code" class="code" inputmode="numeric" autocomplete="one-time-code" maxlength="40" required autofocus${
      mistake === undefined ? '' : ' aria-invalid="true"'
    } aria-describedby="${mistake === undefined ? '' : 'mistake '}hint">
<p id="hint" class="soft">Six digits. Without your device, use one of your recovery codes; each works once.</p>
<button>Continue</button>
</form>`,
  ]);
}

/** Where the command line is let in by somebody who is signed in. */
export function lettingInPage(form: ShownForm & { request: AuthorizationRequest }): Answer {
  return formPage(form, 'Let the command line in?', [
    alert(form.mistake),
    '<p>The <strong>Ploidy command line</strong> on this computer wants to act for you: to read and change all that you may.</p>',
    '<p>Go on only if you have just typed <code>ploidy login</code> here. If not, close this page: nothing happens then.</p>',
    `<form method="post" action="${lettingInPath}">
${hidden(form)}
<button>Let it in</button>
</form>`,
  ]);
}

/** Where a link to set a new password is asked for. */
export function forgottenPage(form: ShownForm & { email: string }): Answer {
  return formPage(form, 'Forgotten your password?', [
    '<p>We send a link with which you can choose a new one.</p>',
    alert(form.mistake),
    `<form method="post" action="${forgottenPath}">
${hidden(form)}
${emailField(form.email, true, form.mistake)}
<button>Send the link</button>
</form>`,
  ]);
}

/** The same whether or not somebody has the address. */
export function mailSentPage(email: string): Answer {
  return page(
    200,
    'Look into your mail',
    `<p role="status">If ${text(email)} belongs to a user, a link is under way. It works once, for an hour.</p>
<p class="soft">Nothing there after some minutes? Look into the folder for unwanted mail, and mind that the address is the one that you sign in with.</p>`,
  );
}

function introduction(request: AuthorizationRequest | undefined): string {
  if (!request) return '';
  const asks = isBuiltIn(request.client)
    ? ' It will act for you on this computer: go on only if you have just typed <code>ploidy login</code> here.'
    : '';
  return `<p>To continue to <strong>${text(request.client.name)}</strong>.${asks}</p>`;
}

function passwordForm(form: ShownForm, email: string): string {
  const invalid = form.mistake === undefined ? '' : ' aria-invalid="true" aria-describedby="mistake"';
  const focus = email === '' ? '' : ' autofocus';
  return `<form method="post" action="${signInPath}">
${hidden(form)}
${emailField(email, email === '', form.mistake)}
<label for="password">Password</label>
<input id="password" name="password" type="password" autocomplete="current-password" maxlength="4096" required${focus}${invalid}>
<button>Sign in</button>
</form>
<p class="soft"><a href="${forgottenPath}">Forgotten your password?</a></p>`;
}

function emailField(email: string, focus: boolean, mistake: string | undefined): string {
  const invalid = mistake === undefined ? '' : ' aria-invalid="true" aria-describedby="mistake"';
  return `<label for="email">E-mail address</label>
<input id="email" name="email" type="email" autocomplete="username" inputmode="email" maxlength="320" value="${text(email)}" required${focus ? ' autofocus' : ''}${invalid}>`;
}

function samlLink({ query }: AuthorizationRequest, beside: boolean): string {
  const href = `/v1/saml/sign-in?request=${encodeURIComponent(query)}`;
  return `<a class="button${beside ? ' plain' : ''}" href="${text(href)}">Sign in with your organisation</a>`;
}

function hidden({ request, proof }: ShownForm): string {
  return `<input type="hidden" name="request" value="${text(request?.query ?? '')}">
<input type="hidden" name="proof" value="${text(proof)}">`;
}

function formPage(form: ShownForm, title: string, parts: string[]): Answer {
  const { request, headers, mistake, status = mistake === undefined ? 200 : 400 } = form;
  const formTargets = request ? formTargetsOf(request.client, request.redirectUri) : [];
  return page(status, title, parts.filter(Boolean).join('\n'), { formTargets, headers });
}

/**
 * The sources for `form-action` that let an answer to a form lead back to the application. Browsers hold every redirect that follows
 * a form to it, the application's own included, so an application that sends people on to another origin registers an address there.
 */
export function formTargetsOf({ callbackUrls, logoutUrls }: Client, address: string): string[] {
  return [...new Set([address, ...callbackUrls, ...logoutUrls].map(formTargetOf))];
}

/**
 * Private-use schemes have no origin, and sources know no IPv6 (CSP Level 3 §2.3.1): for these the scheme. So too for a host with a
 * semicolon, which URLs allow and which would begin a directive of its own.
 */
function formTargetOf(redirectUri: string): string {
  const { protocol, origin, hostname } = new URL(redirectUri);
  return /^https?:$/.test(protocol) && /^[\w.-]+$/.test(hostname) ? origin : protocol;
}
