import assert from 'node:assert/strict';
import { test } from 'node:test';
import { keptSql } from '../../../test/support/kept-sql.ts';

const sql = await keptSql(256 << 20);

const names = [
  'BOOLEAN',
  'GEOMETRY',
  "GEOMETRY('OGC:CRS84')",
  'TINYINT',
  'SMALLINT',
  'INTEGER',
  'BIGINT',
  'HUGEINT',
  'UTINYINT',
  'USMALLINT',
  'UINTEGER',
  'UBIGINT',
  'UHUGEINT',
  'FLOAT',
  'DOUBLE',
  'DECIMAL(9,3)',
  'VARCHAR',
  'BLOB',
  'BIT',
  'UUID',
  'DATE',
  'TIME',
  'TIME WITH TIME ZONE',
  'TIMESTAMP',
  'TIMESTAMP_S',
  'TIMESTAMP_MS',
  'TIMESTAMP_NS',
  'TIMESTAMP WITH TIME ZONE',
  'INTERVAL',
  "ENUM('a', 'it''s')",
  'INTEGER[]',
  'INTEGER[3]',
  'DECIMAL(4,1)[2][]',
  'MAP(VARCHAR, TIMESTAMP WITH TIME ZONE[])',
  'STRUCT("a" INTEGER, "say ""b""" STRUCT("c" DATE)[])',
  'UNION("number" INTEGER, "text" VARCHAR)',
];

for (const name of names) {
  test(`a column of the type ${name} is described by that name`, async () => {
    const [column] = await sql.columns(`SELECT NULL::${name} AS a`);
    assert.equal(column?.type.name, name);
  });
}
