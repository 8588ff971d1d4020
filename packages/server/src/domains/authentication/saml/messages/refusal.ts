import type { ErrorCode } from '../../../../base/error-codes/index.ts';
import { Problem } from '../../../../base/problem.ts';

/** Tolerance for differing clocks. */
export const skewMs = 30_000;

/** Returns the refusal of a provider's message. The message is shown, so it must not contain input. */
export function refused(code: ErrorCode, message: string, cause?: unknown): Problem {
  return new Problem(403, code, message, cause === undefined ? {} : { cause });
}

/** Returns the refusal of a message that its sender must correct. */
export function malformed(message: string, cause?: unknown): Problem {
  const sentence = `The identity provider’s response cannot be read: ${message}.`;
  return new Problem(400, 'SAML_MALFORMED', sentence, cause === undefined ? {} : { cause });
}

/** Returns the refusal of a response to no pending request. */
export function unsolicited(): Problem {
  return refused(
    'SAML_UNSOLICITED',
    'This sign-in was not started here, was already answered, or took longer than 10 minutes. Go back to the application and sign in again.',
  );
}
