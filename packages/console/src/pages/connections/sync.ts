import type { Shape } from '../../api/lists.ts';

export type Sync = Shape<'EhrSync'>;

/** Reports whether a sync has not ended. */
export const isOpen = ({ state }: Sync): boolean => ['queued', 'running', 'ingesting'].includes(state);
