import { generateKeyPairSync } from 'node:crypto';

/**
 * Meaningful values for a field of this name, where its schema has only "text" or "object": without them, requests would be
 * refused too early.
 */
const vcfRegion = { referenceName: 'mark-of-fuzz', start: 0, end: 10 };

const where = {
  patient: {
    demographics: { gender: [{ operator: 'in', value: ['female', 'male'] }] },
    observations: { code: [{ operator: 'eq', value: '85354-9' }] },
  },
};

export const objectExamples: Readonly<Record<string, readonly unknown[]>> = {
  query: [
    { target: 'patient' },
    { target: 'patient', domain: 'count', where },
    { target: 'patient', where: { and: [where, { not: { 'patient.all': true } }] }, options: { limit: 1 } },
    { target: 'variant', where: { variant: { gene: [{ operator: 'startsWith', value: 'BR' }] } } },
    { target: 'gene', options: { limit: 3 } },
    {
      target: 'patient',
      domain: 'aggregate',
      options: { groupBy: ['gender'], metrics: [{ op: 'count' }] },
    },
    { sql: 'SELECT patient_id FROM patient' },
    { subjectIds: ['mark-of-fuzz'] },
  ],
  options: [{ limit: 2, fields: ['gender'] }, { pageToken: 'x' }],
  policy: [
    { rules: { nothing: true } },
    { rules: { nothing: [{ 'user.id': { comparison: 'equals', value: 'x' } }] } },
    { rules: { nothing: [{ 'user.groups': { comparison: 'superset', target: 'resource.groups' } }] } },
  ],
  rules: [{ nothing: true }, { nothing: [{ 'resource.id': { comparison: 'in', value: ['a'] } }] }],
  resource: [{ dataset: 'x', type: 'file' }, { ownerId: 'x' }],
  customAttributes: [{ ward: 'A', patients: ['p1', 'p2'], level: 3 }],
};

export const textExamples: Readonly<Record<string, readonly string[]>> = {
  query: [
    'SELECT 1',
    'SELECT * FROM patient',
    'SELECT count(*) AS n, gender FROM patient GROUP BY ALL',
    'WITH p AS (SELECT * FROM patient) SELECT to_json(p) FROM p LIMIT 3',
    "SELECT error('x' || patient_id) FROM patient",
    'SELECT 1 / 0, CAST(1e400 AS VARCHAR)',
    'SELECT * FROM "a\'b"',
  ],
  string_query: [
    'SELECT patients FROM patient',
    "SELECT count FROM patient WHERE variant.gene = 'TTN' LIMIT 3",
    'SELECT patients FROM patient WHERE NOT (patient.demographics.age > 50 XOR patient.all = true)',
    "SELECT genes FROM gene WHERE patient.demographics.gender IN ('a', 'b')",
  ],
  outputFileName: ['out.csv', 'a/b/out.csv', 'out'],
  name: ['Made by the fuzz', 'a.txt', 'folder/a.vcf', 'ünïcödé', "O'Hara; --", 'x'],
  cron: ['0 3 * * *', '*/5 1-3,7 * 1 MON-FRI', '@daily', '0 0 31 2 *'],
  email: ['guest@example.test', 'GUEST@Example.test', 'a@b'],
  password: ['correct horse battery staple', '0123456789', 'short'],
  currentPassword: ['correct horse battery staple'],
  current: ['correct horse battery staple'],
  repeated: ['correct horse battery staple', '0123456789'],
  apiBaseUrl: ['https://127.0.0.1/fhir', 'http://[::1]:9/x', 'https://ehr.invalid/r4', 'ftp://x.invalid'],
  metadataUrl: ['https://127.0.0.1/metadata', 'https://idp.invalid/metadata'],
  callbackUrls: ['https://app.example/callback', 'http://127.0.0.1:9/x', 'com.example.app:/done'],
  logoutUrls: ['https://app.example/out'],
  redirect_uri: ['https://app.example/callback'],
  post_logout_redirect_uri: ['https://app.example/out'],
  attributeMapping: ['mail=email', 'a=b', '='],
  contentType: ['text/plain', 'application/json; charset=utf-8'],
  contentMD5: ['1B2M2Y8AsgTpgAmY7PhCfg=='],
  deletionDate: ['', '2026-01-01T00:00:00.000Z'],
  from: ['2020-01-01T00:00:00Z', '2026-12-31T23:59:60.999999999+23:59'],
  startedFrom: ['2020-01-01T00:00:00Z', '0', '1700000000000'],
  startedBefore: ['2030-01-01T00:00:00Z', '1900000000000'],
  to: ['2030-01-01T00:00:00Z', '9999-12-31T23:59:59Z'],
  orderBy: ['name', 'size desc', 'size:desc', 'name asc'],
  include: ['downloadUrl', 'metadata', 'groups'],
  force: ['true', 'false'],
  keepRows: ['true', 'false'],
  dryRun: ['true', 'false'],
  state: ['running', 'succeeded', 'xyz'],
  table: ['patient', 'variant', '_resource', 'nothing'],
  number: ['1', '10000', '2'],
  start: ['0', '1', '3'],
  end: ['4', '2', '4294967295'],
  referenceName: ['mark-of-fuzz', '*'],
  format: ['BAM', 'VCF', 'CRAM'],
  class: ['header', 'body'],
  fields: ['QNAME', 'QNAME,FLAG'],
  tags: ['RG', 'RG,NM'],
  notags: ['OQ'],
  response_type: ['code', 'token', 'code token'],
  scope: ['openid', 'openid email profile phone', 'x'],
  code_challenge_method: ['S256', 'plain'],
  code_challenge: ['E9Melhoa2OwvFrEMTJguCHaoeK1t8URWjuGJSstw-cM'],
  grant_type: ['authorization_code', 'refresh_token', 'client_credentials', 'password'],
  prompt: ['none', 'login', 'consent'],
  max_age: ['0', '60', '-1'],
  privilege: ['readData', 'accessAdmin', 'nothing'],
  action: ['files.read', 'x'],
  of: [JSON.stringify([vcfRegion])],
  request: ['response_type=code&client_id=x'],
  username: ['owner@fuzz.test', 'nobody@example.test'],
  user: ['owner@fuzz.test', 'nobody@example.test'],
  prefix: ['mark-of', 'folder/', '%'],
  SAMLResponse: [
    Buffer.from('<samlp:Response xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol"/>').toString('base64'),
  ],
};

/** One that satisfies each pattern of the document. */
export const patternExamples: readonly string[] = [
  'user/Observation.rs',
  'a-name',
  'name@example.test',
  '01990000-0000-7000-8000-0000000000ff',
  'text/plain',
  '1B2M2Y8AsgTpgAmY7PhCfg==',
  '12',
  'ACGT',
  '2026-01-01T00:00:00Z',
];

/**
 * Whole inputs of operations whose fields exclude or need each other. `$files` is replaced by the id of one of the world's files, and
 * so on.
 */
export const wholeExamples: Readonly<Record<string, readonly Record<string, unknown>[]>> = {
  'POST /v1/analytics/dsl': [
    ...(objectExamples['query'] ?? []).map((query) => ({ datasetId: '$projects', query })),
    ...(textExamples['string_query'] ?? []).map((text) => ({ datasetId: '$projects', string_query: text })),
    { cohortId: '$cohorts', query: { target: 'patient' } },
    { cohort_id: '$cohorts', dataset_id: '$projects', query: { target: 'observation', domain: 'count' } },
  ],
  'POST /v1/analytics/study/query': [
    { datasetId: '$projects', unit: 'patient', filter: { not: { alteration: { genes: ['BRAF'] } } } },
    {
      datasetId: '$projects',
      filter: { or: [{ attribute: 'patient.age', ranges: [{ gt: 30 }] }, { cohort: '$cohorts' }] },
      aggregates: [
        { id: 'a', kind: 'bins', attribute: 'patient.age' },
        { id: 'b', kind: 'genes', alteration: 'mutation' },
      ],
    },
  ],
  'PATCH /v1/user': [{ profile: { name: 'A Name', givenName: null } }, { profile: { email: null } }],
  'POST /v1/ehrs': [
    {
      name: 'One',
      apiBaseUrl: 'https://ehr.invalid/fhir',
      schedule: { cron: '0 3 * * *', datasetId: '$projects' },
    },
    { name: 'Two', apiBaseUrl: 'https://ehr.invalid/x', apiAuthType: 'basic', apiKey: 'a', apiSecret: 'b' },
    {
      name: 'Three',
      apiBaseUrl: 'https://ehr.invalid/y',
      apiAuthType: 'private_key_jwt',
      apiKey: 'a',
      apiSecret: generateKeyPairSync('ec', {
        namedCurve: 'P-384',
        publicKeyEncoding: { type: 'spki', format: 'pem' },
        privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
      }).privateKey,
    },
  ],
  'UPDATE /v1/ehrs/{ehrId}': [{ ehrType: 'x', delayBetweenRecords: 0.5 }],
  'PUT /v1/ehrs/{ehrId}': [{ schedule: null }, { schedule: { cron: '*/5 * * * *', datasetId: '$projects' } }],
  'PATCH /v1/ehrs/{ehrId}': [{ ingestionModel: 'ASYNCHRONOUS' }],
  'POST /v1/ehrs/{ehrId}/sync': [{ datasetId: '$projects', full: true }],
  'POST /v1/clients': [
    { name: 'One', callbackUrls: ['https://app.example/callback'] },
    { name: 'Two', allowedOAuthFlows: ['client_credentials'], generateSecret: true },
    {
      name: 'Three',
      callbackUrls: ['https://app.example/callback'],
      identityProviders: ['SAML'],
      customIdentityProvider: {
        metadataUrl: 'https://idp.invalid/metadata',
        attributeMapping: ['mail=email'],
      },
    },
  ],
  'PUT /v1/clients/{clientId}': [{ name: 'Renamed', generateSecret: true }],
  'POST /v1/cohorts': [
    { name: 'All', ownerProject: '$projects', subjectIds: ['mark-of-fuzz', 'x'] },
    {
      name: 'Asked',
      ownerProject: '$projects',
      queries: [
        { project: '$projects', queryType: 'dsl', query: { target: 'patient' } },
        { project: '$projects', queryType: 'sql', query: { sql: 'SELECT patient_id FROM patient' } },
      ],
    },
  ],
  'PATCH /v1/cohorts/{cohortId}': [{ description: 'x' }, { subjectIds: ['a'] }],
  'POST /v1/ingestions': [
    { datasetId: '$projects', fileId: '$files' },
    { datasetId: '$projects', fileId: '$files', type: 'vcf', samples: [{ sampleId: 'a', patientId: 'b' }] },
  ],
  'POST /v1/policies/preview': [
    { changes: [{ create: { name: 'New', policy: { rules: { nothing: true } } } }] },
    { changes: [{ replace: { policyId: '$policies', name: 'Other' } }] },
  ],
  'POST /{account}/v1/readgroupsets': [{ datasetId: '$projects', fileId: '$files', name: 'Reads' }],
  'POST /{account}/v1/htsget/reads/{id}': [{ regions: [vcfRegion] }, { format: 'BAM' }],
  'POST /{account}/v1/htsget/variants/{id}': [{ regions: [vcfRegion, vcfRegion] }, { format: 'VCF' }],
  'POST /{account}/v1/references/{referenceId}/bases': [{ start: 1, end: '3' }, {}],
  'GET /{account}/v1/references/{referenceId}/bases': [{ start: 1, end: 3 }, {}],
  'GET /{account}/v1/htsget/reads/{id}': [{ referenceName: 'mark-of-fuzz', start: 0, end: 10 }, {}],
  'GET /{account}/v1/htsget/variants/{id}': [{ referenceName: 'mark-of-fuzz', format: 'VCF' }, {}],
  'GET /v1/oauth/authorize': [
    {
      response_type: 'code',
      client_id: '$clients',
      redirect_uri: 'https://mark-of-fuzz.example/callback',
      code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWjuGJSstw-cM',
      code_challenge_method: 'S256',
      state: 'x',
    },
  ],
  'POST /v1/oauth/token': [
    { grant_type: 'refresh_token', client_id: '$clients', refresh_token: 'x' },
    { grant_type: 'client_credentials', client_id: '$clients', client_secret: 'x' },
  ],
  'POST /v1/oauth/introspect': [{ token: 'x', client_id: '$clients' }],
  'POST /v1/oauth/revoke': [{ token: 'x', client_id: '$clients' }],
};
