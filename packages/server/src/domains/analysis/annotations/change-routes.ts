import { Type } from 'typebox';
import { type Pages, pageOf, pageQuery } from '../../../api/paging.ts';
import { type Route, route } from '../../../api/route.ts';
import { countOf, idParam, optionalText, textOf } from '../../../api/shapes.ts';
import { type Audit, actor } from '../../audit/index.ts';
import type { Projects } from '../../files/projects/index.ts';
import { countsMinOf, type Lake, lakeTag, locateTables, type RowRights, tablesOf } from '../../lake/index.ts';
import type { Analytics } from '../analytics/index.ts';
import { Cells } from '../study/index.ts';
import { changedValues } from './changed-alleles.ts';

const changeShape = Type.Object(
  {
    source: textOf('Name of the source, such as `ClinVar`'),
    oldVersion: optionalText('Version before'),
    newVersion: optionalText('Version of the release that changed the value'),
    chromosome: optionalText('Chromosome; absent for values of genes'),
    position: Type.Optional(countOf('Position of the allele, from 1')),
    reference: optionalText('Reference allele'),
    alternate: optionalText('Alternate allele'),
    gene: optionalText('Symbol of the gene'),
    proteinChange: optionalText('Change of the protein'),
    name: textOf('Column of `variant`, or name of the value'),
    oldValue: optionalText('Value before; absent: none'),
    newValue: optionalText('Value of the release; absent: none'),
    samples: countOf('Samples that carry it and that you may count'),
    subjects: Type.Optional(countOf('Patients of these samples; absent if the number is hidden')),
  },
  { title: 'AnnotationChange' },
);

interface ChangeRouteDeps {
  analytics: Analytics;
  lake: Lake;
  rights: RowRights;
  projects: Projects;
  pages: Pages;
  audit: Audit;
  /** Key of the rounding of small counts. */
  countsKey: Uint8Array;
}

const text = (description: string) =>
  Type.Optional(Type.String({ minLength: 1, maxLength: 255, description }));

/** Route of changed annotations, with the samples that carry them. */
export function annotationChangeRoute(deps: ChangeRouteDeps): Route {
  const { analytics, lake, rights, projects, pages, audit, countsKey } = deps;
  return route({
    method: 'GET',
    path: '/v1/projects/:id/annotation-changes',
    operation: 'annotations.changes',
    tag: lakeTag,
    summary: 'List changed values of annotation sources, with the number of samples that carry the allele',
    description:
      'Only changes that a sample of the project carries, by the rows that you may see. Where small counts are hidden, counts are rounded, and alleles of few patients are left out.',
    params: idParam,
    query: Type.Object({
      source: text('Name of a source'),
      name: text('Column of `variant` or name of a value, such as `clinical_significance`'),
      ...pageQuery,
    }),
    answers: { 200: { schema: pageOf(changeShape), description: 'By source, version and place' } },
    locate: ({ params }) => locateTables(projects, params.id),
    handle: async ({ resource, query, caller, requestId, signal }) => {
      const access = rights.accessOf(caller, tablesOf(resource));
      const project = await lake.pin(resource.id, access);
      const cells = new Cells(countsMinOf(access) ?? 0, Buffer.concat([countsKey, Buffer.from(resource.id)]));
      const { source, name } = query;
      const path = `/v1/projects/${resource.id}/annotation-changes`;
      // A page continues with the same rights.
      const about = [access, source, name];
      const list = { path, query, scope: JSON.stringify([path, caller.userId, about]) };
      const { values: items, next } = await changedValues(
        analytics,
        { source, name },
        pages.read(query, list.scope),
        { project, cells, caller: caller.userId, signal },
      );
      await audit.record({
        account: resource.account,
        ...actor(caller, requestId),
        action: 'annotations.changes',
        resource: { type: 'table', dataset: resource.id },
        outcome: 'done',
        details: { changes: items.length, masked: access.real === false },
      });
      return pages.following(items, list, next);
    },
  });
}
