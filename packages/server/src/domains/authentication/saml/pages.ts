import { Answer } from '../../../api/route.ts';
import { Problem } from '../../../base/problem.ts';
import { page, text } from '../setup/index.ts';
import { malformed } from './messages/refusal.ts';

/** Page for a user whose sign-in failed. It contains no input. */
export function refusalPage(problem: Problem, requestId: string): Answer {
  const { status, code, message, retryAfterS } = problem;
  const shown = page(
    status,
    'You are not signed in',
    `<p role="alert">${text(message)}</p>
<p>For support: ${text(code)}, ${text(requestId)}</p>`,
  );
  const retry = retryAfterS === undefined ? {} : { 'retry-after': String(retryAfterS) };
  return new Answer(shown.status, shown.body, { ...shown.headers, ...problem.headers, ...retry });
}

/** Returns the page for a provider's form; a malformed form is shown as an unreadable response. */
export function answerRefusalPage(problem: Problem, requestId: string): Answer {
  const unreadable = problem.code === 'INVALID_INPUT';
  return refusalPage(unreadable ? malformed('its form has other fields than it should') : problem, requestId);
}

/**
 * Answers a refused sign-in with a page. It is no failure of the service, whatever its status, and not logged
 * as one.
 */
export async function withRefusalPage(requestId: string, work: () => Promise<Answer>): Promise<Answer> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return refusalPage(error, requestId);
  }
}

/**
 * Page with the form that carries a request to a provider without redirect binding. Without scripts its
 * button must be pressed.
 */
export function carryingPage(action: string, fields: Record<string, string>): Answer {
  const inputs = Object.entries(fields).map(
    ([name, value]) => `<input type="hidden" name="${text(name)}" value="${text(value)}">`,
  );
  const shown = page(
    200,
    'Sign in elsewhere',
    `<p>You sign in with your organization, at ${text(new URL(action).host)}.</p>
<form method="post" action="${text(action)}">
${inputs.join('\n')}
<button>Continue</button>
</form>`,
  );
  // Browsers apply this rule to redirects after a form, and providers redirect among their hosts.
  const policy = String(shown.headers['content-security-policy']);
  const formAction = `form-action https: ${new URL(action).origin}`;
  return new Answer(shown.status, shown.body, {
    ...shown.headers,
    'content-security-policy': policy.replace(/form-action [^;]*/, formAction),
  });
}
