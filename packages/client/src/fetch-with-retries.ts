import { ClientError, errorFrom, unreachable } from './client-error.ts';
import { type Clock, isPassing, retry } from './retry.ts';

/** One call fails early: its caller learns of a longer outage, or of a longer delay that the service requests. */
const policy = { attemptsMax: 3, firstPauseMs: 200, requestedMaxMs: 10_000 };

/**
 * Fetches, and retries what may be repeated: everything but DELETE, and POST without an `Idempotency-Key`. Answers other than 2xx
 * and broken connections are thrown as `ClientError`.
 */
export function fetchWithRetries(request: Request, address: string, clock?: Clock): Promise<Response> {
  const { method, headers, signal } = request;
  const isRepeatable = method === 'POST' ? headers.has('idempotency-key') : method !== 'DELETE';
  if (!isRepeatable) return fetchOnce(request, address);
  return retry(() => fetchOnce(request.clone(), address), {
    ...policy,
    isPassing: (error) => isPassing(error) || isKeyBusy(error),
    signal,
    clock,
  });
}

/** Makes one attempt. An abort rejects with its reason. */
export async function fetchOnce(request: Request, address: string): Promise<Response> {
  try {
    const response = await fetch(request);
    if (response.ok) return response;
    throw await errorFrom(response);
  } catch (error) {
    request.signal.throwIfAborted();
    throw unreachable(address, error);
  }
}

/** Reports whether the service still works on an earlier attempt of the same POST. */
function isKeyBusy(error: unknown): boolean {
  return error instanceof ClientError && error.code === 'IDEMPOTENCY_KEY_BUSY';
}
