import { Alert, Tabs } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { schema } from '../../api/lists.ts';
import { Empty, Loaded } from '../../shell/Feedback.tsx';
import { Page as Frame, MaskedNote } from '../../shell/Page.tsx';
import { TabLink } from '../../shell/TabLink.tsx';
import { answerOf, attributesOf, type Unit } from '../../study/study.ts';
import { AddGroups } from './AddGroups.tsx';
import { AddButton, GroupBar } from './GroupBar.tsx';
import { asked, drawn, type Group, groupsMax, type Overlap, readGroups } from './groups.ts';
import { Methods } from './Methods.tsx';
import { OverlapFigure } from './OverlapFigure.tsx';
import { SurvivalTab } from './SurvivalTab.tsx';
import { TestsTab } from './TestsTab.tsx';

const from = '/projects/$project/compare';
const tabs = [
  ['survival', 'Survival'],
  ['tests', 'Tests'],
  ['overlap', 'Overlap'],
  ['methods', 'Methods'],
] as const;

/** Groups of subjects against each other: overlap, survival, and one table of all tests. */
export function Page() {
  const { project } = useParams({ from });
  const {
    groups: written,
    overlap: chosen,
    unit: counted,
    tab: shown = 'survival',
    ...rest
  } = useSearch({ from });
  const navigate = useNavigate({ from });
  const groups = drawn(readGroups(written));
  const overlap: Overlap | undefined = chosen === 'exclude' || chosen === 'include' ? chosen : undefined;
  const unit: Unit = counted === 'sample' ? 'sample' : 'patient';
  const tables = useQuery(schema(project));
  const attributes = useQuery(attributesOf(project));
  const [isAdding, adding] = useDisclosure();
  const tab = tabs.some(([value]) => value === shown) ? shown : 'survival';
  const set = (part: Record<string, string>): void =>
    void navigate({ search: (now) => ({ ...now, ...part }), resetScroll: false });
  const change = (next: readonly Group[]): void =>
    set({ groups: next.length === 0 ? '' : JSON.stringify(next.map(({ name, is }) => ({ name, is }))) });
  const isComparable = groups.length > 1;
  const query = useQuery({
    ...answerOf({
      ...{ datasetId: project, unit, filter: { and: [] } },
      aggregates: [{ id: 'overlap', kind: 'overlap', groups: asked(groups) }],
    }),
    enabled: isComparable,
  });
  const found = isComparable ? query.data?.results['overlap']?.overlap : undefined;
  const search = { ...rest, groups: written, overlap: chosen, unit: counted };
  const body = {
    project,
    unit,
    groups,
    overlap,
    roundedTo: query.data?.roundedTo,
    version: query.data?.version,
  };
  return (
    <Frame
      title="Compare groups"
      actions={<AddButton open={adding.open} isFull={groups.length >= groupsMax} />}
    >
      <MaskedNote project={project} />
      <GroupBar {...{ groups, change, overlap, unit }} found={found} set={set} />
      {!isComparable ? (
        <Empty title="Choose two groups or more">
          Groups are cohorts, values of an attribute, quartiles, altered genes, or a list of ids.
        </Empty>
      ) : (
        <Tabs value={tab} keepMounted={false}>
          <Tabs.List mb="sm">
            {tabs.map(([value, name]) => (
              <TabLink
                key={value}
                value={value}
                to={from}
                params={{ project }}
                search={{ ...search, tab: value }}
              >
                {name}
              </TabLink>
            ))}
          </Tabs.List>
          <Tabs.Panel value={tab}>
            <Loaded query={attributes}>
              {(known) => (
                <Loaded query={tables}>
                  {(list) => {
                    const names = list.map(({ table }) => table);
                    if (tab === 'overlap')
                      return (
                        <Loaded query={query}>
                          {() => found && <OverlapFigure {...{ groups, found }} />}
                        </Loaded>
                      );
                    if (body.roundedTo !== undefined) return <Hidden />;
                    if (tab === 'tests') return <TestsTab {...body} attributes={known} tables={names} />;
                    if (tab === 'methods') return <Methods {...body} attributes={known} tables={names} />;
                    return <SurvivalTab {...body} attributes={known} tables={names} set={set} />;
                  }}
                </Loaded>
              )}
            </Loaded>
          </Tabs.Panel>
        </Tabs>
      )}
      {isAdding && (
        <AddGroups
          {...{ project, unit }}
          attributes={attributes.data ?? []}
          room={groupsMax - groups.length}
          add={(more) => change([...groups, ...more])}
          close={adding.close}
        />
      )}
    </Frame>
  );
}

/** Reason for which readers of rounded counts see no test. */
function Hidden() {
  return (
    <Alert
      color="yellow"
      styles={{ title: { color: 'var(--mantine-color-text)' } }}
      title="No tests where small counts are hidden"
    >
      Tests are made of exact counts. A p-value would reveal the counts that are hidden from you. The overlap
      shows rounded counts.
    </Alert>
  );
}
