import { formats } from '@ploidy/converters';
import type { Route } from '../../api/route.ts';
import { settings } from '../../config/config.ts';
import { fieldsDocument } from '../../domains/analysis/analytics/index.ts';
import {
  describeAccess,
  describeErrors,
  describeFormats,
  describeSettings,
  describeTables,
} from './describe.ts';
import type { ReferenceName } from './names.ts';

/** Writers of the reference pages, as Markdown made of the code. */
export function referencePages(routes: readonly Route[]): Record<ReferenceName, () => string> {
  return {
    access: () => describeAccess(routes),
    'analytics-fields': fieldsDocument,
    configuration: () => describeSettings(settings),
    errors: describeErrors,
    formats: () => describeFormats(formats),
    tables: describeTables,
  };
}
