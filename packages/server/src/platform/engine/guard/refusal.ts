import type { Sought } from './find-in-text.ts';

/** A statement that the guard does not let through: one sentence for people, and where in the text (bytes from 0). */
export class Refusal extends Error {
  readonly offset: number | undefined;

  /** What to look for in the text where the tree has no offset; `name`: the one that the message gives. */
  readonly sought: Sought | 'name' | undefined;

  constructor(message: string, offset?: number, sought?: Sought | 'name') {
    super(message);
    this.name = 'Refusal';
    this.offset = offset;
    this.sought = sought;
  }
}
