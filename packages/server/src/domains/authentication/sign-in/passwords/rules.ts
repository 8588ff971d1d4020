import { Type } from 'typebox';
import { isCommon, isOfContext } from './guessed-first.ts';

/** Min. length, without rules of composition (NIST SP 800-63B §5.1.1). */
export const passwordLengthMin = 10;
const passwordLengthMax = 256;

/** Field of a password form; the limit is generous so that a page can explain the real one. */
const password = (description: string) => Type.String({ maxLength: 4096, description });
export const passwordShape = password('Present password');
export const newPasswordShape = password(`New password, at least ${passwordLengthMin} characters`);
export const repeatedShape = password('New password again');

/** Describes the error of a new password, for its page. `email` is that of its user. */
export function passwordFault(password: string, repeated: string, email: string): string | undefined {
  if (password !== repeated) return 'The two passwords differ.';
  if ([...password].length < passwordLengthMin) return `Use at least ${passwordLengthMin} characters.`;
  if (password.length > passwordLengthMax) return `Use at most ${passwordLengthMax} characters.`;
  if (isCommon(password)) return 'Many people use this password, so it is among the first that are guessed.';
  if (isOfContext(password, email))
    return 'Use more than your address and the name of this service: they are guessed first.';
  return undefined;
}
