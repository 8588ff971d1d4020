import {
  Anchor,
  Button,
  Group,
  MultiSelect,
  NumberInput,
  SimpleGrid,
  Stack,
  Tabs,
  Text,
  TextInput,
  Title,
} from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { buckets, count, type Row, rows } from '../../api/ask.ts';
import type { Where } from '../../api/where.ts';
import { sorted } from '../../facets/choices.ts';
import { Empty, Loaded } from '../../shell/Feedback.tsx';
import { ButtonLink } from '../../shell/links.tsx';
import { Page as Frame, MaskedNote } from '../../shell/Page.tsx';
import { TabLink } from '../../shell/TabLink.tsx';
import { writeConditions } from '../../study/conditions.ts';
import type { Column } from '../../table/column.ts';
import { Grid } from '../../table/Grid.tsx';
import { type Choice, genesIn, listOf, variantWhere } from './conditions.ts';
import { Gene } from './Gene.tsx';
import { VariantRows } from './VariantRows.tsx';

const from = '/projects/$project/variants';

/** Genes with variants, by the number of their carriers. */
const genesOf = (project: string, where?: Where) =>
  rows(project, { target: 'gene', where, options: { limit: 2000 } });

/** Condition that every variant passes. */
const anyVariant: Where = { variant: { gene: [{ operator: 'exists', value: true }] } };

/** Variants of a project by gene and by row, under conditions. */
export function Page() {
  const { project } = useParams({ from });
  const choice = useSearch({ from });
  const navigate = useNavigate({ from });
  const where = variantWhere(choice);
  const genes = useQuery(genesOf(project, where));
  const { data: subjects } = useQuery(count(project, 'patient', where ?? anyVariant));
  const change = (part: Choice): void =>
    void navigate({ search: { ...choice, ...part }, replace: true, resetScroll: false });
  const gene = listOf(choice.gene).length === 1 ? choice.gene : undefined;
  const filter = writeConditions([{ is: { where: where ?? anyVariant } }]);
  const conditions = <Conditions project={project} choice={choice} change={change} />;
  const { region, consequence, significance, frequency, sample } = choice;
  const isNarrowed = [region, consequence, significance, frequency, sample].some(Boolean);
  // Further conditions are not those of the page of a gene.
  const first = gene && !isNarrowed ? 'gene' : 'genes';
  const shown =
    ['gene', 'genes', 'rows'].find((name) => name === choice.view && (gene || name !== 'gene')) ?? first;
  const tab = (value: string, label: string) => (
    <TabLink value={value} to={from} params={{ project }} search={{ ...choice, view: value }}>
      {label}
    </TabLink>
  );
  return (
    <Frame
      title={gene ? `Variants in ${gene}` : 'Variants'}
      actions={
        shown !== 'gene' && (
          <ButtonLink
            variant="default"
            to="/projects/$project"
            params={{ project }}
            search={{ filter, view: 'subjects' }}
          >
            {subjects === undefined ? 'Carriers' : `${subjects.toLocaleString()} carriers`}
          </ButtonLink>
        )
      }
    >
      <MaskedNote project={project} />
      <Tabs value={shown} keepMounted={false}>
        <Tabs.List>
          {gene && tab('gene', gene)}
          {tab('genes', 'By gene')}
          {tab('rows', 'Variants')}
        </Tabs.List>
        {gene && (
          <Tabs.Panel value="gene" pt="sm">
            <Stack>
              <Gene
                project={project}
                gene={gene}
                change={choice.change}
                choose={(next) => change({ change: next === choice.change ? '' : next })}
              />
            </Stack>
          </Tabs.Panel>
        )}
        <Tabs.Panel value="genes" pt="sm">
          <Stack>
            {conditions}
            <Loaded query={genes}>
              {(list) =>
                list.length === 0 ? (
                  <Empty title="No variant">Remove a condition, or ingest a VCF or MAF file first.</Empty>
                ) : (
                  <>
                    {subjects === 0 && (
                      <Text size="sm" mb="xs">
                        The samples belong to no patient, so no carriers are counted. Name the patient when
                        you ingest a file.
                      </Text>
                    )}
                    <Grid name="Genes" columns={geneColumns(change)} rows={list} />
                  </>
                )
              }
            </Loaded>
          </Stack>
        </Tabs.Panel>
        <Tabs.Panel value="rows" pt="sm">
          <Stack>
            {conditions}
            <VariantRows project={project} where={where} />
          </Stack>
        </Tabs.Panel>
      </Tabs>
    </Frame>
  );
}

function geneColumns(change: (part: Choice) => void): Column<Row>[] {
  return [
    {
      name: 'gene',
      value: (row) => row['gene'],
      render: (row) => (
        <Anchor
          component="button"
          size="sm"
          onClick={() => change({ gene: String(row['gene']), change: '', view: '' })}
        >
          {String(row['gene'])}
        </Anchor>
      ),
    },
    { name: 'carriers', value: (row) => row['patientCount'], numeric: true },
    { name: 'variants', value: (row) => row['variantCount'], numeric: true },
  ];
}

interface ConditionsProps {
  project: string;
  choice: Choice;
  change: (part: Choice) => void;
}

function Conditions({ project, choice, change }: ConditionsProps) {
  const [gene, setGene] = useState(choice.gene ?? '');
  const [region, setRegion] = useState(choice.region ?? '');
  const { data = [] } = useQuery(genesOf(project));
  const known = data.map((row) => String(row['gene']));
  return (
    <section aria-label="Conditions">
      <Title order={2} size="h5" mb={4}>
        Conditions
      </Title>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          const genes = genesIn(gene, known);
          setGene(genes.join(', '));
          change({ gene: genes.join('|'), region, change: '' });
        }}
      >
        <SimpleGrid cols={{ base: 1, sm: 2, lg: 5 }}>
          <TextInput
            label="Genes"
            placeholder="TP53, BRCA2"
            value={gene}
            onChange={(event) => setGene(event.currentTarget.value)}
          />
          <TextInput
            label="Region"
            placeholder="chr17:7,668,000-7,688,000"
            value={region}
            onChange={(event) => setRegion(event.currentTarget.value)}
          />
          <ValueChoice
            label="Consequence"
            field="ebcanon_class"
            project={project}
            value={choice.consequence}
            change={(consequence) => change({ consequence })}
          />
          <ValueChoice
            label="Significance"
            field="clinical_significance"
            project={project}
            value={choice.significance}
            change={(significance) => change({ significance })}
          />
          <NumberInput
            label="Frequency up to"
            min={0}
            max={1}
            step={0.01}
            value={choice.frequency ?? ''}
            onChange={(value) => change({ frequency: String(value) })}
          />
        </SimpleGrid>
        <Group mt="xs">
          <Button type="submit" size="xs">
            Apply
          </Button>
          <Button
            size="xs"
            variant="default"
            onClick={() => {
              setGene('');
              setRegion('');
              change({ gene: '', region: '', consequence: '', significance: '', frequency: '', sample: '' });
            }}
          >
            Clear
          </Button>
          <Text size="sm" c="var(--soft)">
            All conditions hold for the same variant. A limit of frequency leaves out variants of unknown
            frequency.
          </Text>
        </Group>
      </form>
    </section>
  );
}

interface ValueChoiceProps {
  label: string;
  field: string;
  project: string;
  value: string | undefined;
  change: (text: string) => void;
}

function ValueChoice({ label, field, project, value, change }: ValueChoiceProps) {
  const options = { groupBy: [field], metrics: [{ op: 'countDistinct', field: 'patient_id' }], limit: 200 };
  const { data = [] } = useQuery(buckets(project, { target: 'variant', options }));
  return (
    <MultiSelect
      label={label}
      data={sorted(data, field).map((one) => one.value)}
      value={listOf(value)}
      onChange={(values) => change(values.join('|'))}
      searchable
      clearable
    />
  );
}
