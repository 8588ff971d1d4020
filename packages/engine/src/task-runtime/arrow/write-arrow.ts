import { open } from 'node:fs/promises';
import duckdb, { type DataChunk } from '@duckdb/node-bindings';
import type { DuckdbSql } from '../../duckdb.ts';
import type { FileColumn } from '../select-columns.ts';
import { type BufferPlace, batchMessage, endOfStream, schemaMessage } from './messages.ts';
import { addVector, type Batch } from './vectors.ts';

/**
 * Writes the rows of a statement as an Arrow IPC stream. Each chunk of the engine becomes a batch at once, so that memory stays
 * flat. Returns the number of rows. The columns must have portable types.
 */
export async function writeArrow(
  sql: DuckdbSql,
  statement: string,
  columns: readonly FileColumn[],
  path: string,
): Promise<number> {
  const file = await open(path, 'wx', 0o600);
  let rowCount = 0;
  try {
    await file.appendFile(schemaMessage(columns));
    for await (const chunk of sql.chunks(statement)) {
      await file.appendFile(batchOf(chunk, columns));
      rowCount += duckdb.data_chunk_get_size(chunk);
    }
    await file.appendFile(endOfStream);
    return rowCount;
  } finally {
    await file.close();
  }
}

/** Copies a chunk into a message with its body. */
function batchOf(chunk: DataChunk, columns: readonly FileColumn[]): Uint8Array {
  const rows = duckdb.data_chunk_get_size(chunk);
  const batch: Batch = { nodes: [], buffers: [] };
  for (const [index, { type }] of columns.entries())
    addVector(batch, duckdb.data_chunk_get_vector(chunk, index), type, rows);
  const places: BufferPlace[] = [];
  const body: Uint8Array[] = [];
  let size = 0;
  for (const buffer of batch.buffers) {
    places.push({ offset: size, size: buffer.length });
    const padding = -buffer.length & 7;
    body.push(buffer);
    if (padding > 0) body.push(new Uint8Array(padding));
    size += buffer.length + padding;
  }
  return Buffer.concat([batchMessage(rows, batch.nodes, places, size), ...body]);
}
