/** Reporter of `node --test` that prints failed tests alone, each with its message. */
import type { TestEvent } from 'node:test/reporters';

export default async function* failures(source: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  for await (const { type, data } of source) {
    // A file that cannot be loaded is reported here alone.
    if (type === 'test:stderr') yield data.message;
    if (type !== 'test:fail') continue;
    const { error } = data.details;
    const cause = error.cause instanceof Error ? error.cause : error;
    if (Reflect.get(error, 'failureType') === 'subtestsFailed') continue;
    yield `${data.file ?? ''}:${data.line ?? ''}: ${data.name}\n${cause.message}\n`;
  }
}
