import { media } from '../../tables/media.ts';
import { boundCode } from '../bindings.ts';
import { code, part } from '../concept.ts';
import { date, type Extract, integer, text } from '../extract.ts';
import { bind } from './table-map.ts';

const url = text('content.url');
const file = /\/files\/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})(?:[/?#]|$)/i;

/** Returns the file of the project that the URL of the content names (`…/files/<id>`). */
const fileId: Extract = (scope, reading) => {
  const address = url(scope, reading);
  return address === undefined ? undefined : file.exec(address)?.[1]?.toLowerCase();
};

export const mediaMap = bind(media, {
  status: boundCode('status'),
  // STU3: a plain code (photo, video, audio).
  type: code('type'),
  // STU3: subtype.
  subtype: code('modality', 'subtype'),
  view: code('view'),
  body_site_code: part('code', 'bodySite'),
  content_type: text('content.contentType'),
  url,
  title: text('content.title'),
  size: integer('content.size'),
  height: integer('height'),
  width: integer('width'),
  frames: integer('frames'),
  // STU3: occurrence[x].
  created_date: date(
    'createdDateTime',
    'createdPeriod.start',
    'occurrenceDateTime',
    'occurrencePeriod.start',
    'content.creation',
  ),
  file_id: fileId,
});
