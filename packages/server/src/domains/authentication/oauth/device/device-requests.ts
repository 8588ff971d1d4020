import { createHash, randomInt } from 'node:crypto';
import { networkOf } from '../../../../base/network.ts';
import type { Records, Transaction } from '../../../../platform/records/records.ts';
import type { DeviceRequestsTable } from '../../../../platform/records/schema-sign-in.ts';
import { newToken, tokenHash } from '../../../../platform/secrets/secret-token.ts';
import { OAuthError } from '../oauth-error.ts';

/** Long enough to go to another computer and sign in there. */
export const deviceLifeMs = 10 * 60_000;
/** Minimum time between two requests of a device (RFC 8628 §3.5). */
export const pollEveryMs = 5_000;
/**
 * Open requests of one network, which may be a whole hospital: a flood of codes eases guessing. Beyond them the one with the
 * least recent poll gives way. So a flood of beginnings ends no request that a program waits for.
 */
const openMax = 200;
/** Consonants without look-alikes, so that no word results (RFC 8628 §6.1): 20^8 codes. */
const letters = 'BCDFGHJKLMNPQRSTVWXZ';

/** Codes of a new request; the service stores their hashes. */
interface DeviceCodes {
  deviceCode: string;
  /** `ABCD-EFGH`. */
  userCode: string;
}

/**
 * Requests of devices without a browser (RFC 8628). A user approves one by its code, which makes a grant;
 * the device exchanges its own code for the tokens of that grant, once.
 */
export class DeviceRequests {
  readonly #records: Records;
  readonly #now: () => number;
  readonly #ending = new AbortController();

  constructor(records: Records, now: () => number = Date.now) {
    this.#records = records;
    this.#now = now;
  }

  /** Aborts when the service stops: programs that wait for a decision ask again. */
  get ending(): AbortSignal {
    return this.#ending.signal;
  }

  /** Ends the waits for decisions. */
  endWaits(): void {
    this.#ending.abort();
  }

  /** Records a request from an address. */
  async add(askedFrom: string): Promise<DeviceCodes> {
    const codes = { deviceCode: newToken(), userCode: newUserCode() };
    await this.#records.transact((tx) => this.#insert(tx, codes, askedFrom));
    return codes;
  }

  /** Records that a program that brings its own code asks for its token; the first time begins its request. */
  async begin(deviceCode: string, askedFrom: string): Promise<void> {
    const hash = tokenHash(deviceCode);
    const present = await this.#records.read
      .selectFrom('device_requests')
      .select('polled_at')
      .where('device_hash', '=', hash)
      .executeTakeFirst();
    const now = this.#now();
    if (present && now - present.polled_at < pollEveryMs) return;
    await this.#records.transact(async (tx) => {
      const { numUpdatedRows } = await tx
        .updateTable('device_requests')
        .set({ polled_at: now })
        .where('device_hash', '=', hash)
        .executeTakeFirst();
      if (numUpdatedRows === 0n)
        await this.#insert(tx, { deviceCode, userCode: userCodeOf(deviceCode) }, askedFrom);
    });
  }

  async #insert(tx: Transaction, codes: DeviceCodes, askedFrom: string): Promise<void> {
    const now = this.#now();
    const network = networkOf(askedFrom);
    await tx
      .deleteFrom('device_requests')
      .where('device_hash', 'in', (rows) =>
        rows
          .selectFrom('device_requests')
          .select('device_hash')
          .where('asked_from', '=', network)
          .where('expires_at', '>', now)
          .where('grant_id', 'is', null)
          .where('denied_at', 'is', null)
          .orderBy(
            (row) =>
              row
                .case()
                .when('polled_at', '>', 0)
                .then(row.ref('polled_at'))
                .else(row.ref('created_at'))
                .end(),
            'desc',
          )
          .orderBy('device_hash')
          .offset(openMax - 1)
          .limit(openMax),
      )
      .execute();
    await tx
      .insertInto('device_requests')
      .values({
        device_hash: tokenHash(codes.deviceCode),
        user_hash: hashOfUserCode(codes.userCode),
        asked_from: network,
        created_at: now,
        expires_at: now + deviceLifeMs,
        polled_at: 0,
        denied_at: null,
        grant_id: null,
      })
      .onConflict((conflict) => conflict.column('device_hash').doNothing())
      .execute();
  }

  /** Reports whether a request is there, in time, and not decided. */
  async isOpen(deviceCode: string): Promise<boolean> {
    return (await this.find(userCodeOf(deviceCode))) !== undefined;
  }

  /** Finds an open request by the code that a user typed. */
  async find(userCode: string): Promise<DeviceRequestsTable | undefined> {
    return this.#records.read
      .selectFrom('device_requests')
      .selectAll()
      .where('user_hash', '=', hashOfUserCode(userCode))
      .where('expires_at', '>', this.#now())
      .where('grant_id', 'is', null)
      .where('denied_at', 'is', null)
      .executeTakeFirst();
  }

  /** Decides an open request; false if it was decided or expired meanwhile. */
  async decide(
    tx: Transaction,
    { device_hash }: DeviceRequestsTable,
    decision: { grant_id: string } | { denied_at: number },
  ): Promise<boolean> {
    const decided = await tx
      .updateTable('device_requests')
      .set(decision)
      .where('device_hash', '=', device_hash)
      .where('expires_at', '>', this.#now())
      .where('grant_id', 'is', null)
      .where('denied_at', 'is', null)
      .returning('device_hash')
      .executeTakeFirst();
    return decided !== undefined;
  }

  /** Returns the grant of an approved request. Otherwise an error of RFC 8628 §3.5. */
  async grantOf(deviceCode: string): Promise<string> {
    const now = this.#now();
    const hash = tokenHash(deviceCode);
    const found = await this.#records.read
      .selectFrom('device_requests')
      .selectAll()
      .where('device_hash', '=', hash)
      .executeTakeFirst();
    if (!found) throw new OAuthError('invalid_grant', 'The device code is unknown.');
    if (found.expires_at <= now) throw new OAuthError('expired_token', 'The device code has expired.');
    if (found.denied_at !== null) throw new OAuthError('access_denied', 'The user denied the request.');
    if (found.grant_id !== null) return found.grant_id;
    await this.#records.transact((tx) =>
      tx.updateTable('device_requests').set({ polled_at: now }).where('device_hash', '=', hash).execute(),
    );
    if (now - found.polled_at < pollEveryMs)
      throw new OAuthError('slow_down', `Wait ${pollEveryMs / 1000} seconds between two requests.`);
    throw new OAuthError('authorization_pending', 'The user has not decided yet.');
  }

  async sweep(): Promise<void> {
    await this.#records.transact((tx) =>
      tx.deleteFrom('device_requests').where('expires_at', '<=', this.#now()).execute(),
    );
  }
}

function newUserCode(): string {
  const code = Array.from({ length: 8 }, () => letters[randomInt(letters.length)]).join('');
  return `${code.slice(0, 4)}-${code.slice(4)}`;
}

/** Derives the code that a user sees from the secret of a program: both addresses of its challenge name one request. */
export function userCodeOf(deviceCode: string): string {
  const digest = createHash('sha256').update(`user code\n${deviceCode}`).digest();
  const code = Array.from({ length: 8 }, (_, at) => letters[digest.readUInt16BE(2 * at) % letters.length]);
  return `${code.slice(0, 4).join('')}-${code.slice(4).join('')}`;
}

/** Hashes a code as typed: lower case, blanks and a missing hyphen are accepted. */
function hashOfUserCode(userCode: string): string {
  return tokenHash(userCode.toUpperCase().replace(/[^A-Z]/g, ''));
}
