import { timestamp } from '../../ids.ts';
import type { EhrsTable } from '../../platform/records/schema-ehrs.ts';
import { sealedColumn } from '../../platform/secrets/sealed-column.ts';
import type { Secrets } from '../../platform/secrets/secrets.ts';
import { type PublicJwk, readSigningKey } from './signing-key.ts';

/** How requests to the EHR system prove who we are (docs/clarifications.md, "EHR configurations"). */
export const authTypes = ['header', 'basic', 'oauth2', 'private_key_jwt'] as const;
export type AuthType = (typeof authTypes)[number];

export const ingestionModels = ['ASYNCHRONOUS', 'SYNCHRONOUS'] as const;
export type IngestionModel = (typeof ingestionModels)[number];

/** When the system is pulled from by itself, and into which project. */
export interface Schedule {
  /** Five fields, UTC (schedule.ts). */
  cron: string;
  datasetId: string;
}

/** What an administrator sets of an EHR system. */
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
  schedule?: Schedule;
}

/** An EHR configuration as the API shows it. */
export interface EhrView extends Omit<EhrSettings, 'schedule'> {
  id: string;
  schedule?: Schedule & { next: string };
  /** `private_key_jwt`: what the EHR system has to know of the key, and where it can fetch it. */
  jwks?: Jwks;
  jwksUrl?: string;
  creator: string;
  created: string;
  updated: string;
}

/** Public keys (RFC 7517 §5). */
export interface Jwks {
  keys: PublicJwk[];
}

/** How long an EHR system may remember a JWKS: so long after a key was replaced it may know the one before only. */
export const jwksCacheMs = 5 * 60_000;

/** Where EHR systems fetch it. */
export const jwksPath = '/v1/ehrs/:ehrId/jwks';

/** As it stands in lists: without key and secret. */
export function listed(row: EhrsTable): Omit<EhrView, 'apiKey' | 'apiSecret' | 'jwks' | 'jwksUrl'> {
  return {
    id: row.id,
    name: row.name,
    ehrType: row.ehr_type,
    apiBaseUrl: row.api_base_url,
    apiAuthType: row.api_auth_type,
    ingestionModel: row.ingestion_model,
    delayBetweenRecords: row.delay_between_records_ms,
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
 * With key and secret, for those who may read them. A private key is not one of the secrets that two sides share: nobody but us has
 * a use for it, and its public half is what the other side is told.
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

/** The columns of the public half of a key; `present`: what it takes the place of. */
export function publicKeyColumns(
  { apiAuthType, apiSecret = '' }: EhrSettings,
  present: Pick<EhrsTable, 'public_key' | 'key_replaced_at'> | undefined,
  now: number,
): Pick<EhrsTable, 'public_key' | 'key_replaced_at'> {
  const key = apiAuthType === 'private_key_jwt' ? readSigningKey(apiSecret) : undefined;
  const public_key = typeof key === 'object' ? JSON.stringify(key.publicJwk) : null;
  const before = present?.public_key ?? null;
  // Also when nothing takes its place: the key of a later change is as new to a system that remembers this one.
  const isOver = before !== null && before !== public_key;
  return { public_key, key_replaced_at: isOver ? now : (present?.key_replaced_at ?? null) };
}

export interface Credentials {
  apiKey?: string;
  apiSecret?: string;
  /** When the private key before the present one ended; epoch milliseconds. */
  keyReplacedAt?: number;
}

const sealedColumns = { apiKey: 'api_key_sealed', apiSecret: 'api_secret_sealed' } as const;
type SealedColumn = (typeof sealedColumns)[keyof typeof sealedColumns];

/** What a sealed value is sealed for: nothing else opens it, nor the one the other. */
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
