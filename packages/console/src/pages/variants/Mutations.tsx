import { Anchor, Group } from '@mantine/core';
import { AnchorLink } from '../../shell/links.tsx';
import { type Leaf, writeConditions } from '../../study/conditions.ts';
import type { Column } from '../../table/column.ts';
import { Grid } from '../../table/Grid.tsx';
import { linksOf, type Mutation } from './mutations.ts';

interface Props {
  project: string;
  gene: string;
  mutations: Mutation[];
  /** Subjects that are profiled for the gene; `undefined`: not known. */
  profiled: number | undefined;
  hasLinks: boolean;
}

/** Returns the test of subjects that carry a mutation. */
function leafOf(gene: string, { chromosome, position, reference, alternate }: Mutation): Leaf {
  const variant = { chromosome, position, reference, alternate };
  return { alteration: { genes: [gene], kinds: ['mutation'], variants: [variant] } };
}

/** Mutations of a gene with their carriers; each row leads to its subjects and to public collections. */
export function Mutations({ project, gene, mutations, profiled, hasLinks }: Props) {
  const columns: Column<Mutation>[] = [
    { name: 'protein_change', value: ({ change }) => change },
    {
      name: 'subjects',
      value: ({ subjects }) => subjects,
      numeric: true,
      render: (one) =>
        one.subjects > 0 && (
          <AnchorLink
            size="sm"
            to="/projects/$project"
            params={{ project }}
            search={{ filter: writeConditions([{ is: leafOf(gene, one) }]), view: 'subjects' }}
          >
            {one.subjects.toLocaleString()}
          </AnchorLink>
        ),
    },
    {
      name: 'of_profiled',
      value: ({ subjects }) => (profiled && subjects <= profiled ? subjects / profiled : undefined),
    },
    { name: 'allele_fraction', value: ({ fraction }) => fraction },
    { name: 'class', value: (one) => one.class },
    { name: 'clinical_significance', value: ({ significance }) => significance },
    { name: 'consequence', value: ({ consequence }) => consequence },
    { name: 'samples', value: ({ samples }) => samples, numeric: true },
    { name: 'chromosome', value: ({ chromosome }) => chromosome },
    { name: 'position', value: ({ position }) => position, numeric: true },
    { name: 'reference', value: ({ reference }) => reference },
    { name: 'alternate', value: ({ alternate }) => alternate },
    {
      name: 'links',
      isAction: true,
      width: 250,
      value: () => '',
      render: (one) => <Away links={linksOf(gene, one)} />,
    },
  ];
  const shown = columns.filter(({ isAction }) => hasLinks || !isAction);
  return <Grid name="Mutations" columns={shown} rows={mutations} heightMax={420} />;
}

/** Links that leave the service, which itself asks none of these. */
export function Away({ links }: { links: [name: string, address: string][] }) {
  return (
    <Group gap={8} wrap="nowrap">
      {links.map(([name, address]) => (
        <Anchor key={name} size="xs" href={address} target="_blank" rel="noreferrer noopener">
          {name}
        </Anchor>
      ))}
    </Group>
  );
}
