/** Runs lines of arguments of standard input (JSON) one after the other in this process, and prints those that end badly (JSON). */
import { text } from 'node:stream/consumers';
import { main } from '../../packages/cli/src/main.ts';

const lines = JSON.parse(await text(process.stdin)) as string[][];
const wrong: string[] = [];
const [writeOut, writeError] = [process.stdout.write, process.stderr.write];
let shown = '';
const keep = ((chunk: unknown, ...rest: unknown[]) => {
  shown += String(chunk);
  const done = rest.findLast((one) => typeof one === 'function');
  if (typeof done === 'function') process.nextTick(() => done());
  return true;
}) as typeof process.stdout.write;

process.stdout.setMaxListeners(0);
process.stdout.write = keep;
process.stderr.write = keep;
for (const words of lines) {
  shown = '';
  const ended = await main(words).catch((error: unknown) => `threw ${String(error)}`);
  const isCode = typeof ended === 'number' && ended >= 0 && ended <= 5;
  const hasTrace = /^\s+at .*:\d+:\d+\)?$|UNEXPECTED|An error of this program/m.test(shown);
  const isSilent = ended !== 0 && shown.trim() === '';
  if (!isCode || hasTrace || isSilent)
    wrong.push(`${JSON.stringify(words)}: ${ended}: ${shown.slice(0, 300)}`);
}
process.stdout.write = writeOut;
process.stderr.write = writeError;
process.stdout.write(JSON.stringify(wrong));
