import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { testOnNoRecords } from '../../../../../test/support/records.ts';

/** A column as its type declares it, or as a database has it. */
interface Column {
  kind: 'text' | 'number';
  nullable: boolean;
}
type Tables = Record<string, Record<string, Column>>;

const numberTypes = /^(number|Time|Flag|\d+)$/;
const numberColumns = /^(bigint|int8|integer|int4|double precision|float8)$/i;

/** Returns the tables that `schema*.ts` declare. */
function declaredTables(): Tables {
  const texts = globSync('schema*.ts', { cwd: import.meta.dirname, exclude: ['*.test.ts'] }).map((file) =>
    readFileSync(join(import.meta.dirname, file), 'utf8').replaceAll(/\/\*\*.*?\*\//gs, ''),
  );
  const interfaces = new Map<string, [name: string, type: string][]>();
  for (const [, name = '', body = ''] of texts
    .join('\n')
    .matchAll(/^(?:export )?interface (\w+)[^{]*\{(.*?)^\}/gms))
    interfaces.set(
      name,
      [...body.matchAll(/^ {2}(\w+): (.+?);$/gms)].map(([, field = '', type = '']) => [field, type]),
    );
  const tables = [...interfaces].filter(([name]) => !name.endsWith('Table')).flatMap(([, fields]) => fields);
  return Object.fromEntries(
    tables.map(([table, type]) => [
      table,
      Object.fromEntries((interfaces.get(type) ?? []).map(([name, declared]) => [name, columnOf(declared)])),
    ]),
  );
}

function columnOf(declared: string): Column {
  const plain = declared.replace(/^Generated<(.+)>$/, '$1');
  const nullable = plain.endsWith(' | null');
  const kind = numberTypes.test(plain.replace(/ \| null$/, '')) ? 'number' : 'text';
  return { kind, nullable };
}

testOnNoRecords(
  'the table types name every column of the database, with its type and nullability',
  async ({ open }) => {
    const { read } = await open();
    const tables: Tables = {};
    for (const { name, columns } of await read.introspection.getTables()) {
      if (name === 'schema_migrations') continue;
      tables[name] = {};
      for (const { name: column, dataType, isNullable, isAutoIncrementing } of columns) {
        const kind = numberColumns.test(dataType) ? 'number' : 'text';
        // SQLite does not declare a rowid NOT NULL.
        tables[name][column] = { kind, nullable: isNullable && !isAutoIncrementing };
      }
    }
    assert.deepEqual(declaredTables(), tables);
  },
);
