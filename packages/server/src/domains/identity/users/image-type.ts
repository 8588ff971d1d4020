/** Accepted types of a request; `image/jpg` is unregistered but common. */
const declared: Record<string, true> = {
  'image/png': true,
  'image/jpeg': true,
  'image/jpg': true,
  'image/webp': true,
  'image/gif': true,
};

/** Bytes that identify an image. */
export const imageHeadBytes = 12;

/** Reports whether a `Content-Type` is that of a picture; parameters are ignored. */
export function isImageType(contentType: string): boolean {
  return Object.hasOwn(declared, (contentType.split(';', 1)[0] ?? '').trim().toLowerCase());
}

/** Detects the media type from the first bytes: PNG, JPEG, GIF or WebP. */
export function imageTypeOf(head: Uint8Array): string | undefined {
  const text = Buffer.from(head).toString('latin1');
  if (text.startsWith('\x89PNG\r\n\x1a\n')) return 'image/png';
  if (text.startsWith('\xff\xd8\xff')) return 'image/jpeg';
  if (text.startsWith('GIF87a') || text.startsWith('GIF89a')) return 'image/gif';
  if (text.startsWith('RIFF') && text.slice(8, 12) === 'WEBP') return 'image/webp';
  return undefined;
}
