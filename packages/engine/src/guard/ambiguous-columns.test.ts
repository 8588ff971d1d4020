import assert from 'node:assert/strict';
import { test } from 'node:test';
import { useEngine } from '../engine.fixture.ts';
import type { TableShape } from '../engine.ts';
import { StatementRefused } from '../engine.ts';

const opened = useEngine({ query: { idleWorkers: 0 } });

const shape = (name: string, columns: string[]): TableShape => ({
  name,
  columns: columns.map((column) => ({ name: column, type: 'VARCHAR' })),
  rowCount: 10,
});

const tables = [
  shape('observation', ['patient_id', 'id', 'status', 'code']),
  shape('procedure', ['patient_id', 'id', 'status', 'reason']),
];
const names = tables.map(({ name }) => name);

async function bind(sql: string): Promise<void> {
  const { sql: checked } = await opened.engine.check(sql, names);
  assert.ok(await opened.engine.bind(sql, checked, tables));
}

const both = 'SELECT * FROM observation o JOIN procedure p ON o.patient_id = p.patient_id';
const shared = 'SELECT * FROM observation JOIN procedure USING (patient_id)';

const ambiguous = `
SELECT status FROM (${both})
SELECT d.status FROM (${both}) AS d
SELECT "Status" FROM (${both}) d
SELECT count(*) FROM (${both}) WHERE upper(status) = 'FINAL'
SELECT count(*) FROM (${both}) GROUP BY status
SELECT * FROM (${both}) ORDER BY status
SELECT code, count(*) FROM (${both}) GROUP BY code HAVING max(status) > 'a'
SELECT row_number() OVER (PARTITION BY status) FROM (${both})
SELECT p.code FROM observation p JOIN (${both}) d ON d.status = p.status
WITH d AS (${both}) SELECT status FROM d
WITH d AS (${both}), e AS (SELECT * FROM d) SELECT f.id FROM e AS f
WITH d AS (SELECT status AS x, code AS x FROM observation) SELECT x FROM d
WITH d(x, x) AS (SELECT status, code FROM observation) SELECT x FROM d
SELECT id FROM (${shared})
SELECT id FROM (SELECT o.*, p.id FROM observation o, procedure p)
SELECT (SELECT max(status) FROM (${both})) FROM procedure
SELECT code FROM observation WHERE id IN (SELECT id FROM (${both}))
SELECT status FROM (${both}) UNION ALL SELECT code FROM observation
SELECT status FROM (${both} UNION ALL ${both})
SELECT n FROM (SELECT status AS n FROM (${both}))
SELECT status AS s FROM (${both}) ORDER BY s
`;

for (const sql of ambiguous.trim().split('\n')) {
  test(`a column that is there twice is refused: ${sql}`, async () => {
    await assert.rejects(bind(sql), (problem) => {
      assert.ok(problem instanceof StatementRefused, String(problem));
      assert.match(problem.message, /line 1, column \d+: the column ".*" is ambiguous/);
      return true;
    });
  });
}

const clear = `
SELECT * FROM (${both})
SELECT code, reason FROM (${both})
SELECT count(*) FROM (${both})
SELECT patient_id FROM (${shared})
SELECT patient_id FROM (SELECT * FROM observation NATURAL JOIN procedure)
SELECT o.status, p.status FROM observation o JOIN procedure p USING (patient_id)
SELECT status FROM (SELECT * EXCLUDE (status), o.status FROM observation o JOIN procedure p USING (patient_id))
SELECT status FROM (SELECT o.* FROM observation o JOIN procedure p USING (patient_id))
SELECT status FROM (SELECT * FROM observation o SEMI JOIN procedure p USING (patient_id))
SELECT a FROM (${both}) AS d(a, b, c)
WITH d(a, b, c) AS (${both}) SELECT a FROM d
SELECT p.status FROM (${both}) AS d JOIN procedure p ON p.reason = d.reason
SELECT o.status FROM (observation o JOIN procedure p ON o.status = p.id) JOIN (${both}) d ON d.code = o.code
SELECT reason AS status FROM (${both}) ORDER BY status
SELECT list_transform([code], status -> status || 'x') FROM (${both})
SELECT (SELECT max(status) FROM procedure) FROM (${both})
WITH status AS (${both}) SELECT status.code FROM status
WITH observation AS (SELECT status, code FROM observation), d AS (SELECT * FROM observation) SELECT status FROM d
WITH RECURSIVE r AS (SELECT id, status FROM observation UNION ALL SELECT id, status FROM r WHERE false) SELECT status FROM r
SELECT status FROM (SELECT status FROM observation UNION ALL BY NAME SELECT status FROM procedure)
SELECT (SELECT max(o.id) FROM observation o WHERE o.id = d.status) FROM (${both}) d
SELECT o.id FROM observation o JOIN (${both}) d USING (status)
SELECT DISTINCT code FROM (${both}) LIMIT 3
`;

for (const sql of clear.trim().split('\n')) {
  test(`a column that is not ambiguous for certain is not refused: ${sql}`, () => bind(sql));
}
