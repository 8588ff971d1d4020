import type {
  CompiledQuery,
  ConnectionProvider,
  DatabaseConnection,
  DatabaseIntrospector,
  Dialect,
  DialectAdapter,
  Driver,
  QueryCompiler,
  QueryExecutor,
  QueryResult,
} from 'kysely';
import { DefaultQueryExecutor, Kysely, Transaction } from 'kysely';
import { requireExact } from './bound-numbers.ts';
import type { Database } from './schema.ts';

/** Dialect of a store for Kysely. */
export interface Flavour {
  compiler: QueryCompiler;
  adapter: DialectAdapter;
  introspector(db: Kysely<unknown>): DatabaseIntrospector;
}

function refuse(): never {
  throw new Error('Transactions go through Records.transact.');
}

/** Connections and transactions are ours to manage, so Kysely's driver has nothing to do. */
const driver: Driver = {
  init: async () => undefined,
  acquireConnection: async () => refuse(),
  beginTransaction: async () => refuse(),
  commitTransaction: async () => refuse(),
  rollbackTransaction: async () => refuse(),
  releaseConnection: async () => undefined,
  destroy: async () => undefined,
};

function dialectOf({ compiler, adapter, introspector }: Flavour): Dialect {
  return {
    createDriver: () => driver,
    createQueryCompiler: () => compiler,
    createAdapter: () => adapter,
    createIntrospector: introspector,
  };
}

function executorOf({ compiler, adapter }: Flavour, connection: DatabaseConnection): QueryExecutor {
  return new DirectExecutor({ compiler, adapter }, connection);
}

/** Hands queries to the connection at once: there are no plugins to ask, and Kysely's own way to it waits five times. */
class DirectExecutor extends DefaultQueryExecutor {
  readonly #connection: DatabaseConnection;

  constructor({ compiler, adapter }: Omit<Flavour, 'introspector'>, connection: DatabaseConnection) {
    const provider: ConnectionProvider = { provideConnection: (consumer) => consumer(connection) };
    super(compiler, adapter, provider);
    this.#connection = connection;
  }

  override executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    return this.#connection.executeQuery(query);
  }
}

/** Executes every query on a connection. */
async function execute<Row>(connection: DatabaseConnection, query: CompiledQuery): Promise<QueryResult<Row>> {
  requireExact(query);
  return connection.executeQuery(query);
}

/** Kysely for reads over a connection, or over what hands each query to a free one. */
export function readerOn(flavour: Flavour, connection: DatabaseConnection): Kysely<Database> {
  const dialect = dialectOf(flavour);
  const scope: DatabaseConnection = {
    executeQuery: (query) => execute(connection, query),
    streamQuery: refuseStream,
  };
  return new Kysely({ config: { dialect }, dialect, driver, executor: executorOf(flavour, scope) });
}

/** A `tx` and the end of its usefulness. */
interface TransactionHandle {
  tx: Transaction<Database>;
  /** Refuses further queries: a late one would run in another transaction. */
  end(): void;
  /** Throws what a query of it failed with, though the failure was caught: PostgreSQL would roll back in silence. */
  assertSound(): void;
}

/** Makes `tx` objects over connections on which their user has begun a transaction or savepoint. */
export function transactionHandles(flavour: Flavour): (connection: DatabaseConnection) => TransactionHandle {
  const dialect = dialectOf(flavour);
  const config = { dialect };
  return (connection) => {
    let ended = false;
    let failure: { error: unknown } | undefined;
    const failed = (error: unknown): never => {
      failure ??= { error };
      throw error;
    };
    const scope: DatabaseConnection = {
      executeQuery: (query) => {
        if (ended) throw new Error('The transaction has ended: await every query inside it.');
        return execute<never>(connection, query).catch(failed);
      },
      streamQuery: refuseStream,
    };
    const tx = new Transaction<Database>({ config, dialect, driver, executor: executorOf(flavour, scope) });
    return {
      tx,
      end: () => {
        ended = true;
      },
      assertSound: () => {
        if (failure !== undefined) throw failure.error;
      },
    };
  };
}

/** Refuses an open cursor, which would hold back, or hide, later commits. */
export function refuseStream(): never {
  throw new Error('Reads are not streamed: page by key instead.');
}
