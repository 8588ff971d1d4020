import type { Records } from '../../packages/server/src/platform/records/index.ts';

/** Files of a project's variants that are filled with annotations now, by key, and the annotations of each. */
export async function filledSegments(
  { read }: Records,
  projectId: string,
): Promise<{ segment_key: string; annotations: string }[]> {
  return read
    .selectFrom('annotated_segments')
    .select(['segment_key', 'annotations'])
    .where('project_id', '=', projectId)
    .where('retired_at', 'is', null)
    .execute();
}
