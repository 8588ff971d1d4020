/** Reads a project with FHIR clients of npm, unmodified, beside which it is copied: prints what they found. */
import { Client as Kit } from 'fhir-kit-client';
import FHIR from 'fhirclient';

const { BASE: base, KEY: key } = process.env;

async function withKit() {
  const client = new Kit({ baseUrl: base, bearerToken: key });
  const { authorizeUrl, tokenUrl } = await client.smartAuthMetadata();
  const patients = [];
  const searchParams = { _count: 3, gender: 'female,male' };
  let page = await client.search({ resourceType: 'Patient', searchParams });
  for (; page; page = await client.nextPage({ bundle: page }))
    patients.push(...(page.entry ?? []).filter(({ search }) => search.mode === 'match'));
  const ids = patients.map(({ resource }) => resource.id);
  const one = await client.read({ resourceType: 'Patient', id: ids[0] });
  const refused = await client
    .create({ resourceType: 'Patient', body: { resourceType: 'Patient' } })
    .catch(({ response }) => response.status);
  return { patients: ids.sort(), single: one.id === ids.toSorted()[0], refused, authorizeUrl: `${authorizeUrl}`, tokenUrl: `${tokenUrl}` };
}

async function withSmart() {
  const request = { headers: {}, url: '/', method: 'GET' };
  const client = FHIR(request, {}).client({ serverUrl: base, tokenResponse: { access_token: key } });
  const options = { pageLimit: 0, flat: true };
  const found = await client.request('Patient?gender=female,male&_count=3', options);
  return found.filter(({ resourceType }) => resourceType === 'Patient').map(({ id }) => id).sort();
}

console.log(JSON.stringify({ kit: await withKit(), smart: await withSmart() }));
