import { SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler } from 'kysely';
import type { Flavour } from '../handles.ts';

export const sqliteFlavour: Flavour = {
  compiler: new SqliteQueryCompiler(),
  adapter: new SqliteAdapter(),
  introspector: (db) => new SqliteIntrospector(db),
};
