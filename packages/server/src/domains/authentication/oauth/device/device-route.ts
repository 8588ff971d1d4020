import { Type } from 'typebox';
import { type Route, route } from '../../../../api/route.ts';
import { type Clients, isBuiltIn } from '../../clients/index.ts';
import { authenticateClient, credentialsIn } from '../client-authentication.ts';
import { OAuthError } from '../oauth-error.ts';
import { parameterShapes } from '../parameters.ts';
import { baseOf } from '../resource.ts';
import { inFormat, tokenErrors, tokenProblem } from '../tokens/token-answers.ts';
import { readForm } from '../tokens/token-route.ts';
import { type DeviceRequests, deviceLifeMs, pollEveryMs } from './device-requests.ts';

/** Path of the page on which a user approves a device: short, because people type it. */
export const devicePath = '/v1/device';

const { accepted, described } = parameterShapes({ required: ['client_id'], optional: ['scope'] });

const codesShape = Type.Object({
  device_code: Type.String({ description: 'Code with which the device asks for its tokens' }),
  user_code: Type.String({ description: 'Code that the user types' }),
  verification_uri: Type.String({ description: 'Address of the page to type it' }),
  verification_uri_complete: Type.String({ description: 'Address with the code' }),
  expires_in: Type.Integer({ description: 'Seconds' }),
  interval: Type.Integer({ description: 'Seconds between two requests for the tokens' }),
});

/** Route POST /v1/oauth/device_authorization. */
export function deviceRoute(deps: {
  clients: Clients;
  devices: DeviceRequests;
  /** Returns `{base_url}`. */
  issuer: () => string;
}): Route {
  return route({
    method: 'POST',
    path: '/v1/oauth/device_authorization',
    operation: 'oauth.device',
    tag: 'Sign-in',
    summary: 'Request codes for a device without a browser',
    description: 'RFC 8628 §3.1, for the command line only.',
    formBody: true,
    problemPage: tokenProblem,
    body: accepted,
    described: { body: described },
    answers: { 200: { schema: codesShape, description: 'Codes' }, ...tokenErrors },
    handle: ({ body, headers, address }) =>
      inFormat(headers, async () => {
        const client = await authenticateClient(deps.clients, credentialsIn(headers, readForm(body)));
        if (!isBuiltIn(client))
          throw new OAuthError('unauthorized_client', 'Device codes are for the command line only.');
        const { deviceCode, userCode } = await deps.devices.add(address);
        const page = `${baseOf(deps.issuer())}${devicePath}`;
        return {
          device_code: deviceCode,
          user_code: userCode,
          verification_uri: page,
          verification_uri_complete: `${page}?user_code=${userCode}`,
          expires_in: deviceLifeMs / 1000,
          interval: pollEveryMs / 1000,
        };
      }),
  });
}
