/** A file or folder of one level. */
export interface Entry {
  type: string;
  id?: string;
  name: string;
  size?: number;
  contentType?: string;
  lastModified?: string;
}

export type Doing = 'preview' | 'ingest' | 'rename' | 'delete';

/** Returns a size for people. */
export function bytesText(size: number | undefined): string {
  if (size === undefined) return '';
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  const power = size === 0 ? 0 : Math.min(units.length - 1, Math.floor(Math.log2(size) / 10));
  return `${(size / 1024 ** power).toFixed(power === 0 ? 0 : 1)} ${units[power]}`;
}
