import type { Answer } from '../../../../api/route.ts';
import { Problem } from '../../../../base/problem.ts';
import { page, problemPage, text } from '../../setup/index.ts';

/** Refuses an attempt while a delay lasts. */
export function tooManyAttempts(waitMs: number): Problem {
  const retryAfterS = Math.ceil(waitMs / 1000);
  return new Problem(
    429,
    'TOO_MANY_ATTEMPTS',
    `Too many wrong attempts. Wait ${waitText(retryAfterS)}, then try again.`,
    { retryAfterS },
  );
}

function waitText(seconds: number): string {
  if (seconds < 90) return seconds === 1 ? '1 second' : `${seconds} seconds`;
  return `${Math.ceil(seconds / 60)} minutes`;
}

/** Renders the page of a problem; one that ends by itself explains how to continue. */
export function waitOrProblemPage(problem: Problem): Answer {
  if (problem.status !== 429 && problem.status !== 503) return problemPage(problem);
  const content = `<p role="alert">${text(problem.message)}</p><p>Then go back to the previous page.</p>`;
  return page(problem.status, 'Please wait a moment', content);
}
