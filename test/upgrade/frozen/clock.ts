/** Environment of a process whose clock starts at the moment at which a folder was frozen. */
export function clockAt(epochMs: number): Record<string, string> {
  const moment = new URL('moment.ts', import.meta.url).href;
  return { NODE_OPTIONS: `--import=${moment}`, FROZEN_AT: String(epochMs) };
}
