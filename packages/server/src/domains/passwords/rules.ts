import { Type } from '../../schema.ts';

/** NIST SP 800-63B §5.1.1: length is what counts; no rules of composition. */
export const passwordLengthMin = 10;
const passwordLengthMax = 256;

/** A field of a password form; what is too long gets a page that says so. */
export const passwordShape = Type.String({ maxLength: 4096 });

/** What is wrong with a new password, in words for its page. */
export function passwordMistake(password: string, repeated: string): string | undefined {
  if (password !== repeated) return 'The two passwords differ.';
  if ([...password].length < passwordLengthMin) return `Use at least ${passwordLengthMin} characters.`;
  return password.length > passwordLengthMax ? `Use at most ${passwordLengthMax} characters.` : undefined;
}
