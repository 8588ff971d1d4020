/** Another S3 to run the tests on as well, with an empty bucket: its three settings as a JSON object. */
const text = process.env['PLOIDY_TEST_S3'];

export const givenStore: Record<string, string> | undefined =
  text === undefined ? undefined : (JSON.parse(text) as Record<string, string>);
