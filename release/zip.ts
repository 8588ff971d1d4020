/** ZIP archives (APPNOTE 6.3.10), for Windows. */
import { appendFileSync, writeFileSync } from 'node:fs';
import { buffer } from 'node:stream/consumers';
import { crc32, deflateRawSync } from 'node:zlib';
import type { TarEntry } from '@ploidy/client';

const folderAttribute = 0x10;
const namesAreUtf8 = 0x0800;
const deflated = 8;
/** Version 2.0, which has folders and deflate. */
const versionNeeded = 20;

/** Writes files and folders, in their order, as a ZIP. Links and files of 4 GiB are not for it. */
export async function writeZip(path: string, entries: readonly TarEntry[]): Promise<void> {
  writeFileSync(path, '');
  const directory: Buffer[] = [];
  let place = 0;
  for (const { name, read, modifiedAt = 0, link } of entries) {
    if (link !== undefined) throw new Error(`${name}: a ZIP for Windows has no links.`);
    const content = await buffer(read());
    const packed = deflateRawSync(content);
    const about = Buffer.alloc(26);
    about.writeUInt16LE(versionNeeded, 0);
    about.writeUInt16LE(namesAreUtf8, 2);
    about.writeUInt16LE(deflated, 4);
    about.writeUInt32LE(dosTime(modifiedAt), 6);
    about.writeUInt32LE(crc32(content), 10);
    about.writeUInt32LE(packed.length, 14);
    about.writeUInt32LE(content.length, 18);
    about.writeUInt16LE(Buffer.byteLength(name), 22);
    const local = Buffer.concat([Buffer.from('PK\x03\x04'), about, Buffer.from(name), packed]);
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE(name.endsWith('/') ? folderAttribute : 0, 6);
    rest.writeUInt32LE(place, 10);
    const madeBy = Buffer.from([versionNeeded, 0]);
    directory.push(Buffer.from('PK\x01\x02'), madeBy, about, rest, Buffer.from(name));
    appendFileSync(path, local);
    place += local.length;
  }
  const listed = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06');
  end.writeUInt16LE(entries.length, 8);
  end.writeUInt16LE(entries.length, 10);
  end.writeUInt32LE(listed.length, 12);
  end.writeUInt32LE(place, 16);
  appendFileSync(path, Buffer.concat([listed, end]));
}

/** Time of MS-DOS, in steps of two seconds since 1980, of a moment in UTC. */
function dosTime(seconds: number): number {
  const at = new Date(Math.max(seconds, Date.UTC(1980) / 1000) * 1000);
  const day = ((at.getUTCFullYear() - 1980) << 9) | ((at.getUTCMonth() + 1) << 5) | at.getUTCDate();
  return (
    ((day << 16) | (at.getUTCHours() << 11) | (at.getUTCMinutes() << 5) | (at.getUTCSeconds() >> 1)) >>> 0
  );
}
