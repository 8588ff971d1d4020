import { InputError } from '@ploidy/formats';
import type { Convert } from './conversion.ts';

/** Converter for tests: the name of the source decides its behaviour. */
export const convertTest: Convert = async (task, sql, report) => {
  const write = async (
    table: string,
    select: string,
  ): Promise<{ table: string; path: string; rows: number }> => {
    const path = `${task.outputFolder}/${table}.parquet`;
    await sql.run(`COPY (${select}) TO '${path}' (FORMAT parquet, COMPRESSION zstd)`);
    const [counted] = await sql.rows(`SELECT count(*)::INTEGER AS rows FROM '${path}'`);
    return { table, path, rows: Number(counted?.['rows']) };
  };
  switch (task.sourceName) {
    case 'good':
      for (let line = 1; line <= 250; line += 1) {
        report.warn({ line, message: 'odd' });
        report.progress(line * 10, line);
      }
      return [
        await write('variant', `SELECT * FROM read_csv('${task.sourcePath}')`),
        await write('_skipped', 'SELECT 1 AS line'),
      ];
    case 'beside':
      return [await write('variant', 'SELECT 1 AS a')];
    case 'broken':
      await write('variant', 'SELECT 1 AS a');
      throw new InputError('POS is not a number', { line: 7, column: 3 });
    case 'nosy':
      return [await write('variant', "SELECT * FROM read_text('/etc/passwd')")];
    case 'hungry': {
      const kept: Buffer[] = [];
      for (;;) kept.push(Buffer.alloc(8 * 1024 ** 2, 1));
    }
    case 'wordy':
      return [await write('variant', 'SELECT hash(range) AS h FROM range(200000000)')];
    default: {
      await write('variant', 'SELECT 1 AS a');
      let bytes = 0;
      for (;;) {
        bytes += 1;
        report.progress(bytes, 0);
        await new Promise((resolve) => setImmediate(resolve));
      }
    }
  }
};
