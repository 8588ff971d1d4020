import { timestamp } from '../../base/ids.ts';
import type { EhrsTable } from '../../platform/records/schema-ehrs.ts';
import { sealedColumn } from '../../platform/secrets/sealed-column.ts';
import type { Secrets } from '../../platform/secrets/secrets.ts';
import { type PublicJwk, readSigningKey } from './signing-key.ts';

/** Kinds of authentication to an EHR system (docs/api/ehr.md). */
export const authTypes = ['header', 'basic', 'oauth2', 'private_key_jwt'] as const;
export type AuthType = (typeof authTypes)[number];

export const ingestionModels = ['ASYNCHRONOUS', 'SYNCHRONOUS'] as const;
type IngestionModel = (typeof ingestionModels)[number];

/** Schedule of automatic syncs, and the project they fill. */
interface Schedule {
  /** Five fields, UTC (schedule.ts). */
  cron: string;
  datasetId: string;
}

/** Settings of an EHR system. */
export interface EhrSettings {
  name: string;
  ehrType: string;
  apiBaseUrl: string;
  apiKey?: string;
  apiSecret?: string;
  apiAuthType: AuthType;
  ingestionModel: IngestionModel;
  /** Milliseconds. */
  delayBetweenRecords: number;
  /** Prefix of the ids of its resources; empty: ids are stored unchanged. */
  idPrefix: string;
  schedule?: Schedule;
}

/** EHR system as the API shows it. */
interface EhrView extends Omit<EhrSettings, 'schedule' | 'idPrefix'> {
  id: string;
  /** Absent without a prefix: the specification has no such field. */
  idPrefix?: string;
  schedule?: Schedule & { next: string };
  /** `private_key_jwt`: public key for the EHR system, and the address it can fetch the key from. */
  jwks?: Jwks;
  jwksUrl?: string;
  creator: string;
  created: string;
  updated: string;
}

export interface Jwks {
  keys: PublicJwk[];
}

/** Time an EHR system may cache a JWKS, during which it may know only a replaced key. */
export const jwksCacheMs = 5 * 60_000;

/** Route from which EHR systems fetch it. */
export const jwksPath = '/v1/ehrs/:ehrId/jwks';

/** Shows a configuration in a list: without key and secret. */
export function listed(row: EhrsTable): Omit<EhrView, 'apiKey' | 'apiSecret' | 'jwks' | 'jwksUrl'> {
  return {
    id: row.id,
    name: row.name,
    ehrType: row.ehr_type,
    apiBaseUrl: row.api_base_url,
    apiAuthType: row.api_auth_type,
    ingestionModel: row.ingestion_model,
    delayBetweenRecords: row.delay_between_records_ms,
    ...(row.id_prefix !== '' && { idPrefix: row.id_prefix }),
    ...(row.schedule_cron !== null &&
      row.schedule_project_id !== null &&
      row.schedule_at !== null && {
        schedule: {
          cron: row.schedule_cron,
          datasetId: row.schedule_project_id,
          next: timestamp(row.schedule_at),
        },
      }),
    creator: row.creator_id,
    created: timestamp(row.created_at),
    updated: timestamp(row.updated_at),
  };
}

/**
 * Shows a configuration with key and secret, for callers who may read them. A private key is never shown: it
 * is no shared secret, and the other side needs its public half only.
 */
export function viewOf(
  row: EhrsTable,
  { secrets, publicUrl }: { secrets: Secrets; publicUrl: () => string },
): EhrView {
  const { apiKey, apiSecret } = credentialsOf(row, secrets);
  const key = apiKey === undefined ? {} : { apiKey };
  if (row.public_key === null)
    return { ...listed(row), ...key, ...(apiSecret !== undefined && { apiSecret }) };
  const jwksUrl = `${publicUrl()}${jwksPath.replace(':ehrId', row.id)}`;
  return { ...listed(row), ...key, jwks: jwksOf(row.public_key), jwksUrl };
}

export function jwksOf(publicKey: string): Jwks {
  return { keys: [JSON.parse(publicKey) as PublicJwk] };
}

/** Returns the columns of a key's public half; `present`: the row to be changed. */
export function publicKeyColumns(
  { apiAuthType, apiSecret = '' }: EhrSettings,
  present: Pick<EhrsTable, 'public_key' | 'key_replaced_at'> | undefined,
  now: number,
): Pick<EhrsTable, 'public_key' | 'key_replaced_at'> {
  const key = apiAuthType === 'private_key_jwt' ? readSigningKey(apiSecret) : undefined;
  const public_key = typeof key === 'object' ? JSON.stringify(key.publicJwk) : null;
  const before = present?.public_key ?? null;
  // Also without a successor: a key set later is new to a system that cached this one.
  const isOver = before !== null && before !== public_key;
  return { public_key, key_replaced_at: isOver ? now : (present?.key_replaced_at ?? null) };
}

export interface Credentials {
  apiKey?: string;
  apiSecret?: string;
  /** Epoch milliseconds at which the previous private key was replaced. */
  keyReplacedAt?: number;
}

const sealedColumns = { apiKey: 'api_key_sealed', apiSecret: 'api_secret_sealed' } as const;
type SealedColumn = (typeof sealedColumns)[keyof typeof sealedColumns];

/** Returns the context of a sealed value: it opens for this column and configuration only. */
function sealContext(column: SealedColumn, id: string): string {
  return `ehr:${column}:${id}`;
}

export const sealedEhrs = Object.values(sealedColumns).map((column) =>
  sealedColumn('ehrs', column, (id) => sealContext(column, id)),
);

export function credentialsOf(row: EhrsTable, secrets: Secrets): Credentials {
  const entries = Object.entries(sealedColumns).flatMap(([name, column]) => {
    const sealed = row[column];
    return sealed === null ? [] : [[name, secrets.open(sealed, sealContext(column, row.id))]];
  });
  const { key_replaced_at: at } = row;
  return { ...(Object.fromEntries(entries) as Credentials), ...(at !== null && { keyReplacedAt: at }) };
}

export function sealed(
  id: string,
  { apiKey, apiSecret }: Credentials,
  secrets: Secrets,
): Pick<EhrsTable, SealedColumn> {
  const seal = (column: SealedColumn, value: string | undefined) =>
    value === undefined ? null : secrets.seal(value, sealContext(column, id));
  return {
    api_key_sealed: seal('api_key_sealed', apiKey),
    api_secret_sealed: seal('api_secret_sealed', apiSecret),
  };
}
