import { AsyncLocalStorage } from 'node:async_hooks';
import { tracingChannel } from 'node:diagnostics_channel';

/** Work that a tracer follows. */
export interface TracedWork {
  name: string;
  attributes: Record<string, string | number>;
  /** Trace that it belongs to, in the form of `traceparent` (W3C Trace Context). */
  parent: string | undefined;
}

/** Trace of the work under way, in the form of `traceparent`; none while nothing is traced. */
export const currentTrace = new AsyncLocalStorage<string>();

/** Channel of the work of this process; it costs nothing without a subscriber. */
export const tracedWork = tracingChannel<TracedWork, string>('ploidy.work');

/** Runs `work` as a part of a trace. `attributes` hold ids, kinds and counts, never health data. */
export function traced<T>(
  name: string,
  attributes: TracedWork['attributes'],
  work: () => Promise<T>,
  parent: string | undefined = currentTrace.getStore(),
): Promise<T> {
  if (!tracedWork.hasSubscribers) return work();
  return tracedWork.tracePromise(work, { name, attributes, parent });
}

/** Returns the field by which a job goes on with the trace of the work that added it. */
export function traceField(): { traceparent?: string } {
  const traceparent = currentTrace.getStore();
  return traceparent === undefined ? {} : { traceparent };
}
