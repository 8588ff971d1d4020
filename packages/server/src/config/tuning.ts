const secondMs = 1000;
const minuteMs = 60 * secondMs;
const dayMs = 24 * 60 * minuteMs;

/** Values that no operator has a reason to change. A test may run a service with others. */
export const tuning = {
  /** PostgreSQL connections of a process: nine processes fit into the 100 that PostgreSQL allows by default. */
  databasePoolSize: 10,
  /** Memory for headers and indexes of BAM and VCF files: about 100 indexes of whole genomes. */
  htsgetCacheBytes: 256 * 2 ** 20,
  /** Largest JSON body; a query text or policy is far smaller. */
  bodyMaxBytes: 2 ** 20,
  /** Time for all parts of an upload; what has arrived by then is removed. */
  uploadLifeMs: 7 * dayMs,
  /** Longest time a request (an upload) may take to arrive: 5 TiB at 60 MB/s. */
  requestTimeoutMs: dayMs,
  /** Work that may arrive together; requests beyond what is done in this time get 503 (adr/0013). */
  overloadDelayMs: 200,
  /** Time without a turn of the main thread after which `/healthz` of the probes reports the process as dead. */
  silenceMaxMs: minuteMs,
  /** Requests in progress at once, uploads and downloads not counted; more get 503 (adr/0013). */
  requestsMax: 1000,
  /** Interval between looks for pending deletions whose grace period is over. */
  deletionCheckMs: minuteMs,
  /** Time a stop waits for requests in flight before it cuts their connections. */
  shutdownMs: 20 * secondMs,
  /** Time for the aborted handlers of cut connections: each ends a transaction or a process. Both times are half of what deploy/ allows. */
  handlersMaxMs: 10 * secondMs,
  /** Remote files above this size are not copied whole where some of their row groups are enough. */
  wholeMaxBytes: 256 * 2 ** 20,
  /** Maximum rows of a merged file. Larger files read faster, and take longer to merge and rewrite. */
  compactionRowsMax: 10_000_000,
  /** Disk that one query or ingestion may use while it runs; `PLOIDY_DISK_RESERVE` guards smaller disks. */
  queryTemporaryBytes: 20 * 2 ** 30,
  /** Run time from which on a query is long: the last place of a process is kept for shorter ones. */
  queryShortMs: 5 * secondMs,
  /** Queries of one user in an account that wait or run at once: an export may start 500. */
  userQueriesMax: 1000,
  /** Size below which a file is ingested in the place for small ones, and the maximum time there. */
  ingestionShortBytes: 100e6,
  ingestionShortMs: minuteMs,
  /** Size and maximum time of files in the place for the smallest ones. */
  ingestionSmallBytes: 1e6,
  ingestionSmallMs: 10 * secondMs,
  /** Time that others wait before a long query, a sync or background work is set aside for them; doubled each time. */
  yieldMs: 2 * minuteMs,
  /** Time without a question after which a running statement of the Trino protocol is cancelled; clients ask each second. */
  statementWaitMs: minuteMs,
  /** Time without a question after which the result of such a statement is removed. */
  statementKeptMs: 5 * minuteMs,
  /** Time for all statements of a search of the Beacon; clients of the standard wait about this long. */
  beaconTimeMs: 30 * secondMs,
  /** Silence after which a process at work on a query or ingestion is killed, and its work tried again. */
  workerSilenceMs: minuteMs,
  /** Requests sent to an EHR system for one answer before a sync fails: a minute, as waits double from a second. */
  ehrAttemptsMax: 7,
  /** Time for which a mail is tried (RFC 5321 §4.5.4.1: four to five days). */
  mailGiveUpMs: 5 * dayMs,
  /** Life of an invitation and of the link in its mail. */
  invitationLifeMs: 30 * dayMs,
};

export type Tuning = typeof tuning;
