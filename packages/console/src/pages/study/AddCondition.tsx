import { Modal, Select, Tabs } from '@mantine/core';
import type { Node } from '../../study/conditions.ts';
import { ExpressionForm } from './ExpressionForm.tsx';
import { GenesForm } from './GenesForm.tsx';
import { PropertyForm } from './PropertyForm.tsx';
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
          <Tabs.Tab value="property">Property</Tabs.Tab>
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
        <Tabs.Panel value="property">
          <PropertyForm project={project} add={take} />
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
