import { createHmac, timingSafeEqual } from 'node:crypto';

/** Tables of a project that one query reads in the distributed engine. */
export interface RemoteTables {
  query: string;
  project: string;
  version: number;
  tables: readonly string[];
}

/** Tokens that open the tables of one query, and their namespaces. Any process of the service verifies them. */
export class ReadingTokens {
  readonly #key: Uint8Array;

  constructor(key: Uint8Array) {
    this.#key = key;
  }

  make(tables: RemoteTables): string {
    const body = Buffer.from(JSON.stringify(tables)).toString('base64url');
    return `${body}.${this.#digest('token', body).toString('base64url')}`;
  }

  /** Returns the tables of a token; nothing for a forged one. */
  read(token: string): RemoteTables | undefined {
    const [body = '', given = ''] = token.split('.');
    const wanted = Buffer.from(this.#digest('token', body).toString('base64url'));
    const bytes = Buffer.from(given);
    if (bytes.length !== wanted.length || !timingSafeEqual(bytes, wanted)) return undefined;
    return JSON.parse(Buffer.from(body, 'base64url').toString()) as RemoteTables;
  }

  /** Name of the namespace of a query, which no statement can guess. */
  namespaceOf({ query }: Pick<RemoteTables, 'query'>): string {
    return `q_${this.#digest('namespace', query).toString('hex').slice(0, 32)}`;
  }

  #digest(purpose: 'token' | 'namespace', text: string): Buffer {
    return createHmac('sha256', this.#key).update(`${purpose}:${text}`).digest();
  }
}
