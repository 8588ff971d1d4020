import { byRow, type Operation, on, operation, shownInView } from './operation.ts';

/** Operations on the tables of the lake: queries, analysis, and the protocols that read them. */
export const lakeOperations = {
  'phenopackets.read': byRow(on('table', ['readData'], 'reads a patient as a phenopacket', true)),
  'fhir.describe': operation('public', 'describes the FHIR interface'),
  'fhir.read': byRow(
    on('table', ['readData', 'readMaskedData'], 'reads and searches FHIR resources of a project', true),
  ),
  'beacon.describe': operation('self', 'describes the Beacon'),
  'beacon.count': operation('self', 'counts alleles of projects, each as lake.rows of the caller'),
  'lake.schema': byRow(on('table', ['readData', 'readMaskedData'], 'lists the tables of a project')),
  'lake.query': byRow(
    on('table', ['readData', 'readMaskedData'], 'runs a statement over the tables of a project', true),
  ),
  'lake.rows': byRow(
    on('table', ['readData', 'readMaskedData'], 'runs a statement and answers its rows, which are not kept'),
  ),
  'lake.listQueries': byRow(
    on(
      'query',
      ['readData', 'readMaskedData'],
      'lists the queries of a project that the caller may read',
      true,
    ),
  ),
  'lake.history': on('query', ['readData', 'readMaskedData'], 'reads the query of another user', true),
  'lake.readOwnQuery': byRow(on('query', ['readData', 'readMaskedData'], 'follows a query of the caller')),
  'lake.cancel': byRow(
    on('query', ['readData', 'readMaskedData'], 'cancels a query: own ones, or any with projectAdmin'),
  ),
  'lake.run': byRow(
    on('table', ['readData', 'readMaskedData'], 'job: runs the statement, writes the result file'),
  ),
  'lake.openSettings': operation('public', 'lists the settings of the Iceberg catalogue'),
  'lake.openSchemas': operation('self', 'lists the projects of which the caller sees rows'),
  'lake.openTables': byRow(
    on('table', ['readData', 'readMaskedData'], 'lists the Iceberg tables of a project'),
  ),
  'lake.openTable': byRow(
    on('table', ['readData', 'readMaskedData'], 'opens the files of a table of a project', true),
  ),
  'lake.readObject': operation(
    'signature',
    'reads a file of an Iceberg table with the credentials of a loaded table',
  ),
  'lake.remoteSettings': operation(
    'public',
    'lists the settings of the catalogue for the distributed engine',
  ),
  'lake.readRemotely': operation(
    'signature',
    'lets the distributed engine read the tables of a running query',
  ),
  'lake.read': on('table', ['readData'], 'table of the lake: real values'),
  'lake.readMasked': on('table', ['readData', 'readMaskedData'], 'table of the lake: masked values'),
  'samples.read': on('table', ['readData'], 'reads the patients that were given to samples', true),
  'samples.replace': on('table', ['updateData'], 'gives patients to samples; needs samples.read as well'),
  'annotations.list': byRow(
    on('table', ['readData', 'readMaskedData'], 'lists the annotation sources of a project'),
  ),
  'annotations.pause': on('table', ['updateData'], 'pauses the filling of variants with annotations'),
  'annotations.changes': byRow(
    on('table', ['readData', 'readMaskedData'], 'lists changed annotations with the samples that carry them'),
  ),
  'exports.create': byRow(on('table', ['readData'], 'exports the rows that the caller sees in full', true)),
  'exports.createFhir': byRow(
    on('table', ['readData', 'readMaskedData'], 'exports the FHIR resources that the caller sees', true),
  ),
  'exports.readOwn': operation('self', 'follows an export of the caller; its files as files.readOwnResult'),
  'exports.deleteOwn': operation('self', 'cancels an export of the caller, or deletes its files'),
  'savedQueries.list': byRow(
    on('query', ['readData', 'readMaskedData'], 'lists the own saved queries of a project and shared ones'),
  ),
  'savedQueries.create': byRow(on('query', ['readData', 'readMaskedData'], 'saves a query')),
  'savedQueries.read': on(
    'query',
    ['readData', 'readMaskedData'],
    'reads a shared query of another user',
    true,
  ),
  'savedQueries.readOwn': byRow(
    on('query', ['readData', 'readMaskedData'], 'reads a saved query of the caller'),
  ),
  'savedQueries.update': on('query', ['projectAdmin'], 'changes a shared query of another user'),
  'savedQueries.updateOwn': byRow(
    on('query', ['readData', 'readMaskedData'], 'changes a saved query of the caller'),
  ),
  'savedQueries.delete': on('query', ['projectAdmin'], 'deletes a shared query of another user'),
  'savedQueries.deleteOwn': byRow(
    on('query', ['readData', 'readMaskedData'], 'deletes a saved query of the caller'),
  ),
  'savedQueries.schedule': on('query', ['projectAdmin'], 'ends the schedule of another user'),
  'savedQueries.scheduleOwn': byRow(
    on('query', ['readData', 'readMaskedData'], 'runs a saved query of the caller by a schedule'),
  ),
  'reports.list': byRow(
    on('query', ['readData', 'readMaskedData'], 'lists the own reports of a project and shared ones'),
  ),
  'reports.create': byRow(on('query', ['readData', 'readMaskedData'], 'makes a report')),
  'reports.read': on('query', ['readData', 'readMaskedData'], 'reads a shared report of another user', true),
  'reports.readOwn': byRow(on('query', ['readData', 'readMaskedData'], 'reads a report of the caller')),
  'reports.update': on('query', ['projectAdmin'], 'changes a shared report of another user'),
  'reports.updateOwn': byRow(on('query', ['readData', 'readMaskedData'], 'changes a report of the caller')),
  'reports.delete': on('query', ['projectAdmin'], 'deletes a shared report of another user'),
  'reports.deleteOwn': byRow(on('query', ['readData', 'readMaskedData'], 'deletes a report of the caller')),
  'trino.info': operation('public', 'describes the Trino protocol of the service'),
  'trino.segment': operation('signature', 'downloads rows of a statement of the Trino protocol'),
  'trino.use': operation(
    'self',
    'runs statements over the Trino protocol: each as lake.query over the projects of the caller',
  ),
  'assistants.use': operation(
    'member',
    'runs tools for an assistant: each with the privileges of the operations that it asks',
  ),
  'assistants.describe': operation('public', 'describes the endpoint of assistants of an account'),
  'analytics.ask': byRow(
    on('table', ['readData', 'readMaskedData'], 'runs an analytics query over the tables of a project'),
  ),
  'study.query': byRow(
    on('table', ['readData', 'readMaskedData'], 'counts the subjects of a project that pass a filter'),
  ),
  'study.attributes': byRow(
    on('table', ['readData', 'readMaskedData'], 'lists the attributes of the subjects of a project'),
  ),
  'study.subjects': byRow(
    on('table', ['readData', 'readMaskedData'], 'lists the ids of subjects that pass a filter'),
  ),
  'study.readLayout': byRow(
    on('table', ['readData', 'readMaskedData'], 'reads the layout of charts of the caller, or of a project'),
  ),
  'study.saveLayout': byRow(
    on('table', ['readData', 'readMaskedData'], 'saves the layout of charts of the caller in a project'),
  ),
  'study.shareLayout': on(
    'table',
    ['updateData', 'projectAdmin'],
    'saves the layout of charts that a project shares',
  ),
  'study.parse': shownInView(operation('self', 'reads lines of genes as a filter')),
  'analytics.fields': shownInView(operation('self', 'lists the fields of analytics queries')),
  'cohorts.list': operation('member', 'lists the cohorts of a project; only those that the caller may read'),
  'cohorts.create': on('cohort', ['createData'], 'creates a cohort over projects that the caller may read'),
  'cohorts.read': on('cohort', ['readData'], 'reads a cohort, and queries its patients', true),
  'cohorts.update': on('cohort', ['updateData'], 'changes a cohort'),
  'cohorts.delete': on('cohort', ['deleteData'], 'deletes a cohort; its patients stay'),
} as const satisfies Record<string, Operation>;
