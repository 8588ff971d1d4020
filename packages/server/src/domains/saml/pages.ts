import { Problem } from '../../problem.ts';
import { Answer } from '../../route.ts';
import { page, text } from '../setup/index.ts';

/** What went wrong, for the person who wanted to sign in. Nothing of what was sent is in it. */
export async function withRefusalPage(requestId: string, work: () => Promise<Answer>): Promise<Answer> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    const shown = page(
      error.status,
      'You are not signed in',
      `<p role="alert">${text(error.message)}</p>
<p>For support: ${text(error.code)}, ${text(requestId)}</p>`,
    );
    const retry = error.retryAfterS === undefined ? {} : { 'retry-after': String(error.retryAfterS) };
    return new Answer(shown.status, shown.body, { ...shown.headers, ...error.headers, ...retry });
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
  const policy = shown.headers['content-security-policy'] ?? '';
  const formAction = `form-action https: ${new URL(action).origin}`;
  return new Answer(shown.status, shown.body, {
    ...shown.headers,
    'content-security-policy': policy.replace(/form-action [^;]*/, formAction),
  });
}
