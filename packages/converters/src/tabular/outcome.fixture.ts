import assert from 'node:assert/strict';
import type { TabularType } from '@ploidy/formats';
import { convertText, pick } from './conversion.fixture.ts';

/** Returns some columns of the rows of a content, in order of their text, and the warnings. */
export async function outcome(
  type: TabularType,
  name: string,
  content: string,
  ...columns: string[]
): Promise<{ rows: string[]; warnings: string }> {
  const { rows, warnings } = await convertText(type, content, {}, name);
  return {
    rows: pick(rows, ...columns).sort(),
    warnings: warnings.map(({ message }) => message).join(),
  };
}

/** Expects that a content is refused with a message. */
export const refused = (type: TabularType, name: string, content: string, message: RegExp): Promise<void> =>
  assert.rejects(convertText(type, content, {}, name), { name: 'InputError', message }, content);
