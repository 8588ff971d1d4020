import type { Records, Transaction } from '../../platform/records/records.ts';
import type { Secrets } from '../../platform/secrets/secrets.ts';
import type { Route } from '../../route.ts';
import type { Audit } from '../audit/index.ts';
import type { Clients } from '../clients/index.ts';
import { AccessTokens } from './access-tokens.ts';
import { authorizeRoutes, type SignInView } from './authorize-routes.ts';
import { Authorizer } from './authorizer.ts';
import { discoveryRoutes } from './discovery.ts';
import { Exchange } from './exchange.ts';
import { Grants } from './grants.ts';
import { revokeRoute } from './revoke-route.ts';
import { TokenKeys } from './token-keys.ts';
import { tokenRoute } from './token-route.ts';
import { accessTokenLifeMs, Tokens } from './tokens.ts';
import { userinfoRoutes } from './userinfo.ts';

const hourMs = 3_600_000;
const dayMs = 86_400_000;
/** A quarter of a year of use, published two days before, kept until the last token has expired and some clocks have been wrong. */
const keyLives = { useMs: 90 * dayMs, publishedBeforeMs: 2 * dayMs, keptAfterMs: accessTokenLifeMs + hourMs };

/** The authorization server: put together once, shared by its routes, the sign-in view and the gate. */
export class OAuth {
  readonly grants: Grants;
  readonly keys: TokenKeys;
  readonly tokens: Tokens;
  readonly authorizer: Authorizer;
  readonly accessTokens: AccessTokens;
  readonly #exchange: Exchange;
  readonly #parts: { records: Records; audit: Audit; clients: Clients; refreshKey: Uint8Array };
  readonly #issuer: () => string;

  /** `issuer`: `{base_url}`, known once the service listens. `grantLifeMs`: how long a grant lives after its last refresh. `sessionLifeMs`: how long an id token names a session that is there. */
  constructor(
    parts: { records: Records; secrets: Secrets; audit: Audit; clients: Clients },
    settings: { issuer: () => string; grantLifeMs: number; sessionLifeMs: number },
  ) {
    const { records, secrets, audit, clients } = parts;
    const refreshKey = secrets.derive('refresh-tokens');
    this.#parts = { records, audit, clients, refreshKey };
    this.#issuer = settings.issuer;
    this.grants = new Grants(records, settings.grantLifeMs);
    this.keys = new TokenKeys(records, secrets, { ...keyLives, hintsAfterMs: settings.sessionLifeMs });
    this.tokens = new Tokens(this.keys, settings.issuer);
    const { grants, tokens } = this;
    this.accessTokens = new AccessTokens(tokens, grants);
    this.authorizer = new Authorizer({ records, audit, clients, grants, tokens, issuer: settings.issuer });
    this.#exchange = new Exchange({ records, audit, grants, tokens, refreshKey });
  }

  routes(view: SignInView): Route[] {
    const { records, audit, clients, refreshKey } = this.#parts;
    const { grants, tokens } = this;
    return [
      ...authorizeRoutes(this.authorizer, view),
      tokenRoute({ clients, exchange: this.#exchange }),
      revokeRoute({ records, audit, clients, grants, tokens, refreshKey }),
      ...userinfoRoutes(records),
      ...discoveryRoutes(this.keys, this.#issuer),
    ];
  }

  /** What a deleted client was given stops working. */
  readonly clientDeleted = async (tx: Transaction, client: string): Promise<void> => {
    await this.grants.revoke(tx, { client });
  };

  readonly sweeps: (() => Promise<void>)[] = [() => this.grants.sweep(), () => this.keys.rotate()];
}
