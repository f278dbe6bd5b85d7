import { expect, test } from 'vitest';
import type { AuditEvent } from './event.ts';
import { openUri, withOpenUrls, withoutPasswords } from './open-urls.ts';

test.each([
  ['https://ann:hunter2@host/path', 'https://ann:***@host/path'],
  ['postgres://:hunter2@db, redis://x:hunter2@r:1', 'postgres://:***@db, redis://x:***@r:1'],
  ['{"url":"https://ann:hunter2@host"}', '{"url":"https://ann:***@host"}'],
  ['https://ann@host:8080/a:b@c', 'https://ann@host:8080/a:b@c'],
  ['https://host:8080/?mail=a@b', 'https://host:8080/?mail=a@b'],
  ['nothing:here@all', 'nothing:here@all'],
])('%s', (text, open) => {
  expect(withoutPasswords(text)).toBe(open);
});

test.each([
  [
    '/api/v1/namespaces/a/services/https:b:1/proxy/login?user=ann&password=hunter2&x',
    '/api/v1/namespaces/a/services/https:b:1/proxy/login?user=***&password=***&x',
  ],
  ['/api/v1/nodes/n/proxy?token=hunter2', '/api/v1/nodes/n/proxy?token=***'],
  ['/api/v1/pods?limit=500&labelSelector=a%3Db', '/api/v1/pods?limit=500&labelSelector=a%3Db'],
  ['/api/v1/pods?limit=5&access_token=hunter2&watch=1', '/api/v1/pods?limit=5&access_token=***&watch=1'],
  ['/api/v1/namespaces/a/pods/proxy?limit=1', '/api/v1/namespaces/a/pods/proxy?limit=1'],
])('%s', (uri, open) => {
  expect(openUri(uri)).toBe(open);
});

test('wherever in an event they stand, and nothing else is touched', () => {
  const requestObject = Object.freeze({
    kind: 'Prometheus',
    spec: { remoteWrite: [{ url: 'https://ann:hunter2@host' }], image: 'registry:5000/a@sha256:0' },
  });
  const event = {
    ...{ kind: 'Event', level: 'Request', requestURI: '/a', requestObject },
    responseStatus: { message: 'Invalid value: "https://ann:hunter2@host"' },
    annotations: { 'a.example.com/seen': 'https://ann:hunter2@host' },
  } as unknown as AuditEvent;
  const open = withOpenUrls(event);
  expect(JSON.stringify(open)).not.toContain('hunter2');
  expect(open).toEqual(JSON.parse(JSON.stringify(event).replaceAll('hunter2', '***')));
  expect(requestObject.spec.remoteWrite[0]?.url).toContain('hunter2');
  expect(withOpenUrls(open)).toBe(open);
});
