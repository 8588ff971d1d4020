/**
 * Preloaded into a process (`--import`), starts its clock at `FROZEN_AT`, in milliseconds since 1970. Otherwise keys of a frozen folder
 * would expire, and a service would remove what it keeps for days.
 */
const Actual = Date;
const shiftMs = Number(process.env['FROZEN_AT']) - Actual.now();

globalThis.Date = class extends Actual {
  constructor(...given: [] | [number]) {
    if (given.length === 0) super(Actual.now() + shiftMs);
    else super(...given);
  }
  static override now(): number {
    return Actual.now() + shiftMs;
  }
} as DateConstructor;

export {};
