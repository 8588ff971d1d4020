import { type Command, Option } from 'commander';
import { openSession, printResult, projectOf } from '../session.ts';
import { saveExported } from './export-files.ts';
import { saveTables } from './export-tables.ts';
import { targetOf } from './export-target.ts';

interface ExportOptions {
  project?: string;
  cohort?: string;
  format: 'parquet' | 'ndjson' | 'fhir' | 'vcf' | 'cbioportal';
}

export function addExport(program: Command): void {
  program
    .command('export')
    .description('save the data that you may read, of a project or cohort, in a folder')
    .argument('<folder>', 'new folder, or that of an interrupted export to resume')
    .option('-p, --project <project>', 'id or name; the chosen project by default')
    .option('--cohort <id>', 'only the patients of this cohort')
    .addOption(
      new Option(
        '--format <format>',
        'Parquet or NDJSON tables, FHIR Bulk Data, one VCF per sample, or a study folder of cBioPortal',
      )
        .choices(['parquet', 'ndjson', 'fhir', 'vcf', 'cbioportal'])
        .default('parquet'),
    )
    .action(async (folder: string, options: ExportOptions, command: Command) => {
      const session = await openSession(command);
      const { id: project } = await projectOf(session, options.project);
      const { cohort, format } = options;
      const target = targetOf(
        folder,
        `project/${project}/${format}${cohort === undefined ? '' : `/${cohort}`}`,
      );
      const asked = { project, cohort };
      if (format === 'parquet' || format === 'ndjson')
        await saveTables(session, target, { ...asked, format });
      else await saveExported(session, target, { ...asked, format });
      printResult(
        session,
        target.manifest,
        () => `Saved ${target.manifest.output.length} files in ${folder}.`,
      );
    });
}
