import { foreignFormat, InputError } from '@ploidy/formats';
import { readSource } from '../decompressed-source.ts';
import { refuseLoneReturns } from '../tabular/open-file.ts';
import { DelimitedSource } from './delimited-source.ts';
import { NdjsonSource } from './ndjson-source.ts';
import type { RowSource } from './row-source.ts';

/** Bytes that are searched for the titles and the comments above them. */
const headBytes = 1 << 20;

/** Opens a text file of records by its beginning. Rejects with `InputError` for another kind of file. */
export async function openRows(path: string): Promise<RowSource> {
  const bytes = await headOf(path);
  const advice = foreignFormat(bytes);
  if (advice !== undefined) throw new InputError(advice);
  if (['fffe', 'feff'].includes(bytes.subarray(0, 2).toString('hex')))
    throw new InputError('The file is UTF-16: save it as UTF-8.');
  const text = bytes.toString('utf8').replace(/^\ufeff/, '');
  const [first] = text.trimStart();
  if (first === undefined) throw new InputError('The file is empty: there is nothing to ingest.');
  if (first === '[')
    throw new InputError('The file is a JSON list: write one object per line (jq -c ".[]").', { line: 1 });
  refuseLoneReturns(text);
  return first === '{' ? new NdjsonSource(path) : new DelimitedSource(path, text);
}

async function headOf(path: string): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of readSource(path, { chunkBytes: headBytes })) {
    chunks.push(chunk);
    size += chunk.length;
    if (size >= headBytes) break;
  }
  return Buffer.concat(chunks);
}
