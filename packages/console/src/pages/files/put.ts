import { ApiError } from '../../api/client.ts';

/** Puts bytes to an address that the service has signed. Needs no session; reports what has been sent. */
export function put(
  address: string,
  bytes: Blob,
  signal: AbortSignal,
  progress: (sent: number) => void,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    const abort = (): void => request.abort();
    signal.addEventListener('abort', abort, { once: true });
    request.upload.onprogress = ({ loaded }) => progress(loaded);
    request.onabort = () => reject(new Error('The upload was cancelled.'));
    request.onerror = () => reject(new Error('The connection was lost.'));
    request.onload = () => {
      signal.removeEventListener('abort', abort);
      if (request.status < 300) resolve();
      else reject(new ApiError(request.status, bodyOf(request.responseText)));
    };
    request.open('PUT', address);
    request.send(bytes);
  });
}

/** Returns the problem in an answer of the service; a store of files answers in other shapes. */
function bodyOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
