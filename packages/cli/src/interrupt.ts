import { exitCodes, Interrupted } from './exit.ts';

/** One Ctrl-C may arrive twice within moments: from the terminal and passed on by `npm` or an older Node. */
const sameKeyMs = 1000;

/**
 * Runs `work` with a signal that Ctrl-C aborts. `cancel` then undoes what was begun, and describes the outcome; a second Ctrl-C ends
 * the process at once.
 */
export async function interruptible<T>(
  work: (signal: AbortSignal) => Promise<T>,
  cancel: () => Promise<string>,
): Promise<T> {
  const controller = new AbortController();
  let firstAt = 0;
  const onSignal = (): void => {
    if (controller.signal.aborted && Date.now() - firstAt > sameKeyMs) process.exit(exitCodes.interrupted);
    firstAt ||= Date.now();
    controller.abort(new Error('interrupted'));
  };
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  for (const signal of signals) process.on(signal, onSignal);
  try {
    return await work(controller.signal);
  } catch (error) {
    if (!controller.signal.aborted) throw error;
    throw new Interrupted(await cancel());
  } finally {
    for (const signal of signals) process.off(signal, onSignal);
  }
}
