import type { TrinoAddress } from '@ploidy/engine';
import {
  ConfigError,
  readDuration,
  readInteger,
  readProjectId,
  readSize,
  setting,
  timerMax,
} from './values.ts';

/** Reads the address of a cluster. Errors do not repeat the value, which may hold a password. */
function readEngineAddress(text: string, variable: string): TrinoAddress | undefined {
  if (text === '') return undefined;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const [, catalog] = /^\/([a-z0-9_]{1,64})$/.exec(url?.pathname ?? '') ?? [];
  if (url?.protocol !== 'trino:' || url.hostname === '' || catalog === undefined)
    throw new ConfigError(`${variable} should be like trino://user:password@host:8443/catalog?ssl=true.`);
  const scheme = url.searchParams.get('ssl') === 'true' ? 'https' : 'http';
  return {
    url: new URL(`${scheme}://${url.host}`),
    catalog,
    user: decodeURIComponent(url.username),
    password: decodeURIComponent(url.password),
  };
}

/** Settings of queries, ingestions and the merging of files. */
export const engineLimits = {
  threads: setting(
    'PLOIDY_THREADS',
    readInteger(1, 256),
    '2',
    'threads',
    'Threads of one query or ingestion. Parsers of an ingestion use at most four.',
  ),
  ingestionsMax: setting(
    'PLOIDY_INGESTIONS_MAX',
    readInteger(1, 64),
    '1',
    'ingestions',
    'Maximum concurrent ingestions of this process, and one more of a file below 100 MB, one of a file below 1 MB.',
  ),
  ingestionMemoryBytes: setting(
    'PLOIDY_INGESTION_MEMORY',
    readSize('16MiB'),
    '256MiB',
    'bytes',
    'Engine memory of one ingestion; more is spilled to disk.',
  ),
  annotationProject: setting(
    'PLOIDY_ANNOTATION_PROJECT',
    readProjectId,
    '',
    'id',
    'Project whose annotation files (ClinVar, gnomAD …) annotate the variants of all projects, after their own annotations. Processes that share a database share this setting.',
  ),
  compactionFiles: setting(
    'PLOIDY_COMPACTION_FILES',
    readInteger(0, 10_000),
    '8',
    'files',
    'Number of similarly large files of a table that are merged in the background; 0 disables merging.',
  ),
  engineUrl: setting(
    'PLOIDY_ENGINE_URL',
    readEngineAddress,
    '',
    'URL',
    'Trino cluster for queries of large tables: `trino://user:password@host:8443/catalog?ssl=true`, whose catalog reads `/iceberg/engine` of this service (docs/operate/trino.md). Empty: all queries run in this process.',
  ),
  engineBytesMin: setting(
    'PLOIDY_ENGINE_FROM',
    readSize('0'),
    '10GiB',
    'bytes',
    'Size of the files that a statement opens from which on it runs in the cluster of `PLOIDY_ENGINE_URL`.',
  ),
  queriesMax: setting(
    'PLOIDY_QUERIES_MAX',
    readInteger(1, 256),
    '4',
    'queries',
    'Maximum concurrent queries of this process; further ones wait. Half of the places are kept for short ones.',
  ),
  queryMemoryBytes: setting(
    'PLOIDY_QUERY_MEMORY',
    readSize('16MiB'),
    '1GiB',
    'bytes',
    'Engine memory of one query; more is spilled to disk.',
  ),
  queryResultBytes: setting(
    'PLOIDY_QUERY_RESULT_MAX',
    readSize('1'),
    '20GiB',
    'bytes',
    'Maximum size of a result file.',
  ),
  slowQueryMs: setting(
    'PLOIDY_SLOW_QUERY',
    readDuration('0s', timerMax),
    '30s',
    'duration',
    'Run time from which a statement has a line in the log, with its digest and no values.',
  ),
  queryTimeMs: setting(
    'PLOIDY_QUERY_TIME',
    readDuration('1s', timerMax),
    '1h',
    'duration',
    'Maximum run time of a query.',
  ),
  ingestionTimeMs: setting(
    'PLOIDY_INGESTION_TIME',
    readDuration('1s', timerMax),
    '24h',
    'duration',
    'Longest run time of an ingestion, and longest time that one sync may fetch from an EHR system.',
  ),
  idleWorkers: setting(
    'PLOIDY_IDLE_WORKERS',
    readInteger(0, 64),
    '2',
    'processes',
    'Idle query processes kept ready. With 0, engine processes start on demand, and each request of `/readyz` starts one.',
  ),
} as const;
