import { createRequire } from 'node:module';
import { Type } from 'typebox';

/** Min. length, without rules of composition (NIST SP 800-63B §5.1.1). */
export const passwordLengthMin = 10;
const passwordLengthMax = 256;

/** Field of a password form; the limit is generous so that a page can explain the real one. */
const password = (description: string) => Type.String({ maxLength: 4096, description });
export const passwordShape = password('Current password');
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

/** Passwords that became known in leaks, the commonest first. Read at the first new password. */
const listed = '@zxcvbn-ts/language-common/src/passwords.json';
let common: ReadonlySet<string> | undefined;

/** Reports whether many people use a password, or it repeats a few characters. */
function isCommon(password: string): boolean {
  const plain = plainOf(password);
  if (/^(.{1,4})\1+$/su.test(plain)) return true;
  common ??= new Set(createRequire(import.meta.url)(listed) as string[]);
  return common.has(plain);
}

/** Minimum length of a password without the words of its context: such a rest takes days to guess by trial. */
const restMin = 6;
/** Shorter parts of an address are in every word. */
const partMin = 3;

/** Reports whether little of a password is left without the address of its user and the name of the service (NIST SP 800-63B §5.1.1.2). */
function isOfContext(password: string, email: string): boolean {
  const address = plainOf(email);
  const parts = address.split(/[^\p{L}\p{N}]+/u).filter((part) => part.length >= partMin);
  const words = [address, ...parts, 'ploidy', 'password'].sort((one, other) => other.length - one.length);
  const rest = words.reduce((left, word) => left.replaceAll(word, ''), plainOf(password));
  return rest.length < restMin && rest.length < password.length;
}

const plainOf = (text: string): string => text.normalize('NFKC').toLowerCase();
