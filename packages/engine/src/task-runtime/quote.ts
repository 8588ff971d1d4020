export { literal } from '@ploidy/formats/statement-text';

/** Returns a name as an SQL identifier. */
export function identifier(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
