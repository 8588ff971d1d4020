import { api, take } from './client.ts';

/** Returns a signed address of the bytes of a file. */
export async function downloadAddress(id: string): Promise<string> {
  const file = await take(
    api.GET('/v1/files/{id}', { params: { path: { id }, query: { include: 'downloadUrl' } } }),
  );
  return (file as { downloadUrl: string }).downloadUrl;
}

/** Gives the bytes of a file to the browser's downloads. */
export async function download(id: string): Promise<void> {
  const link = document.createElement('a');
  link.href = await downloadAddress(id);
  link.download = '';
  link.click();
}

/** Returns the first bytes of a file. */
export async function firstBytes(id: string, count: number): Promise<Uint8Array<ArrayBuffer>> {
  const response = await fetch(await downloadAddress(id), { headers: { range: `bytes=0-${count - 1}` } });
  // An empty file has no range.
  if (response.status === 416) return new Uint8Array();
  if (!response.ok) throw new Error(`The file cannot be read (status ${response.status}).`);
  return new Uint8Array(await response.arrayBuffer());
}

/** Formats a size for people. */
export function bytesText(size: number | undefined): string {
  if (size === undefined) return '';
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  const power = size === 0 ? 0 : Math.min(units.length - 1, Math.floor(Math.log2(size) / 10));
  return `${(size / 1024 ** power).toFixed(power === 0 ? 0 : 1)} ${units[power]}`;
}
