import { TextInput, UnstyledButton } from '@mantine/core';
import { useState } from 'react';
import type { Shape } from '../../api/lists.ts';
import { AnchorLink } from '../../shell/links.tsx';
import { type Conditions, type Leaf, placeOfLeaf, toggleLeaf } from '../../study/conditions.ts';
import { shownShare } from '../../words/dictionary.ts';
import { geneCharts } from './charts.ts';

type Genes = Shape<'StudyGenes'>;
type Gene = Genes['items'][number];

const shownMax = 60;

interface Props {
  project: string;
  /** Id of the chart. */
  id: string;
  genes: Genes;
  title: string;
  conditions: Conditions;
  change: (conditions: Conditions) => void;
}

/** Genes by the share of profiled subjects with an alteration; a click on a gene chooses its carriers. */
export function GeneTable({ project, id, genes, title, conditions, change }: Props) {
  const [typed, setTyped] = useState('');
  const kind = geneCharts.get(id)?.kind ?? 'mutation';
  const leafOf = ({ gene, class: type }: Gene): Leaf => ({
    alteration: { genes: [gene], kinds: [kind], ...(type && { classes: [type] }) },
  });
  const shown = genes.items
    .filter(({ gene }) => gene.toLowerCase().startsWith(typed.trim().toLowerCase()))
    .slice(0, shownMax);
  return (
    <>
      {genes.items.length > 8 && (
        <TextInput
          size="xs"
          mb={4}
          placeholder="Search genes"
          aria-label={`Search ${title}`}
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
        />
      )}
      <table className="gene-table" aria-label={title}>
        <thead>
          <tr>
            <th>Gene</th>
            {kind === 'copy_number' && <th>Change</th>}
            <th className="gene-number" title="Alterations">
              #
            </th>
            <th className="gene-number">Subjects</th>
            <th className="gene-number" title="Of the subjects that are profiled for the gene">
              Profiled
            </th>
          </tr>
        </thead>
        <tbody>
          {shown.map((item) => {
            const isChosen = placeOfLeaf(conditions, leafOf(item)) >= 0;
            return (
              <tr key={`${item.gene} ${item.class ?? ''}`} data-chosen={isChosen || undefined}>
                <td>
                  <AnchorLink
                    size="sm"
                    to="/projects/$project/variants"
                    params={{ project }}
                    search={{ gene: item.gene }}
                  >
                    {item.gene}
                  </AnchorLink>
                </td>
                {kind === 'copy_number' && <td>{item.class}</td>}
                <td className="gene-number">{item.events ?? 'few'}</td>
                <td className="gene-number">
                  <UnstyledButton
                    className="gene-choice"
                    aria-pressed={isChosen}
                    aria-label={`Subjects with ${item.gene} ${item.class ?? 'altered'}: ${item.altered ?? 'few'}`}
                    title="Choose these subjects"
                    onClick={() => change(toggleLeaf(conditions, leafOf(item)))}
                  >
                    {item.altered?.toLocaleString() ?? 'few'}
                  </UnstyledButton>
                </td>
                <td className="gene-number" title={profiledText(item)}>
                  {item.percent === null ? absent(item) : shownShare(item.percent / 100)}
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </>
  );
}

const absent = ({ reason }: Gene): string => (reason === 'notProfiled' ? 'N/P' : 'few');

function profiledText({ gene, onPanel, profiled, reason }: Gene): string {
  if (reason === 'notProfiled') return `No subject is profiled for ${gene}`;
  return `${onPanel ?? 'few'} of ${profiled ?? 'few'} profiled subjects`;
}
