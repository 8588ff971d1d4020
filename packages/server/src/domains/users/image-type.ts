/** What a sender may call a picture; `image/jpg` is no registered name, but many say it. */
const declared: Record<string, true> = {
  'image/png': true,
  'image/jpeg': true,
  'image/jpg': true,
  'image/webp': true,
  'image/gif': true,
};

/** How many bytes tell what an image is. */
export const imageHeadBytes = 12;

/** Whether a `Content-Type` names one of the types that pictures may have; parameters are ignored. */
export function isImageType(contentType: string): boolean {
  return Object.hasOwn(declared, (contentType.split(';', 1)[0] ?? '').trim().toLowerCase());
}

/** The media type that the first bytes tell, or `undefined` when they are none of PNG, JPEG, GIF and WebP. */
export function imageTypeOf(head: Uint8Array): string | undefined {
  const text = Buffer.from(head).toString('latin1');
  if (text.startsWith('\x89PNG\r\n\x1a\n')) return 'image/png';
  if (text.startsWith('\xff\xd8\xff')) return 'image/jpeg';
  if (text.startsWith('GIF87a') || text.startsWith('GIF89a')) return 'image/gif';
  if (text.startsWith('RIFF') && text.slice(8, 12) === 'WEBP') return 'image/webp';
  return undefined;
}
