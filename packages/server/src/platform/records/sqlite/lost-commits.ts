import { closeSync, existsSync, openSync, readSync, realpathSync } from 'node:fs';

// Both formats: https://www.sqlite.org/walformat.html
const indexBytes = 136;
const walHeaderBytes = 32;
const frameHeaderBytes = 24;
/** Version of the index and of the WAL since SQLite 3.7. */
const formatVersion = 3_007_000;
const littleEndian = 0x377f0682;
const pageMin = 512;

/** Last commit by the index of a WAL, which is renewed after its bytes are on the disk. */
interface Promised {
  /** Number of its last frame. */
  frames: number;
  /** Frames whose pages are in the database file as well. */
  copied: number;
  pageBytes: number;
  checksum: readonly [number, number];
  /** Identity of this run of the WAL. */
  salt: Buffer;
}

/** Commits of the records are lost. SQLite itself would go on without them and say nothing. */
export class LostCommits extends Error {
  constructor(path: string, reason: string) {
    super(
      `The last commits of ${path} are lost: ${reason}. Restore a backup into an empty data folder, or put the missing file back. To go on without these commits, remove ${path}-shm.`,
    );
  }
}

/**
 * Databases that this process has opened. Reading one of their files again would drop the locks of its connections when it is closed
 * (https://www.sqlite.org/howtocorrupt.html §2.2).
 */
const opened = new Set<string>();

/**
 * Throws `LostCommits` if the database at `path` lacks what was committed last. SQLite reads a missing, shortened or altered WAL
 * to its first fault and reports nothing. Opening the database removes the traces: call this before. The `-shm` file has them while the database is
 * open, and after a process was killed; a database that was closed has no WAL to lose. Looks once in a process.
 */
export function requireCommits(path: string): void {
  if (!existsSync(path)) return;
  const real = realpathSync(path);
  if (opened.has(real)) return;
  requireWal(path);
  opened.add(real);
}

function requireWal(path: string): void {
  const promised = promisedBy(`${path}-shm`);
  if (promised === undefined || promised.frames <= promised.copied) return;
  const wal = `${path}-wal`;
  // A process may have begun the WAL again meanwhile, with all commits in the database.
  const isSame = (): boolean => promisedBy(`${path}-shm`)?.salt.equals(promised.salt) ?? false;
  if (!existsSync(wal)) {
    if (isSame()) throw new LostCommits(path, `${wal} is missing`);
  } else if (breaks(wal, promised) && isSame()) throw new LostCommits(path, `${wal} is damaged`);
}

/** Reads the index of a machine of this byte order; `undefined` while it is being written, or if it is of another format. */
function promisedBy(path: string): Promised | undefined {
  const index = bytesOf(path, indexBytes);
  if (index === undefined) return undefined;
  const number = nativeReader(index);
  const isWhole = index.subarray(0, 48).equals(index.subarray(48, 96));
  if (!isWhole || number(0) !== formatVersion || index[12] !== 1) return undefined;
  // 65536 is written as 1.
  const size = new Uint16Array(index.buffer.slice(index.byteOffset + 14, index.byteOffset + 16))[0] ?? 0;
  return {
    pageBytes: size === 1 ? 65_536 : size,
    frames: number(16),
    checksum: [number(24), number(28)],
    salt: index.subarray(32, 40),
    copied: number(96),
  };
}

/** Reports whether the frames of a WAL end before the promised one, or are not those that were written. */
function breaks(path: string, { frames, pageBytes, checksum, salt }: Promised): boolean {
  const header = bytesOf(path, walHeaderBytes);
  if (header === undefined || pageBytes < pageMin) return true;
  const isLittle = header.readUInt32BE(0) === littleEndian;
  const sum: Sum = [0, 0];
  add(sum, header.subarray(0, 24), isLittle);
  const isHeader = sum[0] === header.readUInt32BE(24) && sum[1] === header.readUInt32BE(28);
  if (!isHeader || !header.subarray(16, 24).equals(salt)) return true;
  const file = openSync(path, 'r');
  try {
    const frame = Buffer.alloc(frameHeaderBytes + pageBytes);
    for (let at = 0; at < frames; at += 1) {
      const read = readSync(file, frame, 0, frame.length, walHeaderBytes + at * frame.length);
      add(sum, frame.subarray(0, 8), isLittle);
      add(sum, frame.subarray(frameHeaderBytes), isLittle);
      const isWhole = read === frame.length && frame.subarray(8, 16).equals(salt);
      if (!isWhole || sum[0] !== frame.readUInt32BE(16) || sum[1] !== frame.readUInt32BE(20)) return true;
    }
  } finally {
    closeSync(file);
  }
  return sum[0] !== checksum[0] || sum[1] !== checksum[1];
}

type Sum = [number, number];

/** Adds bytes to the running checksum of a WAL. */
function add(sum: Sum, bytes: Buffer, isLittle: boolean): void {
  let [first, second] = sum;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  for (let at = 0; at < bytes.length; at += 8) {
    first = (first + view.getUint32(at, isLittle) + second) >>> 0;
    second = (second + view.getUint32(at + 4, isLittle) + first) >>> 0;
  }
  sum[0] = first;
  sum[1] = second;
}

/** Reads 32-bit numbers of the byte order of this machine. */
function nativeReader(bytes: Buffer): (at: number) => number {
  const copy = new Uint32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
  return (at) => copy[at / 4] ?? 0;
}

/** Reads the beginning of a file; `undefined` if it is absent or shorter. */
function bytesOf(path: string, length: number): Buffer | undefined {
  if (!existsSync(path)) return undefined;
  const file = openSync(path, 'r');
  try {
    const bytes = Buffer.alloc(length);
    return readSync(file, bytes, 0, length, 0) === length ? bytes : undefined;
  } finally {
    closeSync(file);
  }
}
