import { Badge, Card, Group, Text, Title } from '@mantine/core';
import { mainColour } from '../../design/palette.ts';
import { AnchorLink } from '../../shell/links.tsx';
import type { Column } from '../../table/column.ts';
import { Grid } from '../../table/Grid.tsx';
import { shownShare } from '../../words/dictionary.ts';
import { type Alteration, isKnown } from './alterations-in.ts';
import type { Sample } from './samples.ts';

/** Alterations that matter most, as words. */
export function KeyAlterations({ list, project }: { list: readonly Alteration[]; project: string }) {
  const known = list.filter(isKnown);
  if (known.length === 0) return <Text size="sm">None known as a driver or as pathogenic.</Text>;
  return (
    <Group gap={6}>
      {known.slice(0, keyMax).map(({ gene, change, type, isGermline, fractions }) => {
        const shares = [...fractions.values()].filter((one) => one !== null);
        const share = shares.length > 0 ? ` · ${shownShare(Math.max(...shares))}` : '';
        return (
          <Badge
            key={`${gene} ${change} ${type}`}
            variant="light"
            size="lg"
            title={`${type}${isGermline ? ', germline' : ''}`}
          >
            <AnchorLink
              size="sm"
              fw={700}
              to="/projects/$project/variants"
              params={{ project }}
              search={{ gene }}
            >
              {gene}
            </AnchorLink>{' '}
            <bdi>{change || type}</bdi>
            {share}
          </Badge>
        );
      })}
      {known.length > keyMax && <Text size="sm">and {known.length - keyMax} more</Text>}
    </Group>
  );
}

const keyMax = 12;

/** Alterations of all samples side by side, with the shares of reads, drivers first. */
export function Alterations({
  list,
  samples,
  isAlone,
}: {
  list: readonly Alteration[];
  samples: readonly Sample[];
  /** False where other patients are beside it: columns of samples have their numbers. */
  isAlone: boolean;
}) {
  const columns: Column<Alteration>[] = [
    { name: 'gene', value: ({ gene }) => gene },
    { name: 'protein_change', value: ({ change }) => change },
    ...samples.map(
      ({ id, number }): Column<Alteration> => ({
        name: isAlone ? id : `Sample ${number}`,
        numeric: true,
        value: ({ fractions }) => fractions.get(id) ?? (fractions.has(id) ? 'yes' : null),
        render: ({ fractions }) => <Fraction share={fractions.get(id)} />,
      }),
    ),
    { name: 'judgement', value: judgementOf },
    { name: 'class', value: ({ type }) => type },
    ...(list.some(({ isGermline }) => isGermline)
      ? [{ name: 'origin', value: ({ isGermline }: Alteration) => (isGermline ? 'germline' : '') }]
      : []),
  ];
  return (
    <Card withBorder padding="sm" component="section" aria-label="Alterations">
      <Title order={2} size="h4" mb="xs">
        Alterations by sample
      </Title>
      <Grid name="Alterations" columns={columns} rows={list} heightMax={330} />
    </Card>
  );
}

function judgementOf({ isDriver, isPathogenic }: Alteration): string {
  return isDriver ? 'driver' : isPathogenic ? 'pathogenic' : '';
}

/** A share of reads as a bar and as a number; undefined: not found in the sample. */
function Fraction({ share }: { share: number | null | undefined }) {
  if (share === undefined) return '–';
  if (share === null) return 'yes';
  return (
    <span className="fraction">
      <span
        className="fraction-bar"
        style={{ width: `${Math.min(1, share) * 40}px`, background: mainColour }}
      />
      {shownShare(share)}
    </span>
  );
}
