import { createSecureContext, getCiphers } from 'node:tls';
import { expect, test } from 'vitest';
import { readWebConfig, type WebConfig } from './web-config.ts';

const folder: Readonly<Record<string, string>> = {
  '/web/tls.crt': 'the certificate',
  '/web/tls.key': 'the key',
  '/ca/ca.crt': 'the authority',
};

function read(text: string): WebConfig {
  return readWebConfig('/web/web-config.yaml', (path) => {
    const found = path === '/web/web-config.yaml' ? text : folder[path];
    if (found === undefined) throw new Error(`ENOENT: ${path}`);
    return found;
  });
}

test.each([
  '',
  '\n',
  '# nothing',
  '{}',
  'http_server_config: { http2: false }',
  'tls_server_config: { min_version: TLS13 }',
])('"%s" asks for nothing', (text) => {
  expect(read(text)).toEqual({ headers: {}, tls: undefined });
});

test('what the operators write is understood', () => {
  const { headers, tls } = read(`
tls_server_config:
  cert_file: tls.crt
  key_file: /web/tls.key
  client_ca_file: ../ca/ca.crt
  client_auth_type: RequireAndVerifyClientCert
  min_version: TLS13
  max_version: TLS13
  cipher_suites: [TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256, TLS_AES_128_GCM_SHA256]
  curve_preferences: [X25519, CurveP256]
  prefer_server_cipher_suites: false
http_server_config:
  http2: true
  headers: { X-Frame-Options: deny }
`);
  expect(headers).toEqual({ 'X-Frame-Options': 'deny' });
  expect(tls?.clients).toBe('RequireAndVerifyClientCert');
  expect(tls?.context()).toEqual({
    cert: 'the certificate',
    key: 'the key',
    ca: 'the authority',
    minVersion: 'TLSv1.3',
    maxVersion: 'TLSv1.3',
    honorCipherOrder: false,
    ciphers: 'ECDHE-RSA-AES128-GCM-SHA256',
    ecdhCurve: 'X25519:P-256',
  });
});

test('the defaults are upstream’s', () => {
  expect(read('tls_server_config: { cert: c, key: k }').tls?.context()).toEqual({
    cert: 'c',
    key: 'k',
    minVersion: 'TLSv1.2',
    maxVersion: 'TLSv1.3',
    honorCipherOrder: true,
  });
});

// Those of Go that are not for TLS 1.3, as `tls.CipherSuites` and `tls.InsecureCipherSuites` list them.
test.each([
  'TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA',
  'TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA',
  'TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA',
  'TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA',
  'TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256',
  'TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384',
  'TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256',
  'TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384',
  'TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256',
  'TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256',
  'TLS_RSA_WITH_AES_128_CBC_SHA',
  'TLS_RSA_WITH_AES_256_CBC_SHA',
  'TLS_RSA_WITH_AES_128_CBC_SHA256',
  'TLS_RSA_WITH_AES_128_GCM_SHA256',
  'TLS_RSA_WITH_AES_256_GCM_SHA384',
  'TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA256',
  'TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA256',
])('%s is known to OpenSSL', (suite) => {
  const options = read(`tls_server_config: { cert: c, key: k, cipher_suites: [${suite}] }`).tls?.context();
  expect(getCiphers()).toContain(options?.ciphers?.toLowerCase());
  expect(() => createSecureContext({ ciphers: options?.ciphers ?? '' })).not.toThrow();
});

test.each<[string, string]>([
  ['basic_auth_users: { me: hash }', 'basic_auth_users is not supported here'],
  ['rate_limit: { burst: 1 }', 'rate_limit is not supported here'],
  ['tls_server_config: { cert: c, key: k, client_allowed_sans: [a] }', 'client_allowed_sans is not supported here'],
  ['tls_server_config: { key: k }', 'missing one of cert or cert_file'],
  ['tls_server_config: { cert: c }', 'missing one of key or key_file'],
  ['tls_server_config: { cert_file: none, key: k }', 'ENOENT: /web/none'],
  ['tls_server_config: { cert: c, key: k, client_ca: a }', 'without a Client Auth Policy'],
  ['tls_server_config: { cert: c, key: k, client_auth_type: Sometimes }', 'invalid ClientAuth: Sometimes'],
  ['tls_server_config: { cert: c, key: k, min_version: SSL3 }', 'unknown TLS version: SSL3'],
  ['tls_server_config: { cert: c, key: k, cipher_suites: [ROT13] }', 'unknown cipher: ROT13'],
  ['tls_server_config: { cert: c, key: k, cipher_suites: ROT13 }', 'cipher_suites is no list'],
  ['tls_server_config: { cert: [c], key: k }', 'tls_server_config.cert is no text'],
  ['tls_server_config: no', 'tls_server_config is no map'],
  ['- a', 'web-config.yaml is no map'],
  ['a: {', '/web/web-config.yaml'],
])('%s is refused', (text, message) => {
  expect(() => read(text)).toThrow(message);
});
