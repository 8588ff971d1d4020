/**
 * Proves which operations both engines answer alike, and writes the table of their signatures:
 * `PLOIDY_TEST_TRINO=FOLDER npm run prove:trino -- [FILE]`. The file gets the reasons for those that stay in the process.
 * `PLOIDY_TEST_TRINO_PORT` names a Trino that runs, with a catalogue `ploidy` in memory.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { renamedFunctions } from '../../../packages/engine/src/cluster/functions.ts';
import { signatureOf } from '../../../packages/engine/src/cluster/proof.ts';
import { freePort } from '../../support/free-port.ts';
import { startCluster } from '../cluster.ts';
import {
  type Candidate,
  clauses,
  conversions,
  functions,
  groupings,
  operators,
  trinoFunctions,
  windows,
} from './candidates.ts';
import { digestOfDialect } from './digest.ts';
import { Engines } from './engines.ts';
import { Prover } from './prover.ts';

/** Writes the signatures by name, for the printer. */
function tableText(signatures: ReadonlyMap<string, string>): string {
  const byName = Map.groupBy(
    [...signatures].sort(([a], [b]) => (a < b ? -1 : 1)),
    ([key]) =>
      key.slice(0, key.indexOf('(', key.startsWith('(') || key.startsWith('IN (') ? key.indexOf(')') : 0)),
  );
  return [...byName]
    .map(
      ([name, list]) =>
        `${name}: ${list.map(([key, type]) => `${key.slice(name.length + 1, -1)} = ${type}`).join('; ')}`,
    )
    .join('\n');
}

/** Writes the table for the printer. */
function writeTable(signatures: ReadonlyMap<string, string>): void {
  const text = `/** Digest of the dialect and the printer that the table was made with. */
export const provenDigest = '${digest}';

/**
 * Operations that both engines answer alike, as \`readSignatures\` reads them. \`test/trino/equality/prove.ts\` writes
 * this file; \`!\` marks a result that has another type in Trino.
 */
export const provenText = \`
${tableText(signatures)}
\`;
`;
  writeFileSync(join(import.meta.dirname, '../../../packages/engine/src/cluster/proven.ts'), text);
}

const catalog = ['connector.name=memory'];

/** Digest of the sources as they were read. */
const digest = digestOfDialect();

if (import.meta.main) {
  const [, , keptPath] = process.argv;
  const running = process.env['PLOIDY_TEST_TRINO_PORT'];
  const port = running === undefined ? await freePort() : Number(running);
  const cluster = running === undefined ? await startCluster({ port, nodes: 1, catalog }) : undefined;
  const engines = await Engines.open(port);
  const { rows } = await engines.trino('SHOW FUNCTIONS');
  const known = trinoFunctions(rows);
  const prover = new Prover(engines);
  const byName = Map.groupBy(functions(known), ({ expression }) =>
    expression.slice(0, expression.indexOf('(')),
  );
  const isProven = (name: string, type: string): boolean =>
    prover.signatures.has(signatureOf(renamedFunctions.get(name) ?? name, [type]));
  const stages: [string, () => readonly Candidate[]][] = [
    ['clauses and conversions', () => [...clauses, ...conversions]],
    ['operators', () => operators],
    ['clauses', () => clauses],
    ['aggregates', () => groupings(known)],
    ['windows', () => windows(isProven)],
    ...[...byName].map(([name, list]): [string, () => Candidate[]] => [name, () => list]),
  ];
  for (const [name, candidatesOf] of stages) {
    const candidates = candidatesOf();
    const begin = Date.now();
    await prover.prove(candidates);
    prover.dropInexact();
    const counts = `${prover.signatures.size} proven, ${prover.kept.size} stay, ${prover.compared} values`;
    const seconds = Math.round((Date.now() - begin) / 1000);
    process.stdout.write(`${name}: ${candidates.length} candidates; in all ${counts}; ${seconds} s\n`);
    writeTable(prover.signatures);
    const reasons = [...prover.untried, ...prover.kept].map(([key, reason]) => `${key}\t${reason}`);
    if (keptPath) writeFileSync(keptPath, `${reasons.sort().join('\n')}\n`);
  }
  engines.close();
  await cluster?.stop();
}
