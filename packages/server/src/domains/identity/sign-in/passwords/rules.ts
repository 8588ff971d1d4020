import { Type } from 'typebox';

/** Min. length, without rules of composition (NIST SP 800-63B §5.1.1). */
export const passwordLengthMin = 10;
const passwordLengthMax = 256;

/** Field of a password form; the limit is generous so that a page can explain the real one. */
const password = (description: string) => Type.String({ maxLength: 4096, description });
export const passwordShape = password('Present password');
export const newPasswordShape = password(`New password, at least ${passwordLengthMin} characters`);
export const repeatedShape = password('New password again');

/** Describes the error of a new password, for its page. */
export function passwordMistake(password: string, repeated: string): string | undefined {
  if (password !== repeated) return 'The two passwords differ.';
  if ([...password].length < passwordLengthMin) return `Use at least ${passwordLengthMin} characters.`;
  return password.length > passwordLengthMax ? `Use at most ${passwordLengthMax} characters.` : undefined;
}
