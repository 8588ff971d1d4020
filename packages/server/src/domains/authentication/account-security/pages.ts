import { encode } from 'uqr';
import type { Answer } from '../../../api/route.ts';
import { alert, page, text, userNameField } from '../setup/index.ts';
import { formHeaders, logoutPath, ownPath } from '../sign-in/index.ts';
import { passwordLengthMin } from '../sign-in/passwords/index.ts';
import type { SessionView } from '../sign-in/sessions/index.ts';

export const paths = {
  overview: ownPath,
  password: `${ownPath}/password`,
  secondFactor: `${ownPath}/second-factor`,
  remove: `${ownPath}/second-factor/remove`,
  codes: `${ownPath}/recovery-codes`,
  sessions: `${ownPath}/sessions`,
};

/** White border, in modules (ISO/IEC 18004 §6.3.8). */
const qrBorder = 4;

/** Confirmations of completed actions. */
export const done: Record<string, string> = {
  password: 'Your password is changed. You are signed out everywhere else.',
  off: 'Codes are no longer required.',
  session: 'The other browser is signed out.',
};

interface Overview {
  email: string;
  proof: string;
  hasPassword: boolean;
  secondFactor: boolean;
  codesLeft: number;
  sessions: (SessionView & { current: boolean })[];
  message: string | undefined;
}

const options = { headers: formHeaders };

/** Page with the sign-in methods and sessions of a user. */
export function overviewPage(shown: Overview): Answer {
  const { email, message, sessions, proof } = shown;
  return page(
    200,
    'Your sign-in',
    `${message === undefined ? '' : `<p role="status">${text(message)}</p>`}
<p>You are signed in as <strong>${text(email)}</strong>. <a href="${logoutPath}">Sign out</a></p>
<section aria-labelledby="password-title"><h2 id="password-title">Password</h2>
${shown.hasPassword ? `<details><summary>Change it</summary>${passwordForm(email, proof)}</details>` : '<p>You have no password: you sign in elsewhere.</p>'}
</section>
<section aria-labelledby="second-title"><h2 id="second-title">Second step</h2>
${secondFactor(shown)}
</section>
<section aria-labelledby="sessions-title"><h2 id="sessions-title">Where you are signed in</h2>
<ul class="list">${sessions.map((session) => sessionItem(session, proof)).join('\n')}</ul>
</section>`,
    { ...options, wide: true },
  );
}

/** Form alone, with its error. */
export function passwordPage(email: string, proof: string, fault: string): Answer {
  return page(
    400,
    'Change your password',
    `${alert(fault)}${passwordForm(email, proof, fault)}${back()}`,
    options,
  );
}

/** Page with a secret for an authenticator; a first code from it enables the second step. */
export function enrolmentPage(shown: {
  proof: string;
  uri: string;
  secret: string;
  sealed: string;
  fault?: string;
}): Answer {
  const { proof, uri, secret, sealed, fault } = shown;
  return page(
    fault === undefined ? 200 : 400,
    'Turn on the second step',
    `${alert(fault)}
<p>Scan this with an authenticator on your phone. Signing in then requires its code as well.</p>
${qrCode(uri, 'QR code for your authenticator; the key is below as text')}
<details><summary>Enter the key by hand</summary>
<p>Enter this key: <code>${(secret.match(/.{1,4}/g) ?? []).join(' ')}</code></p>
<p class="soft">Or open this address on the device: <a href="${text(uri)}"><code>${text(uri)}</code></a></p></details>
<form method="post" action="${paths.secondFactor}">
${hidden(proof)}
<input type="hidden" name="secret" value="${text(sealed)}">
<label for="code">Code from your authenticator</label>
<input id="code" name="code" class="code" inputmode="numeric" autocomplete="one-time-code" maxlength="10" required${tied(fault)}>
${currentField(fault)}
<button>Turn on</button>
</form>${back()}`,
    options,
  );
}

/** Page that shows the recovery codes, once. */
export function codesPage(codes: string[]): Answer {
  return page(
    200,
    'Your recovery codes',
    `<p>Keep them where you can reach them without your phone: printed, or in a password manager. Each signs you in once, in place of a
code. <strong>They are not shown again</strong>, not even
when this page is loaded anew.</p>
<ul class="codes">${codes.map((code) => `<li><code>${code}</code></li>`).join('')}</ul>
<a class="button" href="${paths.overview}">I have kept them</a>`,
    options,
  );
}

/** Page that asks for the password again, with its error. */
export function currentPasswordPage(
  title: string,
  action: string,
  button: string,
  proof: string,
  fault?: string,
): Answer {
  return page(
    fault === undefined ? 200 : 400,
    title,
    `${alert(fault)}${currentForm(action, button, proof, fault)}${back()}`,
    options,
  );
}

function secondFactor({ secondFactor, codesLeft, hasPassword, proof }: Overview): string {
  if (!secondFactor) {
    const offer = hasPassword ? `<a class="button plain" href="${paths.secondFactor}">Turn it on</a>` : '';
    return `<p>After your password, a code from an authenticator on your phone: a stolen password alone is then useless.</p>${offer}`;
  }
  const codes = codesLeft === 1 ? '1 recovery code is' : `${codesLeft} recovery codes are`;
  return `<p>It is on. ${codes} left.</p>
<details><summary>New recovery codes</summary>${currentForm(paths.codes, 'Make new codes', proof)}</details>
<details><summary>Turn it off</summary>${currentForm(paths.remove, 'Turn off', proof)}</details>`;
}

function passwordForm(email: string, proof: string, fault?: string): string {
  return `<form method="post" action="${paths.password}">
${hidden(proof)}
${userNameField(email)}
${currentField(fault)}
<label for="password">New password</label>
<input id="password" name="password" type="password" autocomplete="new-password" minlength="${passwordLengthMin}" required${tied(fault)}>
<label for="repeated">Repeat the password</label>
<input id="repeated" name="repeated" type="password" autocomplete="new-password" required${tied(fault)}>
<p class="soft">At least ${passwordLengthMin} characters. You will be signed out everywhere else; API keys keep working.</p>
<button>Change password</button>
</form>`;
}

function currentForm(action: string, button: string, proof: string, fault?: string): string {
  const id = action.split('/').at(-1);
  return `<form method="post" action="${action}">
${hidden(proof)}
${currentField(fault, `current-${id}`)}
<button>${button}</button>
</form>`;
}

function currentField(fault: string | undefined, id = 'current'): string {
  return `<label for="${id}">Your current password</label>
<input id="${id}" name="current" type="password" autocomplete="current-password" maxlength="4096" required${tied(fault)}>`;
}

function sessionItem(session: Overview['sessions'][number], proof: string): string {
  const what = text(browserOf(session.userAgent));
  const since = session.lastSeen.slice(0, 16).replace('T', ' ');
  const where = `<span><strong>${what}</strong>${session.current ? ' (this browser)' : ''}<br><span class="soft">${text(session.address)} · last seen <time datetime="${session.lastSeen}">${since} UTC</time></span></span>`;
  if (session.current) return `<li>${where}</li>`;
  return `<li>${where}<form method="post" action="${paths.sessions}">${hidden(proof)}
<input type="hidden" name="id" value="${text(session.id)}"><button class="plain small" aria-label="Sign out of ${what}, last seen ${since}">Sign out</button></form></li>`;
}

/** Names a browser: `Firefox on Linux`; the start of an unknown user agent. */
export function browserOf(userAgent: string): string {
  const browsers = ['Edg', 'OPR', 'Firefox', 'Chrome', 'Safari'];
  const names: Record<string, string> = { Edg: 'Edge', OPR: 'Opera' };
  const systems = ['Android', 'iPhone', 'iPad', 'Windows', 'Mac OS X', 'Linux'];
  const browser = browsers.find((one) => userAgent.includes(`${one}/`));
  if (browser === undefined) return userAgent.slice(0, 40) || 'Unknown browser';
  const system = systems.find((one) => userAgent.includes(one));
  return `${names[browser] ?? browser}${system === undefined ? '' : ` on ${system}`}`;
}

function hidden(proof: string): string {
  return `<input type="hidden" name="proof" value="${text(proof)}">`;
}

function tied(fault: string | undefined): string {
  return fault === undefined ? '' : ' aria-invalid="true" aria-describedby="fault"';
}

function back(): string {
  return `<p class="soft"><a href="${paths.overview}">Back</a></p>`;
}

/** Renders a QR code: an SVG of one path, without script or style, as wide as its container. `label` is for screen readers. */
function qrCode(content: string, label: string): string {
  const { data, size } = encode(content, { ecc: 'M', border: qrBorder });
  const squares = data.flatMap((row, y) => row.flatMap((dark, x) => (dark ? [`M${x} ${y}h1v1h-1z`] : [])));
  return `<svg class="qr" role="img" aria-label="${label}" viewBox="0 0 ${size} ${size}" shape-rendering="crispEdges"><path fill="#fff" d="M0 0h${size}v${size}H0z"/><path fill="#000" d="${squares.join('')}"/></svg>`;
}
