import { spawn } from 'node:child_process';

/** Opens an address in the user's browser. That it does not work is no error: the address was printed. */
export function openBrowser(url: string): void {
  const [program, ...words] = command(url);
  const child = spawn(program, words, { detached: true, stdio: 'ignore' });
  child.once('error', () => undefined);
  child.unref();
}

/** None of them hands the address to a shell. */
function command(url: string): [string, ...string[]] {
  if (process.platform === 'darwin') return ['open', url];
  if (process.platform === 'win32') return ['rundll32', 'url.dll,FileProtocolHandler', url];
  return ['xdg-open', url];
}
