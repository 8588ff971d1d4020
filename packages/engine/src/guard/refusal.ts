/** Kinds of errors that a refusal names to programs. */
export type RefusalKind = 'syntax' | 'schema' | 'table' | 'column' | 'function' | 'type' | 'form';

/** Refusal of a statement: one sentence for people, and the offset in the text (bytes from 0) where it is known. */
export class Refusal extends Error {
  readonly offset: number | undefined;
  readonly kind: RefusalKind;
  /** Unknown table, column or function. */
  readonly subject: string | undefined;

  constructor(message: string, offset?: number, kind: RefusalKind = 'form', subject?: string) {
    super(message);
    this.name = 'Refusal';
    this.offset = offset;
    this.kind = kind;
    this.subject = subject;
  }

  /** Returns the same refusal at another place. */
  at(offset: number | undefined): Refusal {
    return new Refusal(this.message, offset, this.kind, this.subject);
  }
}
