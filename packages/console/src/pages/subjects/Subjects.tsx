import { Badge, Button, Grid as Columns, Group as Line, SegmentedControl, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useDeferredValue } from 'react';
import { cohorts } from '../../api/account.ts';
import { count, type Row, rows } from '../../api/ask.ts';
import { api, take } from '../../api/client.ts';
import { type Shape, useMay } from '../../api/lists.ts';
import {
  cohortFacets,
  type Facet,
  type Filter,
  facetsOf,
  inWords,
  readFilter,
  whereOf,
  without,
  writeFilter,
} from '../../facets/facets.ts';
import { Ask } from '../../shell/Ask.tsx';
import { Empty, Loaded, notify, Waiting } from '../../shell/Feedback.tsx';
import { AnchorLink } from '../../shell/links.tsx';
import { Page as Frame, MaskedNote } from '../../shell/Page.tsx';
import type { Column } from '../../table/column.ts';
import { Grid } from '../../table/Grid.tsx';
import { Attrition } from './Attrition.tsx';
import { FacetList } from './FacetList.tsx';
import { GroupEditor } from './TreeEditor.tsx';
import { facetsIn, filterOf, type Group, readTree, treeOf, whereOfNode } from './tree.ts';

const from = '/projects/$project/subjects';
const fields = ['gender', 'age', 'birth_date', 'is_deceased', 'race', 'ethnicity', 'state', 'country'];

/** Subjects of a project, chosen by facets. */
export function Page() {
  const { project } = useParams({ from });
  const facets = useQuery(facetsOf(project));
  // A caller who may list no cohorts chooses by the other facets.
  const { data: known = [], isPending } = useQuery(cohorts(project));
  if (isPending) return <Waiting />;
  return (
    <Loaded query={facets}>
      {(list) => <Chooser project={project} facets={[...list, ...cohortFacets(known)]} known={known} />}
    </Loaded>
  );
}

interface ChooserProps {
  project: string;
  facets: readonly Facet[];
  known: Shape<'Cohort'>[];
}

function Chooser({ project, facets, known }: ChooserProps) {
  const { filter: text, tree: treeText, cohort } = useSearch({ from });
  const filter = readFilter(text);
  const tree = readTree(treeText);
  const where = useDeferredValue(tree ? whereOfNode(tree, facets) : whereOf(filter, facets));
  const navigate = useNavigate({ from });
  const queries = useQueryClient();
  const [saving, { open, close }] = useDisclosure();
  const maySave = useMay('createData', { dataset: project, type: 'cohort' });
  const query = useQuery(rows(project, { target: 'patient', where, cohortId: cohort, options: { fields } }));
  const { data: found } = useQuery(count(project, 'patient', where, cohort));
  const show = (search: { filter?: string; tree?: string }): void =>
    void navigate({ search: { ...search, cohort }, replace: true, resetScroll: false });
  const change = (next: Filter): void => show({ filter: writeFilter(next) });
  const changeTree = (next: Group): void => show({ tree: JSON.stringify(next) });
  const asFilter = tree && filterOf(tree);
  const ofCohorts = facetsIn(tree ?? treeOf(filter)).some((id) =>
    facets.some((facet) => facet.id === id && facet.names),
  );
  const save = async ({ name = '', description = '' }: Record<string, string>): Promise<void> => {
    const dsl = { target: 'patient', where: where ?? { patient: { all: true } } };
    const members = ofCohorts
      ? { subjectIds: (query.data ?? []).map((row) => String(row['id'])) }
      : { queries: [{ project, queryType: 'dsl' as const, query: dsl }] };
    await take(api.POST('/v1/cohorts', { body: { name, description, ownerProject: project, ...members } }));
    await queries.invalidateQueries({ queryKey: ['cohorts', project] });
    notify(`The cohort ${name} is saved.`);
  };
  return (
    <Frame
      title="Subjects"
      actions={
        maySave &&
        !cohort && (
          <Button onClick={open} disabled={ofCohorts && (query.data?.length ?? 0) !== found}>
            Save as cohort
          </Button>
        )
      }
    >
      <MaskedNote project={project} />
      <Columns>
        <Columns.Col span={{ base: 12, md: 4, lg: 3 }}>
          <SegmentedControl
            fullWidth
            mb="xs"
            aria-label="Ways to choose"
            data={[
              { value: 'simple', label: 'Simple', disabled: tree !== undefined && !asFilter },
              { value: 'tree', label: 'And, or, not' },
            ]}
            value={tree ? 'tree' : 'simple'}
            onChange={(mode) => (mode === 'tree' ? changeTree(treeOf(filter)) : change(asFilter ?? {}))}
          />
          {tree ? (
            <GroupEditor project={project} facets={facets} cohort={cohort} node={tree} change={changeTree} />
          ) : (
            <FacetList project={project} facets={facets} cohort={cohort} filter={filter} change={change} />
          )}
        </Columns.Col>
        <Columns.Col span={{ base: 12, md: 8, lg: 9 }}>
          <Line mb="sm" gap="xs">
            <Text fw={600} role="status">
              {found === undefined ? '…' : found.toLocaleString()} {found === 1 ? 'subject' : 'subjects'}
            </Text>
            {cohort && (
              <Badge variant="default">Cohort {known.find(({ id }) => id === cohort)?.name ?? cohort}</Badge>
            )}
            {Object.entries(tree ? {} : filter).map(([id, values]) => (
              <Button
                key={id}
                size="compact-xs"
                variant="default"
                onClick={() => change(without(filter, id))}
              >
                {inWords(id, values, facets)} ×
              </Button>
            ))}
          </Line>
          {!tree && Object.keys(filter).length > 1 && (
            <Attrition project={project} facets={facets} cohort={cohort} filter={filter} />
          )}
          <Loaded query={query}>
            {(list) =>
              list.length === 0 ? (
                <Empty title="No subject">
                  Choose fewer values, or ingest clinical files or samples first.
                </Empty>
              ) : (
                <Grid name="Subjects" columns={columnsOf(project)} rows={list} />
              )
            }
          </Loaded>
        </Columns.Col>
      </Columns>
      {saving && (
        <Ask
          title={`Save ${found ?? ''} subjects as a cohort`}
          action="Save"
          fields={[
            { name: 'name', label: 'Name' },
            { name: 'description', label: 'Description', optional: true },
          ]}
          run={save}
          close={close}
        >
          {ofCohorts && (
            <Text size="sm">
              A cohort that is made of cohorts keeps the subjects that are found now; it does not follow new
              data.
            </Text>
          )}
        </Ask>
      )}
    </Frame>
  );
}

function columnsOf(project: string): Column<Row>[] {
  const id: Column<Row> = {
    name: 'subject',
    value: (row) => row['id'],
    render: (row) => (
      <AnchorLink
        size="sm"
        to="/projects/$project/subjects/$patient"
        params={{ project, patient: String(row['id']) }}
      >
        {String(row['id'])}
      </AnchorLink>
    ),
  };
  return [id, ...fields.map((name) => ({ name, value: (row: Row) => row[name], numeric: name === 'age' }))];
}
