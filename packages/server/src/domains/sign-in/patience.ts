import { Problem } from '../../problem.ts';
import type { Answer } from '../../route.ts';
import { page, problemPage, text } from '../setup/index.ts';

/** Refused because of too many wrong attempts, for a moment. */
export function tooManyAttempts(waitMs: number): Problem {
  const retryAfterS = Math.ceil(waitMs / 1000);
  return new Problem(
    429,
    'TOO_MANY_ATTEMPTS',
    `There were too many wrong attempts. Wait ${waitText(retryAfterS)}, then try again.`,
    { retryAfterS },
  );
}

function waitText(seconds: number): string {
  if (seconds < 90) return seconds === 1 ? '1 second' : `${seconds} seconds`;
  return `${Math.ceil(seconds / 60)} minutes`;
}

/** A wait ends by itself, so its page says how to go on. */
export function patienceOrProblem(problem: Problem): Answer {
  if (problem.status !== 429 && problem.status !== 503) return problemPage(problem);
  const content = `<p role="alert">${text(problem.message)}</p><p>Then go back to the page before this one.</p>`;
  return page(problem.status, 'A moment, please', content);
}
