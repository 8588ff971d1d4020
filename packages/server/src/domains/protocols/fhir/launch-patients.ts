import type { Caller } from '../../../access/caller.ts';
import type { Located } from '../../../api/route.ts';
import { Problem } from '../../../base/problem.ts';
import type { Records } from '../../../platform/records/records.ts';
import { type Audit, actor } from '../../audit/index.ts';
import type { LaunchPatients, Target } from '../../authentication/oauth/index.ts';
import type { ProjectRecord, Projects } from '../../files/projects/index.ts';
import type { Callers } from '../../identity/callers/index.ts';
import { locate } from './addresses.ts';
import type { FhirApi } from './fhir-api.ts';

interface LaunchDeps {
  records: Records;
  audit: Audit;
  callers: Callers;
  projects: Projects;
  api: FhirApi;
}

/** Patients of the list from which a user chooses; others are chosen by their ids. */
const listedMax = '200';
/** Time of a read during a sign-in. */
const readMaxMs = 30_000;

interface PatientOfPage {
  id: string;
  name?: { text?: string; given?: string[]; family?: string }[];
  birthDate?: string;
}

/** Finds the patients that a user may read at a FHIR base, by the interface itself: with the rows and masks of the user. */
export function launchPatients(deps: LaunchDeps): LaunchPatients {
  return {
    list: async (target, session, requestId) => {
      const found = await reading(deps, target, session);
      if (!found) return [];
      const asked = { pairs: [['_count', listedMax] as const], isLenient: false, page: undefined };
      const text = await orNothing(() => deps.api.search(found.record, 'Patient', asked, found.by));
      const { entry = [] }: { entry?: { resource: PatientOfPage }[] } = JSON.parse(text ?? '{}');
      await recordList(deps, found, entry.length, requestId);
      return entry.map(({ resource }) => ({ id: resource.id, label: labelOf(resource) }));
    },
    has: async (target, session, patient) => {
      const found = await reading(deps, target, session);
      const read =
        found && (await orNothing(() => deps.api.read(found.record, 'Patient', patient, found.by)));
      return read !== undefined;
    },
  };
}

interface Reading extends Located<ProjectRecord> {
  by: { caller: Caller; signal: AbortSignal };
}

/** Locates the project of a base for a user who reads resources there. */
async function reading(
  { projects, callers }: LaunchDeps,
  { account, resource = '' }: Target,
  { id, userId }: { id: string; userId: string },
): Promise<Reading | undefined> {
  const located = await locate(projects, { account, project: resource.slice(resource.lastIndexOf('/') + 1) });
  if (!located) return undefined;
  const caller = await callers.resolve({
    ...{ userId, via: `session:${id}`, keyAccount: undefined, onlyAccount: account },
  });
  if (!caller?.may('fhir.read', located.attributes)) return undefined;
  return { ...located, by: { caller, signal: AbortSignal.timeout(readMaxMs) } };
}

/** Returns nothing where the interface refuses, as it does with small counts, or has nothing. */
async function orNothing<T>(read: () => Promise<T>): Promise<T | undefined> {
  return read().catch((error: unknown) => {
    if (error instanceof Problem && (error.status === 403 || error.status === 404)) return undefined;
    throw error;
  });
}

async function recordList(
  { records, audit }: LaunchDeps,
  { record, attributes, by }: Reading,
  patients: number,
  requestId: string,
): Promise<void> {
  await records.transact((tx) =>
    audit.append(tx, {
      account: record.account,
      ...actor(by.caller, requestId),
      action: 'fhir.read',
      resource: attributes,
      outcome: 'done',
      details: { patients },
    }),
  );
}

function labelOf({ name = [], birthDate }: PatientOfPage): string {
  const [{ text, given = [], family = '' } = {}] = name;
  return [text ?? [...given, family].join(' ').trim(), birthDate ?? ''].filter(Boolean).join(', ');
}
