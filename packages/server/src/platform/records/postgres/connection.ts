import type { CompiledQuery, DatabaseConnection, QueryResult } from 'kysely';
import type { QueryResult as PgResult, Pool, PoolClient } from 'pg';
import { isReadOnly, throwFromRecords } from '../errors.ts';
import { refuseStream } from '../handles.ts';

const changing = new Set(['INSERT', 'UPDATE', 'DELETE', 'MERGE']);

/** Anything of pg's that runs a query: a client, or a pool that picks one. */
interface Queryable {
  query(text: string, values: unknown[]): Promise<PgResult>;
}

/** Kysely's view of a pg client or pool. */
export function connectionOn(queryable: Queryable): DatabaseConnection {
  return {
    executeQuery: async <Row>(query: CompiledQuery): Promise<QueryResult<Row>> => {
      const { command, rowCount, rows } = await queryable
        .query(query.sql, [...query.parameters])
        .catch(throwFromRecords);
      if (!changing.has(command)) return { rows };
      return { rows, numAffectedRows: BigInt(rowCount ?? 0) };
    },
    streamQuery: refuseStream,
  };
}

/**
 * Runs `body` between BEGIN and COMMIT on a connection of the pool. One on which even ROLLBACK fails is not used again, since
 * its state is unknown. Nor is one that accepts no changes: behind the same address another server may do so by now.
 */
export async function inTransaction<T>(pool: Pool, body: (client: PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect().catch(throwFromRecords);
  let broken: Error | undefined;
  const breaks = (error: Error) => {
    broken ??= error;
  };
  // Without a listener a connection lost between two queries would end the process; the next query reports it.
  client.on('error', breaks);
  try {
    // The conditional updates rely on it; a database may give another level to all.
    await client.query('begin isolation level read committed').catch(throwFromRecords);
    const value = await body(client);
    const { command } = await client.query('commit').catch(throwFromRecords);
    // PostgreSQL answers the COMMIT of a transaction in which something failed with ROLLBACK, and with no error.
    if (command !== 'COMMIT') throw new Error('The transaction was rolled back by the database.');
    return value;
  } catch (error) {
    await client.query('rollback').catch(breaks);
    if (isReadOnly(error)) breaks(error as Error);
    throw error;
  } finally {
    client.off('error', breaks);
    client.release(broken);
  }
}
