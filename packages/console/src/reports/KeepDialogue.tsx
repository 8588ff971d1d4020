import { Select, Textarea, TextInput } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Ask } from '../shell/Ask.tsx';
import { notify } from '../shell/Feedback.tsx';
import type { Keepable } from './keeping.ts';
import { makeReport, type NewFigure, newPartId, replaceReport, reportOf, reportsOf } from './reports.ts';

interface Props extends Keepable {
  title: string;
  /** Id of the chart on a page of several. */
  chart: string | undefined;
  close: () => void;
}

const newReport = 'new';

/** Puts a figure into a report as the address of its page: the report draws it anew for each reader. */
export function KeepDialogue({ project, page, version, state, title, chart, close }: Props) {
  const queries = useQueryClient();
  const { data: list = [] } = useQuery(reportsOf(project));
  const [chosen, setChosen] = useState(newReport);
  const [name, setName] = useState('');
  const [caption, setCaption] = useState('');
  const run = async ({ title: written = title }: Record<string, string>): Promise<void> => {
    const figure: NewFigure = {
      ...{ id: newPartId(), kind: 'figure', title: written, page },
      state: state ?? location.search.replace(/^\?/, ''),
      ...(caption && { caption }),
      ...(chart !== undefined && { chart }),
      ...(version !== undefined && { version }),
    };
    if (chosen === newReport) await makeReport(project, { name, shared: false, parts: [figure] });
    else {
      const report = await queries.fetchQuery({ ...reportOf(project, chosen), staleTime: 0 });
      const { description, shared, parts } = report;
      const fields = { name: report.name, description, shared, parts: [...parts, figure] };
      await replaceReport(project, report, fields);
    }
    await queries.invalidateQueries({ queryKey: ['reports', project] });
    notify('The figure is in the report.');
  };
  return (
    <Ask
      title="Keep in a report"
      action="Keep"
      fields={[{ name: 'title', label: 'Title', value: title }]}
      run={run}
      close={close}
    >
      <Textarea
        label="Caption"
        autosize
        minRows={2}
        value={caption}
        onChange={(event) => setCaption(event.currentTarget.value)}
      />
      <Select
        label="Report"
        allowDeselect={false}
        data={[
          { value: newReport, label: 'New report' },
          ...list.map(({ id, name: label }) => ({ value: id, label })),
        ]}
        value={chosen}
        onChange={(next) => setChosen(next ?? newReport)}
      />
      {chosen === newReport && (
        <TextInput
          label="Name of the report"
          required
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
      )}
    </Ask>
  );
}
