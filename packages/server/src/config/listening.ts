import {
  readInteger,
  readNetworks,
  readOptionalInteger,
  readText,
  readWebAddress,
  setting,
} from './values.ts';

/** Settings of the addresses at which the service is reached; config.ts includes them. */
export const listeningSettings = {
  host: setting('PLOIDY_HOST', readText, '127.0.0.1', 'address', 'Address to listen on; `0.0.0.0` for all.'),
  port: setting(
    'PLOIDY_PORT',
    readInteger(0, 65_535),
    '8080',
    'port',
    'Port to listen on; 0 selects a free one.',
  ),
  probesPort: setting(
    'PLOIDY_PROBES_PORT',
    readOptionalInteger(0, 65_535),
    '',
    'port',
    'Port of `PLOIDY_HOST` for `/healthz`, `/readyz` and `/metrics` alone, which no flood of requests delays (docs/operate/monitoring.md); 0 selects a free one. Empty: none.',
  ),
  publicUrl: setting(
    'PLOIDY_PUBLIC_URL',
    readWebAddress,
    '',
    'URL',
    'Address under which clients reach the service, also with a path (docs/operate/deploy.md); upload and download addresses start with it. Empty: the address listened on.',
  ),
  trustedProxies: setting(
    'PLOIDY_TRUSTED_PROXIES',
    readNetworks,
    '',
    'addresses',
    'Proxies whose `X-Forwarded-For` is trusted: addresses or networks (`10.0.0.0/8`, `loopback`), separated by commas. Without it, all clients behind a proxy share one address when sign-in slows down.',
  ),
  tlsCertificate: setting(
    'PLOIDY_TLS_CERTIFICATE',
    readText,
    '',
    'path',
    'PEM file with the certificate and its chain: the service itself answers https. Read again when it changes. Empty: http, for a proxy in front.',
  ),
  tlsKey: setting(
    'PLOIDY_TLS_KEY',
    readText,
    '',
    'path',
    'PEM file with the private key of the certificate.',
  ),
};
