import { type ResultFormat, resultFormats } from '@ploidy/engine';
import { Type } from 'typebox';
import { Answer, type Route, route } from '../../../api/route.ts';
import { idOf, projectIdShape } from '../../../api/shapes.ts';
import { invalidInput, Problem } from '../../../base/problem.ts';
import { readCron } from '../../../base/schedule.ts';
import { lakeTag } from '../../lake/index.ts';
import { locateOne, savedShape } from './routes.ts';
import type { SavedQueries } from './saved-queries.ts';
import { viewOf } from './saved-query.ts';
import type { Schedules } from './schedules.ts';

const path = '/v1/projects/:projectId/saved-queries/:savedQueryId/schedule';
const params = Type.Object({ projectId: projectIdShape, savedQueryId: idOf('Id of the saved query') });

interface ScheduleRouteDeps {
  savedQueries: SavedQueries;
  schedules: Schedules;
}

/** Routes that plan an own saved query, and end its plan. */
export function scheduleRoutes({ savedQueries, schedules }: ScheduleRouteDeps): Route[] {
  const locate = locateOne(savedQueries, 'savedQueries.scheduleOwn');
  return [
    route({
      method: 'PUT',
      path,
      operation: 'savedQueries.schedule',
      tag: lakeTag,
      summary: 'Run an own saved query by a schedule',
      description:
        'Each run stores its result as a file of the project below `scheduled/`, with your rights at that time. The schedule ends when you may no longer run statements in the project.',
      params,
      body: Type.Object({
        cron: Type.String({ minLength: 9, maxLength: 255, description: 'Five cron fields, in UTC' }),
        format: Type.Optional(
          Type.Unsafe<ResultFormat>({
            type: 'string',
            enum: [...resultFormats],
            description: 'Form of the results; `csv` by default',
          }),
        ),
      }),
      answers: { 200: { schema: savedShape, description: 'The saved query with its schedule' } },
      locate,
      handle: async ({ resource, body: { cron, format = 'csv' }, caller, requestId }) => {
        if (resource.owner_id !== caller.userId) throw onlyOwner();
        const times = readCron(cron);
        if (typeof times === 'string') throw invalidInput([{ path: 'body/cron', message: times }]);
        return viewOf(await schedules.set(resource, { cron, format }, { caller, requestId }));
      },
    }),
    route({
      method: 'DELETE',
      path,
      operation: 'savedQueries.schedule',
      tag: lakeTag,
      summary: 'End the schedule of a saved query',
      description: 'An own one, or a shared one with projectAdmin.',
      params,
      answers: { 204: { description: 'Ended' } },
      locate,
      handle: async ({ resource, caller, requestId }) => {
        await schedules.set(resource, undefined, { caller, requestId });
        return new Answer(204);
      },
    }),
  ];
}

function onlyOwner(): Problem {
  const message = 'Only its owner may schedule a saved query, which runs with the rights of the owner.';
  return new Problem(403, 'ONLY_ONESELF', message);
}
