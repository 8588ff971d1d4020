import type { Shape } from '../../../api/lists.ts';
import { testedPairs } from './tests.ts';

interface Question {
  pairs: Shape<'StudyPairs'>['items'];
  areRounded: boolean;
}

addEventListener('message', ({ data: { pairs, areRounded } }: MessageEvent<Question>) => {
  const tested = testedPairs(pairs, areRounded);
  tested.sort((one, other) => (one.pValue ?? 2) - (other.pValue ?? 2));
  postMessage(tested);
});
