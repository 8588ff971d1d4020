import { createHmac } from 'node:crypto';
import type { Secrets } from '../../../platform/secrets/secrets.ts';

/** Right of a credential to read the objects of a table until it expires or the credential ends. */
export interface Grant {
  /** Name of the credential that loaded the table, as `Caller.via`. */
  by: string;
  account: string;
  project: string;
  table: string;
  /** Audience of the reader when the table was loaded. */
  audience: string;
  /** Epoch milliseconds. */
  expiresAt: number;
}

/** Credentials of a client of S3. */
interface ObjectCredentials {
  accessKey: string;
  secret: string;
  token: string;
}

const context = 'lake:reading-grant';

/** Makes credentials of grants. The token is the sealed grant, and the others follow from it. */
export class ReadingGrants {
  readonly #secrets: Secrets;
  readonly #key: Uint8Array;

  constructor(secrets: Secrets) {
    this.#secrets = secrets;
    this.#key = secrets.derive('lake-objects');
  }

  make(grant: Grant): ObjectCredentials {
    const token = this.#secrets.seal(JSON.stringify(grant), context);
    return { token, ...this.#keysOf(token) };
  }

  /** Returns the grant of a token with its secret; nothing for a forged or an expired one. */
  read(token: string, now: number): { grant: Grant; accessKey: string; secret: string } | undefined {
    const grant = this.#open(token);
    return grant && grant.expiresAt > now ? { grant, ...this.#keysOf(token) } : undefined;
  }

  /** Signs the name of a blob as an object of a table for an audience: no other blob can be named. */
  sign({ project, table, audience }: Pick<Grant, 'project' | 'table' | 'audience'>, blob: string): string {
    return createHmac('sha256', this.#key)
      .update(JSON.stringify([project, table, audience, blob]))
      .digest('hex')
      .slice(0, 32);
  }

  #open(token: string): Grant | undefined {
    try {
      return JSON.parse(this.#secrets.open(token, context)) as Grant;
    } catch {
      // Whatever is wrong with a token, it opens nothing.
      return undefined;
    }
  }

  #keysOf(token: string): { accessKey: string; secret: string } {
    const digest = createHmac('sha256', this.#key).update(`secret:${token}`).digest('hex');
    return { accessKey: `PLOIDY${digest.slice(0, 14).toUpperCase()}`, secret: digest.slice(14, 54) };
  }
}
