import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { TestContext } from 'node:test';

/** A process of its own that a test may kill. */
export interface Child {
  process: ChildProcess;
  /** Resolves with the child's next `process.send`; rejects when the child ends instead. */
  message(): Promise<unknown>;
  /** Kills it as a power cut would, and waits for its end. */
  kill(): Promise<void>;
}

/** Runs `script`, a module, in a process that lives until it is killed, at the latest after the test. */
export function startChild(context: TestContext, script: string): Child {
  const lives = 'setInterval(() => {}, 1_000_000);';
  const child = spawn(process.execPath, ['--input-type=module', '-e', `${lives}\n${script}`], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const ended = once(child, 'exit');
  const kill = async () => {
    child.kill('SIGKILL');
    await ended;
  };
  context.after(kill);
  return {
    process: child,
    kill,
    message: async () => {
      const first = await Promise.race([once(child, 'message'), ended.then(() => undefined)]);
      if (first === undefined) throw new Error('The process ended without a message.');
      return first[0];
    },
  };
}

/** Returns an import that works in such a script, for a path relative to the caller's `import.meta.url`. */
export function importFrom(path: string, base: string): string {
  return `await import(${JSON.stringify(new URL(path, base).href)})`;
}
