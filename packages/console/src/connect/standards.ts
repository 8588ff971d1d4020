import type { Connection, Target } from './connection.ts';

/** Returns the connections by standards, each with curl. */
export function standards({ origin, account, project, file }: Target): Connection[] {
  const header = '-H "Authorization: Bearer $PLOIDY_API_KEY"';
  return [
    ...(file === undefined
      ? []
      : [
          {
            id: 'drs',
            name: 'DRS',
            needs: 'curl. The answer names the size, the digests and an address of the bytes.',
            language: 'shell' as const,
            lines: `curl -sSf ${header} "${origin}/ga4gh/drs/v1/objects/${file}"
curl -sSf ${header} "${origin}/ga4gh/drs/v1/objects/${file}/access/https"`,
          },
        ]),
    {
      id: 'beacon',
      name: 'Beacon',
      needs: 'curl, and a service that has its Beacon switched on.',
      language: 'shell',
      lines: `curl -sSf ${header} "${origin}/ga4gh/beacon/v2/info"`,
    },
    {
      id: 'fhir',
      name: 'FHIR',
      needs: 'curl, or a client of FHIR R4 with this address as its base. SMART apps find the rest there.',
      language: 'shell',
      lines: `curl -sSf ${header} "${origin}/${encodeURIComponent(account)}/v1/fhir/${project}/Patient?_count=2"`,
    },
    {
      id: 'mcp',
      name: 'MCP: assistants',
      needs: 'curl, or an assistant with this address. An administrator allows assistants on the page Me.',
      language: 'shell',
      lines: `curl -sSf ${header} -H "Content-Type: application/json" -H "Accept: application/json, text/event-stream" \\
  -d '{"jsonrpc":"2.0","id":1,"method":"tools/list"}' "${origin}/${encodeURIComponent(account)}/mcp"`,
    },
  ];
}
