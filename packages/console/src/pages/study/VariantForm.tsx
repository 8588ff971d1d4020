import {
  Alert,
  Autocomplete,
  Button,
  MultiSelect,
  NumberInput,
  Select,
  SimpleGrid,
  Stack,
  TextInput,
} from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { buckets, rows } from '../../api/ask.ts';
import { isOneOf } from '../../api/where.ts';
import { sorted } from '../../facets/choices.ts';
import type { Leaf } from '../../study/conditions.ts';
import { shortChange, type VariantFields, variantLeaf } from '../../study/variant-test.ts';

const kinds = [
  { value: 'mutation', label: 'Mutation' },
  { value: 'copy_number', label: 'Copy number' },
  { value: 'fusion', label: 'Fusion' },
];
const classesOf = {
  mutation: ['missense', 'truncating', 'inframe', 'splice', 'promoter', 'other'],
  copy_number: ['amplification', 'gain', 'loss', 'deletion'],
  fusion: [],
} as const;
const distinct = [{ op: 'countDistinct', field: 'patient_id' }];

/** Form of a variant: all fields hold for the same one. */
export function VariantForm({ project, add }: { project: string; add: (leaf: Leaf) => void }) {
  const [fields, setFields] = useState<VariantFields>({ kind: 'mutation' });
  const [fault, setFault] = useState('');
  const set = (part: VariantFields): void => {
    setFields((now) => ({ ...now, ...part }));
    setFault('');
  };
  const { kind = 'mutation', gene = '', protein = '' } = fields;
  const number = (value: number | string): number | undefined =>
    typeof value === 'number' ? value : undefined;
  const { data: genes = [] } = useQuery(rows(project, { target: 'gene', options: { limit: 2000 } }));
  const { data: changes = [] } = useQuery({
    ...buckets(project, {
      target: 'variant',
      where: { variant: { gene: isOneOf([gene]) } },
      options: { groupBy: ['amino_acid_change'], metrics: distinct, limit: 1000 },
    }),
    enabled: gene !== '' && kind === 'mutation',
  });
  const { data: significances = [] } = useQuery(
    buckets(project, {
      target: 'variant',
      options: { groupBy: ['clinical_significance'], metrics: distinct, limit: 200 },
    }),
  );
  const submit = (): void => {
    try {
      const leaf = variantLeaf(fields);
      if (leaf) add(leaf);
      else setFault('Fill in a field.');
    } catch (error) {
      setFault(error instanceof Error ? error.message : String(error));
    }
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <Stack>
        <SimpleGrid cols={{ base: 1, xs: 2 }}>
          <Select
            label="Kind"
            data={kinds}
            value={kind}
            allowDeselect={false}
            onChange={(value) => setFields({ gene, kind: value as typeof kind })}
          />
          <Autocomplete
            label="Gene"
            placeholder="BRAF"
            data={genes.map((row) => String(row['gene']))}
            limit={20}
            value={gene}
            onChange={(value) => set({ gene: value.trim() })}
          />
          {classesOf[kind].length > 0 && (
            <MultiSelect
              label={kind === 'mutation' ? 'Consequence' : 'Change'}
              data={[...classesOf[kind]]}
              value={fields.classes ?? []}
              onChange={(classes) => set({ classes })}
            />
          )}
          {kind === 'mutation' && (
            <>
              <Autocomplete
                label="Protein change or codon"
                placeholder="V600E, p.Val600Glu, V600"
                data={[
                  ...new Set(sorted(changes, 'amino_acid_change').map(({ value }) => shortChange(value))),
                ]}
                limit={20}
                value={protein}
                onChange={(value) => set({ protein: value.trim() })}
              />
              <TextInput
                label="Place"
                placeholder="chr7:140753336 or chr7:140753000-140754000"
                value={fields.region ?? ''}
                onChange={(event) => set({ region: event.currentTarget.value })}
              />
              <TextInput
                label="dbSNP"
                placeholder="rs113488022"
                value={fields.rsId ?? ''}
                onChange={(event) => set({ rsId: event.currentTarget.value })}
              />
              <MultiSelect
                label="Significance"
                data={sorted(significances, 'clinical_significance').map(({ value }) => value)}
                value={fields.significance ?? []}
                onChange={(significance) => set({ significance })}
                searchable
              />
              <Select
                label="Zygosity"
                clearable
                data={['heterozygous', 'homozygous']}
                value={fields.zygosity ?? null}
                onChange={(value) => set({ zygosity: (value as VariantFields['zygosity']) ?? undefined })}
              />
              <NumberInput
                label="Population frequency up to"
                min={0}
                max={1}
                step={0.01}
                value={fields.frequencyMax ?? ''}
                onChange={(value) => set({ frequencyMax: number(value) })}
              />
              <NumberInput
                label="VAF from"
                min={0}
                max={1}
                step={0.05}
                value={fields.fractionMin ?? ''}
                onChange={(value) => set({ fractionMin: number(value) })}
              />
              <NumberInput
                label="Depth from"
                min={0}
                value={fields.depthMin ?? ''}
                onChange={(value) => set({ depthMin: number(value) })}
              />
              <TextInput
                label="Filter of the call"
                placeholder="PASS"
                value={fields.filter ?? ''}
                onChange={(event) => set({ filter: event.currentTarget.value.trim() })}
              />
            </>
          )}
        </SimpleGrid>
        {fault !== '' && (
          <Alert color="red" role="alert">
            {fault}
          </Alert>
        )}
        <Button type="submit">Add</Button>
      </Stack>
    </form>
  );
}
