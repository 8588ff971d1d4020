import { Button, Modal, Select, Stack, Tabs, Textarea } from '@mantine/core';
import { useState } from 'react';
import type { Node } from '../../study/conditions.ts';
import { GenesForm } from '../../study/GenesForm.tsx';
import { ExpressionForm } from './ExpressionForm.tsx';
import { PropertyForm } from './PropertyForm.tsx';
import { TreatmentForm } from './TreatmentForm.tsx';
import { VariantForm } from './VariantForm.tsx';

interface Props {
  project: string;
  cohorts: readonly { id: string; name: string }[];
  add: (node: Node) => void;
  close: () => void;
}

/** Dialogue for conditions that no chart holds: a variant, the expression of a gene, a cohort. */
export function AddCondition({ project, cohorts, add, close }: Props) {
  const take = (node: Node): void => {
    add(node);
    close();
  };
  return (
    <Modal
      opened
      onClose={close}
      title="Add a condition"
      size="lg"
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <Tabs defaultValue="variant" keepMounted={false}>
        <Tabs.List mb="sm">
          <Tabs.Tab value="variant">Variant</Tabs.Tab>
          <Tabs.Tab value="genes">Genes</Tabs.Tab>
          <Tabs.Tab value="expression">Expression</Tabs.Tab>
          <Tabs.Tab value="treatment">Treatment</Tabs.Tab>
          <Tabs.Tab value="property">Property</Tabs.Tab>
          <Tabs.Tab value="ids">List of ids</Tabs.Tab>
          {cohorts.length > 0 && <Tabs.Tab value="cohort">Cohort</Tabs.Tab>}
        </Tabs.List>
        <Tabs.Panel value="variant">
          <VariantForm project={project} add={take} />
        </Tabs.Panel>
        <Tabs.Panel value="genes">
          <GenesForm add={take} />
        </Tabs.Panel>
        <Tabs.Panel value="expression">
          <ExpressionForm project={project} add={take} />
        </Tabs.Panel>
        <Tabs.Panel value="treatment">
          <TreatmentForm project={project} add={take} />
        </Tabs.Panel>
        <Tabs.Panel value="property">
          <PropertyForm project={project} add={take} />
        </Tabs.Panel>
        <Tabs.Panel value="ids">
          <IdsForm add={take} />
        </Tabs.Panel>
        <Tabs.Panel value="cohort">
          <Select
            label="Members of"
            searchable
            data={cohorts.map(({ id, name }) => ({ value: id, label: name }))}
            value={null}
            onChange={(id) => id !== null && take({ cohort: id })}
          />
        </Tabs.Panel>
      </Tabs>
    </Modal>
  );
}

/** Ids of one condition, which an address has room for. */
const idsMax = 500;

/** Form of a list of ids of subjects or samples, as it is copied from elsewhere. */
function IdsForm({ add }: { add: (node: Node) => void }) {
  const [text, setText] = useState('');
  const ids = [...new Set(text.split(/[\s,;]+/).filter(Boolean))];
  return (
    <Stack>
      <Textarea
        label="Ids of subjects or samples"
        description="Separated by blanks, commas or lines. Ids that this project does not have choose nothing."
        rows={6}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        error={
          ids.length > idsMax &&
          `These are ${ids.length.toLocaleString()} ids; a condition has room for ${idsMax.toLocaleString()}. Save more as a cohort.`
        }
      />
      <Button disabled={ids.length === 0 || ids.length > idsMax} onClick={() => add({ list: ids })}>
        Add {ids.length > 0 && ids.length.toLocaleString()} {ids.length === 1 ? 'id' : 'ids'}
      </Button>
    </Stack>
  );
}
