import type { Container, StatefulSet } from '@signalbox/cluster';
import { expect, test } from 'vitest';
import { defaultComponents } from '../../../components.ts';
import { renderManifests } from '../../../operator/render.ts';
import { prometheus, secret } from '../../../testing/job.ts';
import { objectsOf } from '../../../testing/world.ts';

function rendered(spec: object, ...others: readonly object[]): StatefulSet {
  const objects = objectsOf([prometheus(spec), ...others].map((each) => JSON.stringify(each)).join('\n---\n'));
  const { objects: made, findings } = renderManifests(objects, { components: defaultComponents(), nowMs: 0 });
  const set = made.find(({ kind }) => kind === 'StatefulSet');
  if (set === undefined) throw new Error(JSON.stringify(findings.map(({ message }) => message)));
  return set as unknown as StatefulSet;
}

function container(set: StatefulSet, name: string): Container | undefined {
  const { containers, initContainers = [] } = set.spec.template.spec ?? { containers: [] };
  return [...containers, ...initContainers].find((each) => each.name === name);
}

test('a user’s container of the same name changes ours, and another one comes after', () => {
  const set = rendered({
    containers: [
      { name: 'mine', image: 'mine:1' },
      { name: 'config-reloader', resources: { limits: { cpu: '1' } } },
      { name: 'prometheus', args: ['--only'], readinessProbe: { tcpSocket: { port: 'web' }, periodSeconds: 9 } },
    ],
  });
  expect(set.spec.template.spec?.containers.map(({ name }) => name)).toEqual(['prometheus', 'config-reloader', 'mine']);
  expect(container(set, 'prometheus')?.args).toEqual(['--only']);
  expect(container(set, 'prometheus')?.readinessProbe).toEqual({
    tcpSocket: { port: 'web' },
    timeoutSeconds: 3,
    periodSeconds: 9,
    failureThreshold: 3,
  });
  expect(container(set, 'config-reloader')?.resources?.limits).toEqual({ cpu: '1', memory: '50Mi' });
});

test('who listens to the own pod only is asked from within it', () => {
  const server = container(rendered({ listenLocal: true, routePrefix: '/p/' }), 'prometheus');
  expect(server?.ports).toBeUndefined();
  expect(server?.readinessProbe?.exec?.command).toEqual([
    'sh',
    '-c',
    'if [ -x "$(command -v curl)" ]; then exec curl --fail http://localhost:9090/p/-/ready; elif [ -x "$(command -v wget)" ]; then exec wget -q -O /dev/null http://localhost:9090/p/-/ready; else exit 1; fi',
  ]);
  expect(server?.args).toContain('--web.listen-address=127.0.0.1:9090');
});

test('who listens to the own pod only closes the reloader’s port as well, but for the one that only starts', () => {
  const set = rendered({ listenLocal: true });
  expect(container(set, 'config-reloader')?.ports).toBeUndefined();
  expect(container(set, 'config-reloader')?.args).toContain('--listen-address=localhost:8080');
  expect(container(set, 'init-config-reloader')?.args).toContain('--listen-address=:8081');
});

test('a server mounts its rules, which may be missing, and its reloader watches them', () => {
  const set = rendered({});
  const names = [0, 1, 2].map((index) => `prometheus-main-rulefiles-${index}`);
  const volumes = set.spec.template.spec?.volumes ?? [];
  expect(volumes.filter(({ configMap }) => configMap !== undefined)).toEqual(
    names.map((name) => ({ name, configMap: { name, optional: true } })),
  );
  for (const each of ['config-reloader', 'init-config-reloader'])
    expect(container(set, each)?.args?.filter((argument) => argument.startsWith('--watched-dir'))).toEqual([
      ...names.map((name) => `--watched-dir=/etc/prometheus/rules/${name}`),
      '--watched-dir=/etc/prometheus/config',
    ]);
});

test('client certificates are looked for where upstream mounts them, under volumes of the same names', () => {
  const reference = (key: string): object => ({ name: 'web', key });
  const tlsConfig = {
    cert: { secret: reference('crt') },
    keySecret: reference('key'),
    client_ca: { secret: reference('ca') },
    clientAuthType: 'RequireAndVerifyClientCert',
  };
  const set = rendered({ web: { tlsConfig } }, secret('web', { crt: 'a', key: 'b', ca: 'c' }));
  const mounts = ['prometheus', 'config-reloader', 'init-config-reloader'].map((name) =>
    container(set, name)
      ?.volumeMounts?.filter((mount) => mount.name.startsWith('web-config-tls'))
      .map((mount) => `${mount.name} ${mount.mountPath}`),
  );
  const expected = [
    'web-config-tls-secret-key-web-f3ae1ec7 /etc/prometheus/web_config/secret/web-key',
    'web-config-tls-secret-cert-web-f3ae1ec7 /etc/prometheus/web_config/secret/web-cert',
    'web-config-tls-secret-client-ca-web-f3ae1ec7 /etc/prometheus/web_config/secret/web-ca',
  ];
  expect(mounts).toEqual([expected, expected, expected]);
});

test.each([
  ['v2.52.0', [{ name: 'GOGC', value: '50' }]],
  ['v2.53.0', undefined],
])('Prometheus %s gets its garbage collector’s setting as environment: %j', (version, env) => {
  expect(container(rendered({ version, runtime: { goGC: 50 } }), 'prometheus')?.env).toEqual(env);
});

test('a reloader that sends signals sees the process and asks it what it runs from', () => {
  const set = rendered({ reloadStrategy: 'ProcessSignal', routePrefix: '/p' });
  expect(set.spec.template.spec?.shareProcessNamespace).toBe(true);
  expect(container(set, 'prometheus')?.args).not.toContain('--web.enable-lifecycle');
  expect(container(set, 'config-reloader')?.args?.slice(1, 3)).toEqual([
    '--reload-method=signal',
    '--runtimeinfo-url=http://localhost:9090/p/api/v1/status/runtimeinfo',
  ]);
  expect(rendered({}).spec.template.spec?.shareProcessNamespace).toBe(false);
});

test.each<[object, boolean]>([
  [{}, false],
  [{ queryLogFile: 'queries.log' }, true],
  [{ scrapeFailureLogFile: 'failures.log' }, true],
  [{ queryLogFile: 'queries.log', scrapeFailureLogFile: 'failures.log' }, true],
  [{ queryLogFile: '/data/queries.log', scrapeFailureLogFile: '/dev/stdout' }, false],
])('logs of %j have one volume where they need one: %s', (spec, expected) => {
  const set = rendered(spec);
  const mounts = container(set, 'prometheus')?.volumeMounts ?? [];
  expect((set.spec.template.spec?.volumes ?? []).filter(({ name }) => name === 'log-file')).toEqual(
    expected ? [{ name: 'log-file', emptyDir: {} }] : [],
  );
  expect(mounts.filter(({ name }) => name === 'log-file')).toEqual(
    expected ? [{ name: 'log-file', mountPath: '/var/log/prometheus' }] : [],
  );
});

test('a pre-release is run as itself', () => {
  const set = rendered({ version: 'v3.1.0-rc.1' });
  expect(container(set, 'prometheus')?.image).toBe('quay.io/prometheus/prometheus:v3.1.0-rc.1');
  expect(set.spec.template.metadata?.labels?.['app.kubernetes.io/version']).toBe('3.1.0-rc.1');
});

test('TLS of the web server reaches its probes, its reloader and its volumes', () => {
  const tlsConfig = {
    cert: { secret: { name: 'web', key: 'tls.crt' } },
    keySecret: { name: 'web', key: 'tls.key' },
    minVersion: 'TLS12',
  };
  const set = rendered({ web: { tlsConfig } }, secret('web', { 'tls.crt': 'a', 'tls.key': 'b' }));
  expect(container(set, 'prometheus')?.livenessProbe?.httpGet?.scheme).toBe('HTTPS');
  expect(container(set, 'config-reloader')?.args).toEqual(
    expect.arrayContaining([
      '--web-config-file=/etc/prometheus/web_config/web-config.yaml',
      '--reload-url=https://localhost:9090/-/reload',
    ]),
  );
  const volumes = (set.spec.template.spec?.volumes ?? []).map(({ name }) => name);
  expect(new Set(volumes).size).toBe(volumes.length);
  for (const { name } of container(set, 'prometheus')?.volumeMounts ?? []) expect(volumes).toContain(name);
});

test('TLS without its key is refused', () => {
  expect(() =>
    rendered({ web: { tlsConfig: { cert: { secret: { name: 'web', key: 'a' } } } } }, secret('web', { a: 'b' })),
  ).toThrow('TLS needs a certificate and its key');
});

test.each([
  [undefined, 15, 60],
  [60, 60, 1],
  [1000, 59, 17],
])('a start that may take %s seconds is asked for every %s seconds, %s times', (seconds, period, threshold) => {
  const spec = seconds === undefined ? {} : { maximumStartupDurationSeconds: seconds };
  expect(container(rendered(spec), 'prometheus')?.startupProbe).toMatchObject({
    periodSeconds: period,
    failureThreshold: threshold,
  });
});

test.each<[string, object, Readonly<Record<string, unknown>>]>([
  ['nothing is said', {}, { mount: undefined, volume: { emptyDir: {} }, claims: undefined }],
  [
    'an emptyDir is',
    { emptyDir: { medium: 'Memory' } },
    { mount: 'prometheus-db', volume: { emptyDir: { medium: 'Memory' } }, claims: undefined },
  ],
  [
    'a claim is',
    { volumeClaimTemplate: { spec: {} } },
    { mount: 'prometheus-db', volume: undefined, claims: ['ReadWriteOnce'] },
  ],
  [
    'a claim without a sub-path is',
    { disableMountSubPath: true, volumeClaimTemplate: { spec: { accessModes: ['ReadWriteMany'] } } },
    { mount: undefined, volume: undefined, claims: ['ReadWriteMany'] },
  ],
])('where samples lie when %s', (_, storage, { mount, volume, claims }) => {
  const { spec } = rendered(Object.keys(storage).length === 0 ? {} : { storage });
  const name = 'prometheus-main-db';
  const mounted = spec.template.spec?.containers[0]?.volumeMounts?.find((each) => each.name === name);
  expect(mounted?.mountPath).toBe('/prometheus');
  expect(mounted?.subPath).toBe(mount);
  const found = spec.template.spec?.volumes?.find((each) => each.name === name);
  expect(found).toEqual(volume === undefined ? undefined : { name, ...(volume as object) });
  expect(spec.volumeClaimTemplates?.[0]?.spec?.accessModes).toEqual(claims);
});

test('pods spread by the labels that are asked for', () => {
  const spread = { maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'DoNotSchedule' };
  const { spec } = rendered({
    topologySpreadConstraints: [
      { ...spread, additionalLabelSelectors: 'OnShard' },
      { ...spread, additionalLabelSelectors: 'OnResource' },
      spread,
    ],
  }).spec.template;
  const shard = (index: number) =>
    spec?.topologySpreadConstraints?.[index]?.labelSelector?.matchLabels?.['operator.prometheus.io/shard'];
  expect([shard(0), shard(1)]).toEqual(['0', undefined]);
  expect(spec?.topologySpreadConstraints?.[2]).toEqual(spread);
});
