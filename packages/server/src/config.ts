import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseEnv } from 'node:util';
import { blobSettings, refuseUnfitStore } from './config-blobs.ts';
import { ehrSettings } from './config-ehrs.ts';
import { engineLimits } from './config-engine.ts';
import { mailSettings, senderMissing } from './config-mail.ts';
import { privacySettings } from './config-privacy.ts';
import {
  ConfigError,
  calendarMost,
  readDatabaseUrl,
  readDuration,
  readFolder,
  readHeaderNames,
  readInteger,
  readNetworks,
  readOrigins,
  readSize,
  readSwitch,
  readText,
  readWebAddress,
  readWord,
  setting,
  timerMost,
} from './config-values.ts';
import { reasonOf } from './reason.ts';

/** Every setting of the service. The table in docs/configuration.md is generated from this. */
export const settings = {
  dataFolder: setting(
    'PLOIDY_DATA_DIR',
    readFolder,
    './data',
    'path',
    'Folder that holds everything the service keeps: records, files, lake, keys.',
  ),
  host: setting('PLOIDY_HOST', readText, '127.0.0.1', 'address', 'Address to listen on; `0.0.0.0` for all.'),
  port: setting(
    'PLOIDY_PORT',
    readInteger(0, 65_535),
    '8080',
    'port',
    'Port to listen on; 0 takes a free one.',
  ),
  publicUrl: setting(
    'PLOIDY_PUBLIC_URL',
    readWebAddress,
    '',
    'URL',
    'Address under which clients reach the service, without a path; upload and download addresses start with it. Empty: the address listened on.',
  ),
  databaseUrl: setting(
    'PLOIDY_DATABASE_URL',
    readDatabaseUrl,
    '',
    'URL',
    '`postgres://…` keeps the records in PostgreSQL. Empty: SQLite in the data folder.',
  ),
  databasePoolSize: setting(
    'PLOIDY_DATABASE_POOL',
    readInteger(2, 200),
    '10',
    'connections',
    'PostgreSQL connections of this process.',
  ),
  trustedProxies: setting(
    'PLOIDY_TRUSTED_PROXIES',
    readNetworks,
    '',
    'addresses',
    'Proxies whose `X-Forwarded-For` is believed: addresses or networks (`10.0.0.0/8`, `loopback`), separated by commas. Without it, everybody behind a proxy counts as one address when sign-in slows down.',
  ),
  ...blobSettings,
  accountHeaders: setting(
    'PLOIDY_ACCOUNT_HEADERS',
    readHeaderNames,
    '',
    'names',
    'Further names of the `Service-Account` header, separated by commas.',
  ),
  allowedOrigins: setting(
    'PLOIDY_ALLOWED_ORIGINS',
    readOrigins,
    '',
    'origins',
    'Web applications of your own at other addresses: origins (`https://app.example.org`), separated by commas, whose pages may read answers in the browser (CORS). They come with a token or key; cookies are never let in.',
  ),
  masterKeyFile: setting(
    'PLOIDY_MASTER_KEY_FILE',
    readText,
    '',
    'path',
    'File with the key that seals secrets in the records. Empty: `<data>/secrets/master.key`, made at the first start. Processes that share a database share this key.',
  ),
  logLevel: setting(
    'PLOIDY_LOG_LEVEL',
    readWord(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']),
    'info',
    'level',
    '`fatal`, `error`, `warn`, `info`, `debug`, `trace` or `silent`.',
  ),
  bodyMaxBytes: setting('PLOIDY_BODY_MAX', readSize('1KiB'), '1MiB', 'bytes', 'Largest JSON body.'),
  fileMaxBytes: setting('PLOIDY_FILE_MAX', readSize('1'), '5TiB', 'bytes', 'Largest file.'),
  signedUrlLifeMs: setting(
    'PLOIDY_SIGNED_URL_LIFE',
    readDuration('1s', calendarMost),
    '12h',
    'duration',
    'How long an upload or download address works.',
  ),
  uploadLifeMs: setting(
    'PLOIDY_UPLOAD_LIFE',
    readDuration('1s', calendarMost),
    '7d',
    'duration',
    'How long an upload in parts may take until it is complete; then what has arrived of it is removed.',
  ),
  requestTimeoutMs: setting(
    'PLOIDY_REQUEST_TIMEOUT',
    readDuration('0s', timerMost),
    '24h',
    'duration',
    'Longest time a request (an upload) may take to arrive.',
  ),
  connectionsMax: setting(
    'PLOIDY_CONNECTIONS_MAX',
    readInteger(1, 1_000_000),
    '5000',
    'connections',
    'Open connections; more are refused. Fewer where the system lets a process open fewer files than twice these and 300 more.',
  ),
  requestsPerMinute: setting(
    'PLOIDY_REQUESTS_PER_MINUTE',
    readInteger(1, 100_000_000),
    '60000',
    'requests',
    'Requests that one caller (or one address that is not signed in) may make in a minute; more get 429.',
  ),
  overloadDelayMs: setting(
    'PLOIDY_OVERLOAD_DELAY',
    readDuration('0ms', timerMost),
    '200ms',
    'duration',
    'How much work may come in together. What came in beyond what is done in this time gets 503 with `Retry-After`.',
  ),
  requestsMax: setting(
    'PLOIDY_REQUESTS_AT_ONCE',
    readInteger(1, 1_000_000),
    '1000',
    'requests',
    'Requests that are worked on at once, uploads and downloads not counted; more get 503 with `Retry-After`.',
  ),
  deletionGraceMs: setting(
    'PLOIDY_DELETION_GRACE',
    readDuration('0s', calendarMost),
    '14d',
    'duration',
    'Grace period of a pending deletion.',
  ),
  sessionLifeMs: setting(
    'PLOIDY_SESSION_LIFE',
    readDuration('1s', calendarMost),
    '7d',
    'duration',
    'How long somebody stays signed in in a browser.',
  ),
  sessionIdleMs: setting(
    'PLOIDY_SESSION_IDLE',
    readDuration('1s', calendarMost),
    '12h',
    'duration',
    'A browser in which nothing happens for this long is signed out.',
  ),
  grantLifeMs: setting(
    'PLOIDY_REFRESH_LIFE',
    readDuration('1s', calendarMost),
    '30d',
    'duration',
    'How long a refresh token works; each refresh begins it anew, after a sign-in through SAML up to the end of its session.',
  ),
  deletionCheckMs: setting(
    'PLOIDY_DELETION_CHECK',
    readDuration('1ms', calendarMost),
    '1m',
    'duration',
    'How often pending deletions are looked for whose grace period is over.',
  ),
  jobLeaseMs: setting(
    'PLOIDY_JOB_LEASE',
    readDuration('1s', timerMost),
    '15s',
    'duration',
    'A job whose process shows no sign of life for this long is taken over by another.',
  ),
  shutdownMs: setting(
    'PLOIDY_SHUTDOWN',
    readDuration('0s', timerMost),
    '20s',
    'duration',
    'How long a stop waits for requests in flight.',
  ),
  ...engineLimits,
  ...privacySettings,
  ...ehrSettings,
  ...mailSettings,
  allowPrivateHosts: setting(
    'PLOIDY_ALLOW_PRIVATE_HOSTS',
    readSwitch,
    'false',
    'true/false',
    'Whether addresses that users enter (metadata of identity providers, EHR systems) may lie in private networks or on this computer.',
  ),
  documentation: setting('PLOIDY_DOCS', readSwitch, 'true', 'true/false', 'Whether `/docs` shows the API.'),
} as const;

/** Variables of the command line client: not ours to read, but no mistake either. */
export const clientVariables = ['PLOIDY_ADDRESS', 'PLOIDY_API_KEY', 'PLOIDY_ACCOUNT', 'PLOIDY_CONFIG_FILE'];

export { ConfigError } from './config-values.ts';

export type Config = { [K in keyof typeof settings]: ReturnType<(typeof settings)[K]['read']> };

/**
 * Reads all settings from the environment and, under it, from the file named by `PLOIDY_CONFIG_FILE` (`NAME=value` lines).
 * An unknown `PLOIDY_…` name or a value out of range throws `ConfigError`.
 */
export function readConfig(environment: NodeJS.ProcessEnv = process.env): Config {
  const file = configFileIn(environment);
  const given = { ...(file ? parseEnv(readOrRefuse(file)) : {}), ...environment };
  refuseUnknown(Object.keys(given));
  const entries = Object.entries(settings).map(([key, { variable, read, default: byDefault }]) => {
    const text = given[variable];
    return [key, read(text === undefined || text === '' ? byDefault : text, variable)];
  });
  const config = Object.fromEntries(entries) as Config;
  if (config.smtpServer && config.mailFrom === '') throw senderMissing();
  refuseUnfitStore(config);
  return { ...config, dataFolder: resolve(config.dataFolder) };
}

/** The file of settings, if there is one. */
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
    // Also ploidy_port and PLOIDYPORT, which would be read by nobody; but nothing of other programs, such as PLOIDYDB_HOST.
    const upper = name.toUpperCase();
    const isOurs = upper.startsWith('PLOIDY_') || known.some((one) => bare(one) === bare(upper));
    if (!isOurs || upper.startsWith('PLOIDY_TEST_') || known.includes(name)) continue;
    const nearest = known.toSorted((a, b) => distance(a, upper) - distance(b, upper))[0];
    throw new ConfigError(`There is no setting ${name}. Did you mean ${nearest}?`);
  }
}

const bare = (name: string): string => name.replaceAll(/[^A-Z0-9]/g, '');

/** Levenshtein distance. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const substitution = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(substitution, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
