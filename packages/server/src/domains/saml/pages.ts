import { Problem } from '../../problem.ts';
import { Answer } from '../../route.ts';
import { page, text } from '../setup/index.ts';
import { malformed } from './refusal.ts';

/** What went wrong, for the person who wanted to sign in. Nothing of what was sent is in it. */
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

/** The same for the form of a provider: what does not even have its shape is told as an answer that cannot be read. */
export function answerRefusalPage(problem: Problem, requestId: string): Answer {
  const unreadable = problem.code === 'INVALID_INPUT';
  return refusalPage(unreadable ? malformed('its form has other fields than it should') : problem, requestId);
}

/** A refusal by a sign-in is no failure of ours, whatever its status: it becomes a page here and is not logged as one. */
export async function withRefusalPage(requestId: string, work: () => Promise<Answer>): Promise<Answer> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return refusalPage(error, requestId);
  }
}

/** The form that carries a request to a provider that takes no redirect. Without scripts it needs a press of its button. */
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
  // Browsers hold the redirects that follow a form to this rule too, and providers send people on to other hosts of theirs.
  const policy = String(shown.headers['content-security-policy']);
  const formAction = `form-action https: ${new URL(action).origin}`;
  return new Answer(shown.status, shown.body, {
    ...shown.headers,
    'content-security-policy': policy.replace(/form-action [^;]*/, formAction),
  });
}
