/** A statement that the guard does not let through: one sentence for people, and where in the text (bytes from 0). */
export class Refusal extends Error {
  readonly offset: number | undefined;

  constructor(message: string, offset?: number) {
    super(message);
    this.name = 'Refusal';
    this.offset = offset;
  }
}
