import { CommandError, exitCodes } from './exit.ts';

/** Region as the services have it: 0-based, `end` exclusive. */
export interface Region {
  referenceName: string;
  start?: number;
  end?: number;
}

/** Reads a region as samtools writes it: `chr1`, `chr1:1000`, `chr1:1,000-`, `chr1:1,000-2,000`; 1-based and inclusive. */
export function regionOf(word: string): Region {
  const [, referenceName = '', first, last] = /^(.+?)(?::([\d,]+)(?:-([\d,]*))?)?$/.exec(word) ?? [];
  const [start, end] = [first, last].map((text) => text && Number(text.replaceAll(',', '')));
  if (referenceName === '' || start === 0 || (start && end && end < start))
    throw new CommandError(`"${word}" is not a region such as chr1:1000-2000.`, exitCodes.usage);
  return { referenceName, ...(start && { start: start - 1 }), ...(end && { end }) };
}
