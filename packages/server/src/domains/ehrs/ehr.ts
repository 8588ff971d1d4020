import { timestamp } from '../../ids.ts';
import type { EhrsTable } from '../../platform/records/schema-ehrs.ts';
import { sealedColumn } from '../../platform/secrets/sealed-column.ts';
import type { Secrets } from '../../platform/secrets/secrets.ts';

/** How requests to the EHR system prove who we are (docs/clarifications.md, "EHR configurations"). */
export const authTypes = ['header', 'basic', 'oauth2'] as const;
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
  creator: string;
  created: string;
  updated: string;
}

/** As it stands in lists: without key and secret. */
export function listed(row: EhrsTable): Omit<EhrView, 'apiKey' | 'apiSecret'> {
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

/** With key and secret: for those who may read them. */
export function viewOf(row: EhrsTable, secrets: Secrets): EhrView {
  return { ...listed(row), ...credentialsOf(row, secrets) };
}

export interface Credentials {
  apiKey?: string;
  apiSecret?: string;
}

const sealedColumns = { apiKey: 'api_key_sealed', apiSecret: 'api_secret_sealed' } as const;

/** What a sealed value is sealed for: nothing else opens it, nor the one the other. */
function sealContext(column: (typeof sealedColumns)[keyof Credentials], id: string): string {
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
  return Object.fromEntries(entries) as Credentials;
}

export function sealed(
  id: string,
  { apiKey, apiSecret }: Credentials,
  secrets: Secrets,
): Pick<EhrsTable, 'api_key_sealed' | 'api_secret_sealed'> {
  const seal = (column: 'api_key_sealed' | 'api_secret_sealed', value: string | undefined) =>
    value === undefined ? null : secrets.seal(value, sealContext(column, id));
  return {
    api_key_sealed: seal('api_key_sealed', apiKey),
    api_secret_sealed: seal('api_secret_sealed', apiSecret),
  };
}
