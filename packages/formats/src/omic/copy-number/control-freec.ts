import { InputError } from '../../input-error.ts';
import type { TabularFormat } from '../format.ts';

const statuses = new Set(['gain', 'loss', 'normal', 'neutral']);

/** Control-FREEC's `*_CNVs`, refused with a remedy: the base of its starts is undocumented. */
export const controlFreec: TabularFormat = {
  type: 'copynumber',
  name: 'Control-FREEC',
  open: ({ header: { names }, records }) => {
    const isHeader = names.join(',').startsWith('chr,start,end,copy number,status');
    const line = isHeader ? (records[0] ?? []) : names;
    const [, start = '', end = '', copies = '', status = ''] = line;
    if (!statuses.has(status) || ![start, end, copies].every((text) => /^\d+$/.test(text))) return undefined;
    throw new InputError(advice, { line: 1 });
  },
};

const advice =
  'This is a CNV table of Control-FREEC without a header. Add one with chromosome, start_position, end_position and copy_number (positions count from 1), and remove its status column. Then ingest it as copynumber.';
