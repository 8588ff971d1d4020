import type { TestApp } from '../support/app.ts';
import type { Call } from './project.ts';

/** Readers of a project with different rights, by their names in tests. */
export const readerNames = [
  'the owner',
  'a reader of masked data',
  'a reader of some patients',
  'a masked reader of some patients',
] as const;
export type ReaderName = (typeof readerNames)[number];

/** Makes a reader of each kind; those of some patients read two of three. */
export async function readersOf(
  app: Pick<TestApp, 'account' | 'call' | 'people'>,
  people: readonly string[],
): Promise<Record<ReaderName, Call>> {
  const some = { 'resource.subject': { comparison: 'in', value: people.filter((_, at) => at % 3 > 0) } };
  const reader = async (privilege: 'readData' | 'readMaskedData', rule: object): Promise<Call> => {
    const { key } = await app.people.member(app.account, [privilege], rule);
    return (method, path, options) => app.call(method, path, { key, ...options });
  };
  return {
    'the owner': app.call,
    'a reader of masked data': await reader('readMaskedData', {}),
    'a reader of some patients': await reader('readData', some),
    'a masked reader of some patients': await reader('readMaskedData', some),
  };
}
