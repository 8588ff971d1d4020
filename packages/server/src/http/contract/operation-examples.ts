/* Example bodies of requests in the API document. A test holds each to the schema of its operation. */

const id = {
  project: '0192d3a1-5b7c-7e2a-9d40-6c1f2e3a4b5c',
  file: '0192d3a1-7f10-7c44-8a21-0f9e8d7c6b5a',
  group: '0192d3a2-02be-7b6f-b1c3-5d4e3f2a1b0c',
  referenceSet: '0192d3a2-1d4e-7f08-9c55-2b3a4c5d6e7f',
} as const;

const region = { referenceName: 'chr13', start: 32315000, end: 32400000 };
const ehr = {
  name: 'Hospital north',
  apiBaseUrl: 'https://fhir.hospital.example/r4',
  apiAuthType: 'oauth2',
  apiKey: 'client-id',
  apiSecret: 'client-secret',
  schedule: { cron: '0 3 * * *', datasetId: id.project },
};
const policy = {
  rules: {
    readMaskedData: [
      {
        'user.groups': { comparison: 'includes', value: id.group },
        'resource.dataset': { comparison: 'equals', value: id.project },
      },
    ],
  },
};
const report = {
  name: 'Stage and survival',
  shared: true,
  parts: [
    { id: 'aim', kind: 'text', text: 'Stage at diagnosis of the melanoma cohort.' },
    {
      ...{ id: 'stage', kind: 'figure', title: 'Stage', page: 'study', state: 'unit=sample' },
      ...{ chart: 'condition.stage', version: 12 },
    },
  ],
};

const savedQuery = {
  name: 'Patients by gender',
  description: 'For the monthly report',
  statement: 'SELECT gender, count(*) AS patients FROM demographic GROUP BY gender',
  shared: true,
};
const upload = {
  name: 'patients/trial.ndjson',
  datasetId: id.project,
  contentType: 'application/fhir+ndjson',
  size: 1048576,
};

/** Bodies as JSON, by the name of the operation. */
export const operationExamples: Readonly<Record<string, unknown>> = {
  createAccount: { id: 'oncology', name: 'Oncology', type: 'FREE' },
  updateAccount: { name: 'Oncology and haematology' },
  createProject: { name: 'Trial 7', description: 'Exomes and records of 120 patients' },
  updateProject: { name: 'Trial 7, closed' },
  viewAsMember: { user: 'analyst@example.com' },
  createGroup: { name: 'Analysts', type: 'closed' },
  replaceGroup: { name: 'Analysts', description: 'May see masked data', type: 'closed' },
  replaceUserAttributes: { customAttributes: { department: 'cardiology' } },
  updateMe: { profile: { givenName: 'Ada', familyName: 'Lovelace' } },
  createFile: { ...upload, ingest: true },
  startUpload: { ...upload, size: 53687091200 },
  updateFile: { name: 'archive/trial.ndjson' },
  startIngestion: { datasetId: id.project, fileId: id.file, type: 'vcf', patientId: 'patient-1' },
  searchDatasets: { pageSize: 100 },
  searchReadGroupSets: { datasetIds: [id.project], patientId: 'patient-1' },
  createReadGroupSet: { datasetId: id.project, fileId: id.file, referenceSetId: id.referenceSet },
  searchReferenceSets: { assemblyId: 'GRCh38' },
  searchReferences: { referenceSetId: id.referenceSet },
  queryReferenceBases: { start: 32315000, end: 32316000 },
  queryReads: { format: 'BAM', regions: [region] },
  queryVariants: { format: 'VCF', regions: [region] },
  getDrsObjects: { bulk_object_ids: [id.file] },
  getDrsAccesses: { bulk_object_access_ids: [{ bulk_object_id: id.file, bulk_access_ids: ['https'] }] },
  queryBeaconVariants: {
    query: {
      requestParameters: { referenceName: '13', start: [32315473], referenceBases: 'G', alternateBases: 'A' },
      requestedGranularity: 'count',
    },
  },
  startQuery: {
    query:
      "SELECT gene, count(DISTINCT patient_id) AS patients FROM variant JOIN sequence ON sequence.id = variant.sample_id WHERE impact = 'HIGH' GROUP BY gene",
    datasetId: id.project,
    outputFileName: 'results/genes.parquet',
    format: 'parquet',
  },
  listResultRows: {
    filters: [{ column: 'gene', comparison: 'equals', value: 'BRAF' }],
    orderBy: [{ column: 'position' }],
    offset: 0,
    pageSize: 100,
  },
  summarizeResult: { column: 'position' },
  queryRows: {
    query: 'SELECT gender, count(*) AS patients FROM demographic GROUP BY gender',
    datasetId: id.project,
  },
  exportVariants: { format: 'vcf', sampleIds: ['NA12878'] },
  createWebhook: {
    name: 'Pipeline',
    url: 'https://pipeline.example.org/ploidy',
    events: ['ingestion.ended'],
    datasetId: id.project,
  },
  updateWebhook: { state: 'disabled' },
  renewWebhookSecret: { formerHours: 24 },
  createReport: report,
  replaceReport: report,
  createSavedQuery: savedQuery,
  replaceSavedQuery: { ...savedQuery, shared: false },
  createCohort: {
    name: 'Women',
    ownerProject: id.project,
    queries: [
      {
        project: id.project,
        queryType: 'sql',
        query: { sql: "SELECT patient_id FROM demographic WHERE gender = 'female'" },
      },
    ],
  },
  updateCohort: { name: 'Women over 60' },
  pauseAnnotationFilling: { isPaused: true },
  replaceLinkedSamples: { samples: [{ sampleId: 'SYN0001', patientId: 'syn-0001' }] },
  analyze: {
    datasetId: id.project,
    query: {
      target: 'patient',
      domain: 'count',
      where: { patient: { demographics: { gender: [{ operator: 'eq', value: 'female' }] } } },
    },
  },
  replaceStudyLayout: {
    charts: [
      { id: 'patient.gender', width: 1, height: 1, position: 0 },
      { id: 'genes:mutation', width: 2, height: 2, position: 1, view: 'table' },
    ],
  },
  listStudySubjects: {
    datasetId: id.project,
    unit: 'patient',
    filter: { alteration: { genes: ['BRAF'], proteinChanges: ['V600E'] } },
    pageSize: 100,
  },
  parseStudyLines: { text: 'BRAF: MUT = V600E\nTP53: TRUNC AND NOT KRAS' },
  queryStudy: {
    datasetId: id.project,
    unit: 'patient',
    filter: { and: [{ attribute: 'patient.gender', in: ['female'], pill: 'gender' }] },
    aggregates: [
      { id: 'gender', kind: 'values', attribute: 'patient.gender', ignoreOwn: 'gender' },
      { id: 'age', kind: 'bins', attribute: 'patient.age' },
      { id: 'genes', kind: 'genes', alteration: 'mutation', top: 20 },
    ],
  },
  createClient: {
    name: 'Trial portal',
    callbackUrls: ['https://portal.hospital.example/callback'],
    allowedOAuthFlows: ['code'],
    allowedScopes: ['openid', 'email'],
  },
  replaceClient: { name: 'Trial portal', logoutUrls: ['https://portal.hospital.example/'] },
  changePassword: { currentPassword: 'the old one, 14+', password: 'a longer new one' },
  createApiKey: { name: 'Nightly export', expireInDays: 90 },
  createInvitation: { group: id.group, email: 'ada@hospital.example' },
  updateInvitation: { status: 'ACCEPTED' },
  connectBucket: {
    address: 's3://sequencing/runs?region=eu-central-1',
    folder: 'runs',
    accessKeyId: 'AKIAIOSFODNN7EXAMPLE',
    secretAccessKey: 'of the key, shown to nobody again',
  },
  createEhr: ehr,
  replaceEhr: ehr,
  updateEhr: { schedule: null },
  startSync: { datasetId: id.project, full: false },
  createPolicy: { name: 'Analysts see masked data', policy },
  replacePolicy: { policy },
  explainDecision: {
    user: 'ada@hospital.example',
    privilege: 'readMaskedData',
    resource: { type: 'table', dataset: id.project },
  },
  previewPolicy: { changes: [{ create: { name: 'Analysts see masked data', policy } }] },
  registerAssistant: { client_name: 'Assistant', redirect_uris: ['http://127.0.0.1:33418/'] },
  sendAssistantMessage: { jsonrpc: '2.0', id: 1, method: 'tools/list' },
};
