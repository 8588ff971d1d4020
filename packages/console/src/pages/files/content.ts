/** Returns the text at the beginning of a file: JSON indented, gzip unpacked, of BAM the header. Empty: it holds no text. */
export async function textIn(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const plain = bytes[0] === 0x1f && bytes[1] === 0x8b ? await unpacked(bytes) : bytes;
  const isBam = plain[0] === 66 && plain[1] === 65 && plain[2] === 77 && plain[3] === 1;
  const text = isBam ? bamHeader(plain) : new TextDecoder().decode(plain);
  if (text.includes('\0')) return '';
  return indented(text);
}

/** Unpacks the first block of gzip or BGZF, as far as it is there. */
async function unpacked(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
  const reader = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip')).getReader();
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  try {
    for (let read = await reader.read(); !read.done; read = await reader.read()) chunks.push(read.value);
  } catch {
    // The beginning of a file ends within a block; the content before that block is whole.
  }
  return new Uint8Array(await new Blob(chunks).arrayBuffer());
}

/** Returns the text in a BAM header (SAM specification, §4.2). */
function bamHeader(bytes: Uint8Array): string {
  const length = new DataView(bytes.buffer, bytes.byteOffset).getUint32(4, true);
  return new TextDecoder().decode(bytes.subarray(8, 8 + length)).replace(/(?<!\0)\0+$/, '');
}

function indented(text: string): string {
  if (!/^\s*[[{]/.test(text)) return text;
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    // One document a line, or the beginning of a long one.
    return text;
  }
}
