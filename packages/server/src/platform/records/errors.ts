// SQLite's extended result codes, https://www.sqlite.org/rescode.html
const sqliteUnique = new Set([2067, 1555, 2579]);
/** Primary codes: BUSY, LOCKED, NOMEM, IOERR, FULL, CANTOPEN. */
const sqliteUnavailable = new Set([5, 6, 7, 10, 13, 14]);
const sqliteBusy = 5;
const sqliteFull = 13;
// PostgreSQL's SQLSTATE codes, https://www.postgresql.org/docs/current/errcodes-appendix.html
const postgresRetryable = new Set(['40001', '40P01']);
const postgresFull = '53100';
/** Read-only: a standby, or a primary that an operator set so. */
const postgresReadOnly = '25006';
/**
 * SQLSTATE classes: connection exception, insufficient resources, operator intervention (shutdown, timeout),
 * system error. New connections also fail by configuration, which an operator repairs: a wrong password, a
 * renamed database, or one that accepts no connections.
 */
const postgresUnavailable = /^((08|53|57|58|28)[0-9A-Z]{3}|3D000|55000)$/;
const connectionLost = /^(ECONN|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN)/;
/** pg's own errors for a lost or unobtainable connection carry no code. */
const connectionLostText =
  /^(Connection terminated|timeout exceeded when trying to connect|Query read timeout)|not queryable$/;

function field(error: unknown, name: string): unknown {
  return typeof error === 'object' && error !== null ? Reflect.get(error, name) : undefined;
}

/** Errors that PostgreSQL or the way to it gave: other parts of the service lose connections too. */
const fromPostgres = new WeakSet<object>();

/** Marks an error as one of the records, and throws it on. */
export function throwFromRecords(error: unknown): never {
  if (typeof error === 'object' && error !== null) fromPostgres.add(error);
  throw error;
}

/** True when a unique index or primary key refused a row, on either store; with `table`, a row of that table. */
export function isUniqueViolation(error: unknown, table?: string): boolean {
  const sqliteCode = field(error, 'errcode');
  if (typeof sqliteCode === 'number') {
    return sqliteUnique.has(sqliteCode) && (table === undefined || String(error).includes(` ${table}.`));
  }
  return field(error, 'code') === '23505' && (table === undefined || field(error, 'table') === table);
}

/** True when the records cannot be used at present (disk full, connection lost, shutting down, read-only): for a 503, not a 500. */
export function isUnavailable(error: unknown): boolean {
  const sqliteCode = field(error, 'errcode');
  if (typeof sqliteCode === 'number') return sqliteUnavailable.has(sqliteCode & 0xff);
  if (!(error instanceof Error) || !fromPostgres.has(error)) return false;
  const code = field(error, 'code');
  if (typeof code !== 'string') return connectionLostText.test(error.message);
  // A transaction that lost all its attempts to others has changed nothing, and may succeed later.
  const hasLost = postgresRetryable.has(code);
  return hasLost || code === postgresReadOnly || postgresUnavailable.test(code) || connectionLost.test(code);
}

/** True when another program holds a lock of SQLite's file. */
export function isLocked(error: unknown): boolean {
  const sqliteCode = field(error, 'errcode');
  return typeof sqliteCode === 'number' && (sqliteCode & 0xff) === sqliteBusy;
}

/** True when the file of SQLite is damaged, or is none: CORRUPT, NOTADB. */
export function isDamaged(error: unknown): error is Error {
  const sqliteCode = field(error, 'errcode');
  return error instanceof Error && typeof sqliteCode === 'number' && [11, 26].includes(sqliteCode & 0xff);
}

/** True when PostgreSQL accepts no changes on that connection. */
export function isReadOnly(error: unknown): boolean {
  return field(error, 'code') === postgresReadOnly;
}

/** True when the disk of the records is full, which is one way of being unavailable. */
export function isFull(error: unknown): boolean {
  const sqliteCode = field(error, 'errcode');
  if (typeof sqliteCode === 'number') return (sqliteCode & 0xff) === sqliteFull;
  return error instanceof Error && fromPostgres.has(error) && field(error, 'code') === postgresFull;
}

/** True when PostgreSQL gave up a transaction that may succeed when it is run again. */
export function isRetryable(error: unknown): boolean {
  const code = field(error, 'code');
  return typeof code === 'string' && postgresRetryable.has(code);
}
