import { hash } from '@node-rs/argon2';
import { Type } from 'typebox';
import { text } from './page.ts';

/** Argon2id as OWASP's password storage cheat sheet names it: 19 MiB, 2 passes. */
const argon2id = { algorithm: 2, memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;

/** NIST SP 800-63B §5.1.1: length is what counts; no rules of composition. */
export const passwordLengthMin = 10;
const passwordLengthMax = 256;

/** A token in an address or a form. */
export const tokenShape = Type.String({ maxLength: 200 });

/** A field of a password form; what is too long gets a page that says so. */
export const passwordShape = Type.String({ maxLength: 4096 });

/** What is wrong with a new password, in words for its page. */
export function passwordMistake(password: string, repeated: string): string | undefined {
  if (password !== repeated) return 'The two passwords differ.';
  if ([...password].length < passwordLengthMin) return `Use at least ${passwordLengthMin} characters.`;
  return password.length > passwordLengthMax ? `Use at most ${passwordLengthMax} characters.` : undefined;
}

/** The hash under which a password is stored. */
export function hashPassword(password: string): Promise<string> {
  return hash(password.normalize('NFKC'), argon2id);
}

/** The two fields of a new password. The hidden name lets a password store file it under the right user. */
export function passwordFields(email: string): string {
  return `<input type="hidden" name="username" value="${text(email)}" autocomplete="username">
<label for="password">Password</label>
<input id="password" name="password" type="password" autocomplete="new-password" minlength="${passwordLengthMin}" required autofocus>
<label for="repeated">Once more</label>
<input id="repeated" name="repeated" type="password" autocomplete="new-password" required>`;
}
