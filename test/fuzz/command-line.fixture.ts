/** Runs lines of standard input (JSON) one after the other in this process, and prints those that end badly (JSON). */
import { text } from 'node:stream/consumers';
import { main } from '../../packages/cli/src/main.ts';

/** Arguments, and the key by which the server knows how to answer. */
export interface Line {
  words: string[];
  key: string;
}

const lines = JSON.parse(await text(process.stdin)) as Line[];
const wrong: string[] = [];
const [writeOut, writeError] = [process.stdout.write, process.stderr.write];
let shown = '';
/** Line that runs; a command that waits for nothing ends this process. */
let at = '';
const keep = ((chunk: unknown, ...rest: unknown[]) => {
  shown += String(chunk);
  const done = rest.findLast((one) => typeof one === 'function');
  if (typeof done === 'function') process.nextTick(() => done());
  return true;
}) as typeof process.stdout.write;

process.stdout.setMaxListeners(0);
process.stdout.write = keep;
process.stderr.write = keep;
process.on('exit', (code) => {
  if (code !== 0) writeError.call(process.stderr, `${at}: never ended\n`);
});
for (const { words, key } of lines) {
  shown = '';
  at = `${key}: ${JSON.stringify(words)}`;
  process.env['PLOIDY_API_KEY'] = key;
  const ended = await main(words).catch((error: unknown) => `threw ${String(error)}`);
  const isCode = typeof ended === 'number' && ended >= 0 && ended <= 5;
  const hasTrace = /^\s+at .*:\d+:\d+\)?$|UNEXPECTED|An error of this program/m.test(shown);
  const isSilent = ended !== 0 && shown.trim() === '';
  if (!isCode || hasTrace || isSilent) wrong.push(`${at}: ${ended}: ${shown.slice(0, 300)}`);
}
process.stdout.write = writeOut;
process.stderr.write = writeError;
process.stdout.write(JSON.stringify(wrong));
