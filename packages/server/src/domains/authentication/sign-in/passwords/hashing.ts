import { hash, verify } from '@node-rs/argon2';
import pLimit from 'p-limit';
import { Problem } from '../../../../base/problem.ts';

/** Argon2id as in OWASP's password storage cheat sheet: 19 MiB, 2 passes. */
const argon2id = { algorithm: 2, memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;

/**
 * Hash compared for users without a password, for equal duration. Created once with the settings above from 256 discarded
 * random bits.
 */
const nobody =
  '$argon2id$v=19$m=19456,t=2,p=1$5GraI6gjpWWEj12xHnEm8Q$8o3yd2IVpmcjY7gxcAyJGwcqEFiHHb5RGGQbA+3bniI';

/** Hashing needs a core and 19 MiB: two at a time leave room for other work. A queue of 64 is done within a second. */
const limit = pLimit(2);
const queuedMax = 64;
let made = 0;

/** Hashes a password. Throws 503 when too many are queued. */
export function hashPassword(password: string): Promise<string> {
  return inTurn(() => hash(password.normalize('NFKC'), argon2id));
}

/** Reports whether a password matches a hash. Without a hash it is false, after equal work. */
export async function verifyPassword(stored: string | null | undefined, password: string): Promise<boolean> {
  const same = await inTurn(() => verify(stored ?? nobody, password.normalize('NFKC')));
  return same && typeof stored === 'string';
}

/** Returns the number of hashes made by this process: tests compare the work for unknown users. */
export function hashesMade(): number {
  return made;
}

async function inTurn<T>(work: () => Promise<T>): Promise<T> {
  if (limit.activeCount + limit.pendingCount >= limit.concurrency + queuedMax) throw busy();
  return limit(() => {
    made++;
    return work();
  });
}

function busy(): Problem {
  const message = 'Too many users are signing in at this moment. Try again in a few seconds.';
  return new Problem(503, 'BUSY', message, { retryAfterS: 3 });
}
