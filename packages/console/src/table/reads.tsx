import type { Row } from '../api/ask.ts';
import { AnchorLink } from '../shell/links.tsx';
import type { Column } from './column.ts';

/** Column that leads from a variant to the reads around it. */
export const readsColumn = (project: string): Column<Row> => ({
  name: 'reads',
  isAction: true,
  width: 90,
  value: () => '',
  render: (row) => (
    <AnchorLink
      size="sm"
      to="/projects/$project/genome"
      params={{ project }}
      search={{ locus: locusOf(row), sample: String(row['sample_id'] ?? '') }}
    >
      Show
    </AnchorLink>
  ),
});

/** The surroundings of a variant: 50 bases on both sides. */
function locusOf(row: Row): string {
  const at = Number(row['position']);
  return `${row['chromosome']}:${Math.max(1, at - 50)}-${at + 50}`;
}
