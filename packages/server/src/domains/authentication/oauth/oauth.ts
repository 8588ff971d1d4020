import type { Route } from '../../../api/route.ts';
import type { Outbound } from '../../../platform/outbound/outbound.ts';
import type { Records, Transaction } from '../../../platform/records/records.ts';
import type { Secrets } from '../../../platform/secrets/secrets.ts';
import { StampedTokens } from '../../../platform/secrets/stamped-tokens.ts';
import type { Audit } from '../../audit/index.ts';
import type { Clients } from '../clients/index.ts';
import { authorizeRoutes, type SignInView } from './authorize/authorize-routes.ts';
import { Authorizer, type LaunchPatients } from './authorize/authorizer.ts';
import { ClientAssertions } from './client-assertion.ts';
import { DeviceRequests } from './device/device-requests.ts';
import { deviceRoute } from './device/device-route.ts';
import { externalRoutes, externalTickets } from './device/external-routes.ts';
import { discoveryRoutes } from './discovery.ts';
import { registrationRoute } from './registration-route.ts';
import { AccessTokens } from './tokens/access-tokens.ts';
import { Grants } from './tokens/grants.ts';
import { introspectRoute } from './tokens/introspect-route.ts';
import { Exchange } from './tokens/redeem.ts';
import { revokeRoute } from './tokens/revoke-route.ts';
import { TokenKeys } from './tokens/token-keys.ts';
import { tokenRoute } from './tokens/token-route.ts';
import { accessTokenLifeMs, Tokens } from './tokens/tokens.ts';
import { userinfoRoutes } from './userinfo.ts';

const hourMs = 3_600_000;
const dayMs = 86_400_000;
/** Key used for a quarter of a year, published two days earlier. It is kept while any of its tokens may be valid. */
const keyLives = { useMs: 90 * dayMs, publishedBeforeMs: 2 * dayMs, keptAfterMs: accessTokenLifeMs + hourMs };

/** Authorization server, shared by its routes, the sign-in view and the gate. */
export class OAuth {
  readonly grants: Grants;
  readonly devices: DeviceRequests;
  readonly keys: TokenKeys;
  readonly tokens: Tokens;
  readonly authorizer: Authorizer;
  readonly accessTokens: AccessTokens;
  readonly #exchange: Exchange;
  readonly #assertions: ClientAssertions;
  readonly #deps: { records: Records; audit: Audit; clients: Clients; refreshKey: Uint8Array };
  readonly #issuer: () => string;
  readonly #registers: boolean;
  readonly #tickets: StampedTokens;

  /**
   * `issuer`: `{base_url}`, known once the service listens. `grantLifeMs`: lifetime of a grant after its last
   * refresh. `sessionLifeMs`: how long id tokens serve as hints. `registers`: programs may register themselves.
   */
  constructor(
    deps: {
      records: Records;
      secrets: Secrets;
      audit: Audit;
      clients: Clients;
      outbound: Pick<Outbound, 'get'>;
      patients: LaunchPatients;
    },
    settings: { issuer: () => string; grantLifeMs: number; sessionLifeMs: number; registers: boolean },
  ) {
    const { records, secrets, audit, clients, outbound, patients } = deps;
    const refreshKey = secrets.derive('refresh-tokens');
    this.#tickets = new StampedTokens(secrets.derive(externalTickets));
    this.#deps = { records, audit, clients, refreshKey };
    this.#issuer = settings.issuer;
    this.#registers = settings.registers;
    this.grants = new Grants(records, settings.grantLifeMs);
    this.devices = new DeviceRequests(records);
    this.#assertions = new ClientAssertions({ records, clients, outbound, issuer: settings.issuer });
    this.keys = new TokenKeys(records, secrets, { ...keyLives, hintsAfterMs: settings.sessionLifeMs });
    this.tokens = new Tokens(this.keys, settings.issuer);
    const { grants, devices, tokens } = this;
    this.accessTokens = new AccessTokens(tokens, grants, clients, settings.issuer);
    this.authorizer = new Authorizer({
      ...{ records, audit, clients, grants, tokens, patients },
      issuer: settings.issuer,
    });
    this.#exchange = new Exchange({
      ...{ records, audit, grants, devices, tokens, refreshKey },
      issuer: settings.issuer,
    });
  }

  routes(view: SignInView): Route[] {
    const { records, audit, clients, refreshKey } = this.#deps;
    const { grants, tokens, accessTokens } = this;
    const assertions = this.#assertions;
    return [
      ...authorizeRoutes(this.authorizer, view),
      deviceRoute({ clients, devices: this.devices, issuer: this.#issuer }),
      ...externalRoutes({
        ...{ devices: this.devices, exchange: this.#exchange, issuer: this.#issuer },
        tickets: this.#tickets,
      }),
      tokenRoute({ assertions, exchange: this.#exchange }),
      revokeRoute({ records, audit, assertions, grants, tokens, refreshKey }),
      introspectRoute({ assertions, grants, refreshKey, accessTokens, issuer: this.#issuer }),
      ...userinfoRoutes(records),
      registrationRoute({ registrations: clients.registrations, isOn: this.#registers }),
      ...discoveryRoutes(this.keys, this.#issuer, this.#registers),
    ];
  }

  /** Revokes the grants of a deleted client. */
  readonly clientDeleted = async (tx: Transaction, client: string): Promise<void> => {
    await this.grants.revoke(tx, { client });
  };

  readonly sweeps: (() => Promise<void>)[] = [
    () => this.grants.sweep(),
    () => this.#deps.clients.registrations.sweep(),
    () => this.devices.sweep(),
    () => this.#assertions.sweep(),
    () => this.keys.rotate(),
  ];
}
