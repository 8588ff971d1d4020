import { hash, verify } from '@node-rs/argon2';
import { Problem } from '../../problem.ts';
import { Turns } from '../../turns.ts';

/** Argon2id as OWASP's password storage cheat sheet names it: 19 MiB, 2 passes. */
const argon2id = { algorithm: 2, memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;

/**
 * What is compared for who has no password, so that it takes as long as for who has one. Made once, with the settings above, of
 * 256 random bits that nobody kept.
 */
const nobody =
  '$argon2id$v=19$m=19456,t=2,p=1$5GraI6gjpWWEj12xHnEm8Q$8o3yd2IVpmcjY7gxcAyJGwcqEFiHHb5RGGQbA+3bniI';

/** Hashing takes a core and 19 MiB: two at a time leave room for everything else. A line of 64 is served within a second. */
const turns = new Turns(2, { waitingMax: 64, tooMany: busy });
let made = 0;

/** The hash under which a password is stored. Problem 503 when too many are wanted at once. */
export function hashPassword(password: string): Promise<string> {
  return turns.take(() => {
    made++;
    return hash(password.normalize('NFKC'), argon2id);
  });
}

/** Whether a password is the one of a hash. Without one the answer is no, after the same work. */
export async function verifyPassword(stored: string | null | undefined, password: string): Promise<boolean> {
  const same = await turns.take(() => {
    made++;
    return verify(stored ?? nobody, password.normalize('NFKC'));
  });
  return same && typeof stored === 'string';
}

/** How many hashes this process has made: tests see by it that an unknown user costs the same work. */
export function hashesMade(): number {
  return made;
}

function busy(): Problem {
  const message = 'Too many people are signing in at this moment. Try again in a few seconds.';
  return new Problem(503, 'BUSY', message, { retryAfterS: 3 });
}
