import { useEffect, useRef, useState } from 'react';
import type { Answer, Merged, Print } from './decode.ts';
import type { Ordered, Sorting } from './order.ts';
import type { Question, Reply } from './worker.ts';

interface Shown {
  print: Print;
  ordered: Ordered;
}

/** Returns the print of an answer in a chosen order, both computed beside the page; undefined until the first one is ready. */
export function useOrder(
  oncoprint: Answer | undefined,
  merged: readonly Merged[],
  sorting: Sorting,
): { shown: Shown | undefined; error: Error | undefined } {
  const [shown, setShown] = useState<Shown>();
  const [error, setError] = useState<Error>();
  const worker = useRef<Worker>(undefined);
  const last = useRef<{ id: number; answer: unknown; parts: string }>({
    id: 0,
    answer: undefined,
    parts: '',
  });
  useEffect(() => {
    const made = new Worker(new URL('./worker.ts', import.meta.url), { type: 'module' });
    worker.current = made;
    last.current.answer = undefined;
    made.addEventListener('message', ({ data: { id, print, ordered } }: MessageEvent<Reply>) => {
      setError(undefined);
      setShown((now) => {
        const of = print ?? now?.print;
        // A newer question is under way, and an order fits its own print only.
        return of && (id === last.current.id || print) ? { print: of, ordered } : now;
      });
    });
    made.addEventListener('error', (event) => {
      event.preventDefault();
      setError(new Error('The answer of the service cannot be drawn.'));
    });
    return () => made.terminate();
  }, []);
  // Lists are new ones each time; their contents are compared.
  const [parts, asked] = [JSON.stringify(merged), JSON.stringify(sorting)];
  useEffect(() => {
    if (!oncoprint) return;
    const isNew = last.current.answer !== oncoprint || last.current.parts !== parts;
    last.current = { id: last.current.id + 1, answer: oncoprint, parts };
    const question: Question = {
      ...{ id: last.current.id, sorting: JSON.parse(asked) },
      ...(isNew && { answer: { oncoprint, merged: JSON.parse(parts) } }),
    };
    worker.current?.postMessage(question);
  }, [oncoprint, parts, asked]);
  return { shown, error };
}
