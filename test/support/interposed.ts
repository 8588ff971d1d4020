type MethodOf<T> = {
  [K in keyof T]: T[K] extends (...given: never[]) => Promise<unknown> ? K : never;
}[keyof T];

/**
 * Wraps an object so that a callback runs before or after the first call of one method: a concurrent change between two
 * steps of a request, every time.
 */
export function interposed<T extends object>(
  target: T,
  when: 'before' | 'after',
  method: MethodOf<T>,
  change: () => Promise<void>,
): T {
  let pending: (() => Promise<void>) | undefined = change;
  const once = async (): Promise<void> => {
    const now = pending;
    pending = undefined;
    await now?.();
  };
  return new Proxy(target, {
    get: (_, name) => {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== 'function') return value;
      if (name !== method) return value.bind(target);
      return async (...given: unknown[]) => {
        if (when === 'before') await once();
        const answer: unknown = await value.apply(target, given);
        if (when === 'after') await once();
        return answer;
      };
    },
  });
}
