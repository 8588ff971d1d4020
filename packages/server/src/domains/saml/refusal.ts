import { Problem } from '../../problem.ts';

/** How far clocks may be apart. */
export const skewMs = 30_000;

/** What an identity provider sent does not do. The message is shown; nothing of what was sent may be in it. */
export function refused(code: string, message: string, cause?: unknown): Problem {
  return new Problem(403, code, message, cause === undefined ? {} : { cause });
}

/** Something that its sender, or whoever set him up, has to mend. */
export function malformed(message: string, cause?: unknown): Problem {
  const sentence = `The identity provider’s answer cannot be read: ${message}.`;
  return new Problem(400, 'SAML_MALFORMED', sentence, cause === undefined ? {} : { cause });
}

/** An answer to nothing that waits for one. */
export function unsolicited(): Problem {
  return refused(
    'SAML_UNSOLICITED',
    'This sign-in was not begun here, has been answered already, or has taken longer than 10 minutes. Go back to the application and sign in again.',
  );
}
