import { textOf } from '../bytes.ts';
import type { Dictionary } from './dictionary.ts';

const dayMs = 86_400_000;

/** Writes days as numbers from 1970 (4 bytes), instants as microseconds from then (8 bytes), the least significant byte first. */
export function bytesOfTimes(type: 'date' | 'timestamp', texts: Dictionary): Uint8Array {
  const valueBytes = type === 'date' ? 4 : 8;
  const view = new DataView(new ArrayBuffer(texts.count * valueBytes));
  for (let place = 0; place < texts.count; place += 1) {
    const bytes = texts.at(place);
    const text = textOf(bytes, 0, bytes.length);
    if (type === 'date') view.setInt32(place * 4, Date.parse(`${text}T00:00:00Z`) / dayMs, true);
    else view.setBigInt64(place * 8, microseconds(text), true);
  }
  return new Uint8Array(view.buffer);
}

/** Parses `YYYY-MM-DD HH:MM:SS.ffffff`. After the year 2255 a plain number would lose digits. */
function microseconds(text: string): bigint {
  const seconds = Date.parse(`${text.slice(0, 10)}T${text.slice(11, 19)}Z`) / 1000;
  return BigInt(seconds) * 1_000_000n + BigInt(text.slice(20));
}
