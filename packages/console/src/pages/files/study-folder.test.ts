import assert from 'node:assert/strict';
import { test } from 'node:test';
import { studyFolder } from '../../../../converters/src/study/study-folder.fixture.ts';
import { isStudyMeta, studiesIn } from './study-folder.ts';

const dropped = (name: string, text: string) => ({ name, file: new File([text], name) });

test('a dropped folder is a study by what its files hold, and is kept whole', async () => {
  const files = Object.entries(studyFolder(3).files).map(([name, text]) => dropped(`made/${name}`, text));
  const others = [dropped('notes/meta_study.txt', 'name: nothing'), dropped('meta_study.txt', 'x: y')];
  const found = await studiesIn([...files, ...others]);
  assert.deepEqual(
    found.studies.map(({ name, files: own }) => [name, own.length]),
    [['made', files.length]],
  );
  assert.deepEqual(found.others, others);
});

test('the meta file of a study names a study and its type of cancer', () => {
  assert.equal(isStudyMeta('type_of_cancer: luad\r\ncancer_study_identifier : a\r\n'), true);
  assert.equal(isStudyMeta('cancer_study_identifier: a\ngenetic_alteration_type: CLINICAL\n'), false);
});
