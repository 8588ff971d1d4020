import { TextInput, UnstyledButton } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Shape } from '../../api/lists.ts';
import { AnchorLink } from '../../shell/links.tsx';
import { type Conditions, placeOfLeaf, toggleLeaf } from '../../study/conditions.ts';
import { answerOf, type Unit } from '../../study/study.ts';
import { classText, shownShare } from '../../words/dictionary.ts';
import { geneLeaf, genesBody } from './charts.ts';
import { geneCharts, type Placed } from './layout.ts';

type Genes = Shape<'StudyGenes'>;
type Gene = Genes['items'][number];

const shownMax = 60;
/** Number of genes from which a list has a field of search. */
const searchedMin = 20;

interface Props {
  project: string;
  placed: Placed;
  unit: Unit;
  genes: Genes;
  title: string;
  /** Subjects that are counted; `null`: too few to be shown. */
  total: number | null;
  conditions: Conditions;
  change: (conditions: Conditions) => void;
}

/** Genes by the share of profiled subjects with an alteration; a click on a number chooses these subjects. */
export function GeneTable({ project, placed, unit, genes, title, total, conditions, change }: Props) {
  const [typed, setTyped] = useState('');
  const kind = geneCharts.get(placed.id)?.kind ?? 'mutation';
  const leafOf = (item: Gene) => geneLeaf(placed, item);
  const search = typed.trim();
  const [settled] = useDebouncedValue(search, 300);
  const asked = genesBody({ datasetId: project, unit }, conditions, placed, settled);
  const others = useQuery({ ...answerOf(asked), enabled: settled !== '' });
  const found = search === '' ? genes.items : (others.data?.results['found']?.genes?.items ?? genes.items);
  const matching = found.filter(({ gene }) => gene.toLowerCase().startsWith(search.toLowerCase()));
  const shown = matching.slice(0, shownMax);
  const isSearching = search !== settled || others.isFetching;
  const highest = Math.max(1, ...genes.items.map(({ percent }) => percent ?? 0));
  const counted = unit === 'sample' ? 'Samples' : 'Subjects';
  if (genes.items.length === 0)
    return (
      <p className="study-card-empty">
        {total === 0
          ? 'No subject passes the conditions.'
          : genes.profiled === 0
            ? 'These subjects were not examined for it.'
            : 'No gene is altered in these subjects.'}
      </p>
    );
  return (
    <>
      {genes.items.length > searchedMin && (
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
            <th className="gene-number" title="Number of alterations; a subject may have several">
              Events
            </th>
            <th className="gene-number">{counted}</th>
            <th
              className="gene-number"
              title={`Share of the ${counted.toLowerCase()} that are profiled for the gene`}
            >
              Freq.
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
                    size="xs"
                    to="/projects/$project/variants"
                    params={{ project }}
                    search={{ gene: item.gene }}
                  >
                    {item.gene}
                  </AnchorLink>
                </td>
                {kind === 'copy_number' && <td>{classText(item.class ?? '')}</td>}
                <td className="gene-number">{item.events?.toLocaleString() ?? 'few'}</td>
                <td className="gene-number">
                  <UnstyledButton
                    className="gene-choice"
                    aria-pressed={isChosen}
                    aria-label={`${counted} with ${item.gene} ${item.class ?? 'altered'}: ${item.altered ?? 'few'}`}
                    title={`Choose these ${counted.toLowerCase()}`}
                    onClick={() => change(toggleLeaf(conditions, leafOf(item)))}
                  >
                    {item.altered?.toLocaleString() ?? 'few'}
                  </UnstyledButton>
                </td>
                <td className="gene-share" title={profiledText(item, counted.toLowerCase())}>
                  <span
                    className="gene-share-line"
                    style={{ width: `${((item.percent ?? 0) / highest) * 100}%` }}
                  />
                  {item.percent === null ? absent(item) : shownShare(item.percent / 100)}
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
      {shown.length === 0 && (
        <p className="study-card-empty" role="status">
          {isSearching ? 'Searching…' : (others.error?.message ?? `No altered gene begins with "${search}".`)}
        </p>
      )}
      {matching.length > shownMax && (
        <p className="study-card-empty">The first {shownMax}. Search finds the others.</p>
      )}
    </>
  );
}

const absent = ({ reason }: Gene): string => (reason === 'notProfiled' ? 'N/P' : 'few');

function profiledText({ gene, onPanel, profiled, reason }: Gene, counted: string): string {
  if (reason === 'notProfiled') return `No subject is profiled for ${gene}`;
  return `${onPanel ?? 'few'} of ${profiled ?? 'few'} profiled ${counted}`;
}
