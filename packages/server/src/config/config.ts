import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseEnv } from 'node:util';
import { nearest } from '@ploidy/formats/nearest';
import { reasonOf } from '../base/reason.ts';
import { blobSettings, refuseUnfitStore } from './blobs.ts';
import { refuseContradictions } from './contradictions.ts';
import { ehrSettings } from './ehrs.ts';
import { engineLimits } from './engine.ts';
import { listeningSettings } from './listening.ts';
import { mailSettings, senderMissing } from './mail.ts';
import { quotaSettings } from './quotas.ts';
import { readRoles, refuseMissingRoles } from './roles.ts';
import { type Tuning, tuning } from './tuning.ts';
import {
  ConfigError,
  calendarMax,
  readDatabaseUrl,
  readDuration,
  readFolder,
  readHeaderNames,
  readInteger,
  readOrigins,
  readSize,
  readSwitch,
  readText,
  readWord,
  type Setting,
  setting,
  timerMax,
} from './values.ts';

/** Settings of the service. `ploidy admin docs configuration` lists them. */
export const settings = {
  dataFolder: setting(
    'PLOIDY_DATA_DIR',
    readFolder,
    './data',
    'path',
    'Folder of all data of the service: records, files, lake, keys.',
  ),
  ...listeningSettings,
  databaseUrl: setting(
    'PLOIDY_DATABASE_URL',
    readDatabaseUrl,
    '',
    'URL',
    '`postgres://…` stores the records in PostgreSQL. Empty: SQLite in the data folder.',
  ),
  roles: setting(
    'PLOIDY_ROLES',
    readRoles,
    'api,ingest,query,maintenance',
    'roles',
    'Work of this process, where several share a database: `api` answers requests, `ingest` converts files and syncs EHR systems, `query` runs queries, `maintenance` merges, sweeps and mails. Each needs a process.',
  ),
  ...blobSettings,
  accountHeaders: setting(
    'PLOIDY_ACCOUNT_HEADERS',
    readHeaderNames,
    '',
    'names',
    'Additional names of the `Service-Account` header, separated by commas.',
  ),
  allowedOrigins: setting(
    'PLOIDY_ALLOWED_ORIGINS',
    readOrigins,
    '',
    'origins',
    'Origins of your web applications (`https://app.example.org`), separated by commas, whose pages may read responses in the browser (CORS). They authenticate with a token or key; cookies are never accepted.',
  ),
  masterKeyFile: setting(
    'PLOIDY_MASTER_KEY_FILE',
    readText,
    '',
    'path',
    'File with the key that seals secrets in the records. Empty: `<data>/secrets/master.key`, created at the first start. Processes that share a database share this key.',
  ),
  logLevel: setting(
    'PLOIDY_LOG_LEVEL',
    readWord(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']),
    'info',
    'level',
    '`fatal`, `error`, `warn`, `info`, `debug`, `trace` or `silent`.',
  ),
  fileMaxBytes: setting('PLOIDY_FILE_MAX', readSize('1'), '5TiB', 'bytes', 'Largest file.'),
  signedUrlLifeMs: setting(
    'PLOIDY_SIGNED_URL_LIFE',
    readDuration('1s', calendarMax),
    '1h',
    'duration',
    'Lifetime of a signed address, and of the grant of an Iceberg table. Both end earlier with the credential that asked for them.',
  ),
  connectionsMax: setting(
    'PLOIDY_CONNECTIONS_MAX',
    readInteger(1, 1_000_000),
    '5000',
    'connections',
    'Maximum open connections; more are refused. Reduced if the system limits open files to fewer than twice this number plus 300.',
  ),
  requestsPerMinute: setting(
    'PLOIDY_REQUESTS_PER_MINUTE',
    readInteger(1, 100_000_000),
    '60000',
    'requests',
    'Maximum requests per minute of one caller or browser; more get 429. Of other clients, those of one address: beyond it only failures get 429.',
  ),
  deletionGraceMs: setting(
    'PLOIDY_DELETION_GRACE',
    readDuration('0s', calendarMax),
    '14d',
    'duration',
    'Grace period of a pending deletion.',
  ),
  sessionLifeMs: setting(
    'PLOIDY_SESSION_LIFE',
    readDuration('1s', calendarMax),
    '7d',
    'duration',
    'Lifetime of a session in a browser.',
  ),
  sessionIdleMs: setting(
    'PLOIDY_SESSION_IDLE',
    readDuration('1s', calendarMax),
    '12h',
    'duration',
    'Idle time after which a browser session ends.',
  ),
  grantLifeMs: setting(
    'PLOIDY_REFRESH_LIFE',
    readDuration('1s', calendarMax),
    '30d',
    'duration',
    'Lifetime of a refresh token. Each refresh extends it; after a SAML sign-in at most to the end of its session.',
  ),
  jobLeaseMs: setting(
    'PLOIDY_JOB_LEASE',
    readDuration('1s', timerMax),
    '15s',
    'duration',
    'Lease of a job: another process takes over a job whose process is silent for this long.',
  ),
  ...engineLimits,
  countsMin: setting(
    'PLOIDY_SMALL_COUNTS_MIN',
    readInteger(0, 10_000),
    '0',
    'patients',
    'Minimum patients of a count or sum for callers that may only read masked data. `0`: no limit.',
  ),
  ...quotaSettings,
  ...ehrSettings,
  ...mailSettings,
  beacon: setting(
    'PLOIDY_BEACON',
    readSwitch,
    'false',
    'true/false',
    'Answers GA4GH Beacon 2.0 at `/ga4gh/beacon/v2`, with what each caller may count.',
  ),
  assistants: setting(
    'PLOIDY_ASSISTANTS',
    readSwitch,
    'true',
    'true/false',
    'Lets administrators open their accounts to assistants (Model Context Protocol at `/{account}/mcp`), whose programs may register themselves.',
  ),
  retryWaitMs: setting(
    'PLOIDY_RETRY_WAIT',
    readDuration('1ms', timerMax),
    '1s',
    'duration',
    'Wait before the second try of a mail, or of a request to an EHR system that could not answer; doubled each time, unless the system names a time.',
  ),
  allowPrivateHosts: setting(
    'PLOIDY_ALLOW_PRIVATE_HOSTS',
    readSwitch,
    'false',
    'true/false',
    'Allows addresses that users enter (metadata of identity providers, EHR systems) in private networks and on this computer.',
  ),
  console: setting('PLOIDY_CONSOLE', readSwitch, 'true', 'true/false', 'Shows the web console at `/`.'),
  documentation: setting(
    'PLOIDY_DOCS',
    readSwitch,
    'true',
    'true/false',
    'Shows the API document at `/docs`.',
  ),
} as const satisfies Record<string, Setting<unknown>>;

/** Variables of the command line client, accepted and ignored by the service. */
export const clientVariables = [
  'PLOIDY_ADDRESS',
  'PLOIDY_API_KEY',
  'PLOIDY_ACCOUNT',
  'PLOIDY_PROFILE',
  'PLOIDY_CONFIG_FILE',
];

export { ConfigError } from './values.ts';

export type Config = Tuning & { [K in keyof typeof settings]: ReturnType<(typeof settings)[K]['read']> };

/**
 * Reads all settings from the environment, then from the file of `PLOIDY_CONFIG_FILE` (`NAME=value` lines). `options`: settings
 * that precede both. An unknown `PLOIDY_…` name or a value out of range throws `ConfigError`.
 */
export function readConfig(
  environment: NodeJS.ProcessEnv = process.env,
  options: NodeJS.ProcessEnv = {},
): Config {
  const given = { ...givenIn(environment), ...options };
  refuseUnknown(Object.keys(given));
  const entries = Object.entries(settings).map(([key, { variable, read, default: byDefault }]) => {
    const text = given[variable];
    return [key, read(text === undefined || text === '' ? byDefault : text, variable)];
  });
  const config: Config = { ...tuning, ...Object.fromEntries(entries) };
  if (config.smtpServer && config.mailFrom === '') throw senderMissing();
  refuseUnfitStore(config);
  refuseContradictions(config);
  refuseMissingRoles(config);
  return { ...config, dataFolder: resolve(config.dataFolder) };
}

/** Collector of traces, by the standard variables of OpenTelemetry. */
interface Collector {
  url: string;
  /** `name=value,…`, with values in percent-encoding. */
  headers: string;
  service: string;
}

/** Reads the collector of traces; `undefined`: nothing is traced. */
export function readCollector(environment: NodeJS.ProcessEnv = process.env): Collector | undefined {
  const base = environment['OTEL_EXPORTER_OTLP_ENDPOINT'];
  const own = environment['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'];
  const url = own || (base ? `${base.replace(/\/$/, '')}/v1/traces` : '');
  if (url === '' || environment['OTEL_SDK_DISABLED'] === 'true') return undefined;
  const headers =
    environment['OTEL_EXPORTER_OTLP_TRACES_HEADERS'] ?? environment['OTEL_EXPORTER_OTLP_HEADERS'];
  return { url, headers: headers ?? '', service: environment['OTEL_SERVICE_NAME'] || 'ploidy' };
}

/** Settings of earlier versions, each with the version that removed it. They are ignored, so that an update starts. */
const retired: Readonly<Record<string, string>> = { PLOIDY_QUERIES_SHARE: '0.2.0' };

/** Returns a sentence for each setting that is given and no longer there. */
export function retiredSettings(environment: NodeJS.ProcessEnv = process.env): string[] {
  return Object.entries(retired)
    .filter(([name]) => givenIn(environment)[name] !== undefined)
    .map(([name, version]) => `${name} does nothing since ${version}: remove it from the configuration`);
}

function givenIn(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const file = configFileIn(environment);
  return { ...(file ? parseEnv(readOrRefuse(file)) : {}), ...environment };
}

/** Returns the path of the configuration file, if there is one. */
export function configFileIn(environment: NodeJS.ProcessEnv = process.env): string | undefined {
  return environment['PLOIDY_CONFIG_FILE'];
}

function readOrRefuse(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new ConfigError(`PLOIDY_CONFIG_FILE names a file that cannot be read: ${reasonOf(error)}.`);
  }
}

function refuseUnknown(names: string[]): void {
  const known = [...Object.values(settings).map((one) => one.variable), ...clientVariables];
  for (const name of names) {
    // Includes ploidy_port and PLOIDYPORT, which are typing errors, but not other programs' names, such as
    // PLOIDYDB_HOST.
    const upper = name.toUpperCase();
    const isOurs = upper.startsWith('PLOIDY_') || known.some((one) => bare(one) === bare(upper));
    if (!isOurs || upper.startsWith('PLOIDY_TEST_') || known.includes(name) || name in retired) continue;
    throw new ConfigError(`There is no setting ${name}. Did you mean ${nearest(name, known)}?`);
  }
}

const bare = (name: string): string => name.replaceAll(/[^A-Z0-9]/g, '');
