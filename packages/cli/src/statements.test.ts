import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { statementsOf } from './statements.ts';

test('several statements of one line are split, and quoted semicolons are not', () => {
  const cases: [string, string[], string][] = [
    ['SELECT 1 AS a; SELECT 2 AS b;', ['SELECT 1 AS a', 'SELECT 2 AS b'], ''],
    ["SELECT ';'';'; ;", ["SELECT ';'';'"], ''],
    ['SELECT ";" -- a; b\n; x', ['SELECT ";" -- a; b'], ' x'],
    ['/* ; */ SELECT 1; /* ;', ['/* ; */ SELECT 1'], ' /* ;'],
    ["SELECT 'open;", [], "SELECT 'open;"],
    ['SELECT $$;$$; SELECT $a$;$$;$a$; $x$;', ['SELECT $$;$$', 'SELECT $a$;$$;$a$'], ' $x$;'],
    ['SELECT a$b$; SELECT $1; $c$', ['SELECT a$b$', 'SELECT $1'], ' $c$'],
    [String.raw`SELECT E'\';'; SELECT '\'; x`, [String.raw`SELECT E'\';'`, String.raw`SELECT '\'`], ' x'],
    ['/* a /* b */ ; */ SELECT 1; 2 */ 3; /*', ['/* a /* b */ ; */ SELECT 1', '2 */ 3'], ' /*'],
  ];
  for (const [text, complete, rest] of cases) assert.deepEqual(statementsOf(text), { complete, rest });
});

test('statements that are joined by semicolons are split into the same ones', () => {
  const part = fc.constantFrom(
    'SELECT 1',
    "';'",
    '"a;b"',
    '/* ; */',
    '/*/* ; */;*/',
    '$$;$$',
    "E'\\';'",
    'x',
  );
  const statement = fc.array(part, { minLength: 1 }).map((parts) => parts.join(' '));
  fc.assert(
    fc.property(fc.array(statement), (statements) => {
      const { complete, rest } = statementsOf(statements.map((one) => `${one};`).join('\n'));
      assert.deepEqual([complete, rest.trim()], [statements, '']);
    }),
  );
});
