import { pause } from './patience.ts';

const triesMax = 3;
const waitMs = 200;
/** A service that asks for more patience than this gets none: the caller shall hear of it. */
const retryAfterMaxS = 10;

/**
 * `fetch` that tries again where a repetition is safe (not DELETE, and not a POST without an `Idempotency-Key`): when the
 * connection breaks, when the service is busy (429, 503 with `Retry-After`), and while the first attempt of the same POST is
 * still being worked on.
 */
export async function patientFetch(request: Request): Promise<Response> {
  const safe =
    request.method === 'POST' ? request.headers.has('idempotency-key') : request.method !== 'DELETE';
  const triesLeft = (attempt: number): boolean => safe && attempt < triesMax;
  for (let attempt = 1; ; attempt++) {
    try {
      const response = await fetch(request.clone());
      const pauseMs = triesLeft(attempt) ? await pauseWanted(response, attempt) : undefined;
      if (pauseMs === undefined) return response;
      await response.body?.cancel();
      await pause(pauseMs);
    } catch (error) {
      if (!triesLeft(attempt)) throw error;
      await pause(waitMs * attempt);
    }
  }
}

/** Computes the delay before the next attempt; `undefined` when the answer is final. */
async function pauseWanted(response: Response, attempt: number): Promise<number | undefined> {
  const { status, headers } = response;
  if (status === 429 || status === 503) {
    const seconds = Number(headers.get('retry-after') ?? Number.NaN);
    return seconds >= 0 && seconds <= retryAfterMaxS ? seconds * 1000 : undefined;
  }
  if (status !== 409 || attempt === 1) return undefined;
  const text = await response.clone().text();
  return text.includes('"IDEMPOTENCY_KEY_BUSY"') ? waitMs * attempt : undefined;
}
