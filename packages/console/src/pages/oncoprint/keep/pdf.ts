import type { Batch } from '../print/paint.ts';

/** Line of text in a page: left end and middle of its letters, in pixels of the drawing. */
export interface PageText {
  text: string;
  left: number;
  middle: number;
}

/** Picture of letters that the fonts of every reader lack. */
export interface TextPicture {
  jpeg: Uint8Array;
  /** Pixels of the picture, and its size in the drawing. */
  pixels: { width: number; height: number };
  width: number;
  height: number;
}

export interface PageContent {
  width: number;
  height: number;
  batches: readonly Batch[];
  texts: readonly PageText[];
}

/** Largest side of a page, in points (ISO 32000-1, annex C.2). */
const sideMax = 14_400;
const pointsPerPixel = 0.75;
const fontSize = 12;

/**
 * Writes one page as PDF 1.7: rectangles as such, texts in Helvetica, or as pictures where they have letters beyond Latin-1.
 */
export async function pdfOf(
  { width, height, batches, texts }: PageContent,
  pictureOf: (text: string) => Promise<TextPicture>,
): Promise<Uint8Array<ArrayBuffer>> {
  const scale = Math.min(pointsPerPixel, sideMax / Math.max(width, height));
  const pictures = new Map<string, TextPicture>();
  for (const { text } of texts)
    if (!isLatin(text) && !pictures.has(text)) pictures.set(text, await pictureOf(text));
  const names = new Map([...pictures.keys()].map((text, at) => [text, `I${at}`]));
  const content = [
    `${number(scale)} 0 0 ${number(-scale)} 0 ${number(height * scale)} cm`,
    ...batches.map(batchText),
    '0 g',
    ...texts.map((text) => textOf(text, pictures.get(text.text), names.get(text.text))),
  ].join('\n');
  const resources = [...names].map(([, name], at) => `/${name} ${5 + at + 1} 0 R`).join(' ');
  const size = `${number(width * scale)} ${number(height * scale)}`;
  return assembled([
    { head: '<< /Type /Catalog /Pages 2 0 R >>' },
    { head: '<< /Type /Pages /Kids [3 0 R] /Count 1 >>' },
    {
      head: `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 ${size}] /Contents 5 0 R /Resources << /Font << /F1 4 0 R >> /XObject << ${resources} >> >> >>`,
    },
    { head: '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>' },
    { head: '/Filter /FlateDecode', stream: await deflated(content) },
    ...[...pictures.values()].map(({ jpeg, pixels }) => ({
      head: `/Type /XObject /Subtype /Image /Width ${pixels.width} /Height ${pixels.height} /ColorSpace /DeviceRGB /BitsPerComponent 8 /Filter /DCTDecode`,
      stream: jpeg,
    })),
  ]);
}

/** Reports whether all letters are in Latin-1, whose codes the font has. */
const isLatin = (text: string): boolean => /^[\x20-\x7e\xa0-\xff]*$/.test(text);

const number = (value: number): string => String(Number(value.toFixed(3)));

function batchText({ colour, rects }: Batch): string {
  const parts = [1, 3, 5].map((at) => number(Number.parseInt(colour.slice(at, at + 2), 16) / 255));
  const lines = [`${parts.join(' ')} rg`];
  for (let at = 0; at < rects.length; at += 4)
    lines.push(`${[0, 1, 2, 3].map((part) => number(rects[at + part] ?? 0)).join(' ')} re`);
  return `${lines.join('\n')}\nf`;
}

/** Writes a text. The drawing has its origin above, so letters and pictures are turned back. */
function textOf(
  { text, left, middle }: PageText,
  picture: TextPicture | undefined,
  name: string | undefined,
): string {
  if (picture && name !== undefined) {
    const [x, y] = [number(left), number(middle + picture.height / 2)];
    return `q ${number(picture.width)} 0 0 ${number(-picture.height)} ${x} ${y} cm /${name} Do Q`;
  }
  const codes = [...text].map((letter) => letter.charCodeAt(0).toString(16).padStart(2, '0')).join('');
  return `BT /F1 ${fontSize} Tf 1 0 0 -1 ${number(left)} ${number(middle + 0.35 * fontSize)} Tm <${codes}> Tj ET`;
}

async function deflated(text: string): Promise<Uint8Array> {
  const stream = new Blob([text]).stream().pipeThrough(new CompressionStream('deflate'));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** Joins numbered objects with the table of their places. */
function assembled(objects: readonly { head: string; stream?: Uint8Array }[]): Uint8Array<ArrayBuffer> {
  const encoder = new TextEncoder();
  const chunks: Uint8Array[] = [];
  let length = 0;
  const add = (chunk: Uint8Array | string): void => {
    const bytes = typeof chunk === 'string' ? encoder.encode(chunk) : chunk;
    chunks.push(bytes);
    length += bytes.length;
  };
  add('%PDF-1.7\n');
  const places = objects.map(({ head, stream }, at) => {
    const place = length;
    add(`${at + 1} 0 obj\n`);
    if (stream) {
      add(`<< ${head} /Length ${stream.length} >>\nstream\n`);
      add(stream);
      add('\nendstream\nendobj\n');
    } else add(`${head}\nendobj\n`);
    return place;
  });
  const start = length;
  const table = places.map((place) => `${String(place).padStart(10, '0')} 00000 n \n`).join('');
  add(`xref\n0 ${places.length + 1}\n0000000000 65535 f \n${table}`);
  add(`trailer\n<< /Size ${places.length + 1} /Root 1 0 R >>\nstartxref\n${start}\n%%EOF\n`);
  const whole = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.length;
  }
  return whole;
}
