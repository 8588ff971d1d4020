import { Checkbox, Grid as Columns, Stack, Text, TextInput, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { Fragment, useState } from 'react';
import { useMay } from '../../api/lists.ts';
import { type Source, sourcesOf } from '../../api/sources.ts';
import { Empty, Loaded } from '../../shell/Feedback.tsx';
import { AnchorLink } from '../../shell/links.tsx';
import { Page as Frame, MaskedNote } from '../../shell/Page.tsx';
import { Browser } from './Browser.tsx';
import { cutRegions } from './chromosomes.ts';
import { isOf, type Reference, referenceOf } from './sources.ts';

const from = '/projects/$project/genome';
const shownMax = 100;
const regionsMax = 10;

/** Reads and variants along the genome, for users who may read files. */
export function Page() {
  const { project } = useParams({ from });
  const may = useMay('readData', { dataset: project, type: 'ingestion' });
  return (
    <Frame title="Genome">
      <MaskedNote project={project} />
      {may === false && (
        <Empty title="You may not see the files of this project">
          Reads and variants are drawn from files as they are, without masks. This needs the privilege
          readData.
        </Empty>
      )}
      {may && <Tracks project={project} />}
    </Frame>
  );
}

function Tracks({ project }: { project: string }) {
  const { locus = '', tracks, sample = '' } = useSearch({ from });
  const navigate = useNavigate({ from });
  const [typed, setTyped] = useState('');
  const sources = useQuery({ queryKey: ['genome sources', project], queryFn: () => sourcesOf(project) });
  const reference = useQuery({ queryKey: ['chromosomes', project], queryFn: () => referenceOf(project) });
  const choose = (ids: string[]): void =>
    void navigate({ search: { locus, sample, tracks: ids.join(',') || 'none' }, replace: true });
  return (
    <Loaded query={sources}>
      {(list) => {
        if (list.length === 0)
          return (
            <Empty title="Nothing to draw yet">
              Ingest BAM, CRAM or VCF files; a FASTA file is the reference.
            </Empty>
          );
        const chosen = tracks?.split(',') ?? firstOf(list, sample);
        const shown = list.filter(
          ({ id, name }) => chosen.includes(id) || name.toLowerCase().includes(typed.toLowerCase()),
        );
        return (
          <Columns>
            <Columns.Col span={{ base: 12, md: 3 }}>
              <Stack gap="xs">
                <Title order={2} size="h5">
                  Tracks
                </Title>
                <TextInput
                  size="xs"
                  placeholder="Search"
                  aria-label="Search tracks"
                  value={typed}
                  onChange={(event) => setTyped(event.currentTarget.value)}
                />
                <Checkbox.Group value={chosen} onChange={choose} aria-label="Tracks">
                  <Stack gap={8}>
                    {shown.slice(0, shownMax).map(({ id, name, kind, undrawn }) => (
                      <Checkbox
                        key={id}
                        value={id}
                        label={`${name} (${kind})`}
                        disabled={undrawn !== undefined}
                        description={undrawn}
                      />
                    ))}
                  </Stack>
                </Checkbox.Group>
              </Stack>
            </Columns.Col>
            <Columns.Col span={{ base: 12, md: 9 }}>
              {sample !== '' && !list.some((one) => one.kind === 'reads' && isOf(one, sample)) && (
                <Text size="sm" mb="xs" role="status">
                  There are no reads of sample {sample}.
                </Text>
              )}
              <Loaded query={reference}>
                {(found) => (
                  <>
                    <Bases project={project} reference={found} />
                    <Browser
                      reference={found}
                      locus={locus}
                      sources={list.filter(({ id, undrawn }) => chosen.includes(id) && undrawn === undefined)}
                    />
                  </>
                )}
              </Loaded>
            </Columns.Col>
          </Columns>
        );
      }}
    </Loaded>
  );
}

/** The reference, and where it has bases. */
function Bases({ project, reference }: { project: string; reference: Reference }) {
  const { tracks, sample } = useSearch({ from });
  const regions = cutRegions(reference.chromosomes);
  const hasBases = reference.chromosomes.some(({ parts }) => parts.length > 0);
  return (
    <Text size="sm" mb="xs">
      Reference: {reference.name}
      {!hasBases && '; ingest a FASTA file to see its bases'}
      {regions.length > 0 && '; it has the bases of '}
      {regions.slice(0, regionsMax).map((locus, at) => (
        <Fragment key={locus}>
          {at > 0 && ', '}
          <AnchorLink
            inherit
            underline="always"
            to="/projects/$project/genome"
            params={{ project }}
            search={{ locus, sample, tracks }}
          >
            {locus}
          </AnchorLink>
        </Fragment>
      ))}
      {regions.length > regionsMax && ` and ${(regions.length - regionsMax).toLocaleString()} more regions`}
    </Text>
  );
}

/** Finds the sources of a sample by its name, else the first drawable reads, with that sample's variants. */
function firstOf(list: Source[], sample: string): string[] {
  const named = sample === '' ? [] : list.filter((one) => isOf(one, sample));
  if (named.length > 0) return named.map(({ id }) => id);
  const reads = list.find(({ kind, undrawn }) => kind === 'reads' && undrawn === undefined);
  const files = list.filter(({ kind }) => kind === 'variants');
  const variants = files.find((one) => reads?.samples.some((name) => isOf(one, name))) ?? files[0];
  return [reads, variants].flatMap((one) => (one ? [one.id] : []));
}
