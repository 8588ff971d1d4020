const SystemDate = Date;
let aheadMs = 0;

/** The clock of the day of this process, which a test sets; timers and what only goes forward are not touched. */
class SetDate extends SystemDate {
  constructor(...parts: unknown[]) {
    if (parts.length === 0) super(SystemDate.now() + aheadMs);
    else super(...(parts as [number]));
  }

  static override now(): number {
    return SystemDate.now() + aheadMs;
  }
}

/** Sets the clock of this process so far ahead of the system's, or behind it. */
export function setClock(ms: number): void {
  globalThis.Date = SetDate as DateConstructor;
  aheadMs = ms;
}

export function resetClock(): void {
  globalThis.Date = SystemDate;
  aheadMs = 0;
}
