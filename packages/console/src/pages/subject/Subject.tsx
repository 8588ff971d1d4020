import { MultiSelect, SimpleGrid } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { rows } from '../../api/ask.ts';
import { Page as Frame, MaskedNote } from '../../shell/Page.tsx';
import { Shared } from './Shared.tsx';
import { SubjectView } from './SubjectView.tsx';

const besideMax = 3;
const from = '/projects/$project/subjects/$patient';

/** One subject, or up to four side by side. */
export function Page() {
  const { project, patient } = useParams({ from });
  const { beside = '' } = useSearch({ from });
  const others = beside.split(',').filter(Boolean);
  const navigate = useNavigate({ from });
  const { data = [] } = useQuery(
    rows(project, { target: 'patient', options: { fields: ['gender'], limit: 5000 } }),
  );
  const ids = data.map((row) => String(row['id'])).filter((id) => id !== patient);
  const show = (chosen: string[]): void =>
    void navigate({ search: { beside: chosen.join(',') }, replace: true, resetScroll: false });
  const all = [patient, ...others];
  return (
    <Frame
      title={others.length === 0 ? `Subject ${patient}` : `Subjects ${all.join(', ')}`}
      actions={
        <MultiSelect
          aria-label="Compare with"
          placeholder="Compare with"
          data={ids}
          value={others}
          onChange={show}
          maxValues={besideMax}
          searchable
          limit={50}
          w={260}
          size="sm"
        />
      }
    >
      <MaskedNote project={project} />
      {all.length > 1 && <Shared project={project} patients={all} />}
      <SimpleGrid cols={{ base: 1, md: all.length }}>
        {all.map((id) => (
          <SubjectView key={id} project={project} patient={id} isAlone={all.length === 1} />
        ))}
      </SimpleGrid>
    </Frame>
  );
}
