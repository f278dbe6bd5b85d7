import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import type { VolumeContent } from '../protocol/volume.ts';
import { findAccount, programAccounts } from './accounts.ts';
import { createImages, type ImageSources } from './images.ts';
import { abilitiesLacking, abilitiesNeeded, abilityMarks } from './needs.ts';
import { planImage } from './plan.ts';
import { fullImageName, parseImageName } from './reference.ts';
import { matchesImage, parseImageRule, parseImageRules } from './rules.ts';

describe('names', () => {
  test.each([
    ['busybox', 'docker.io/library/busybox:latest'],
    ['busybox:1.36', 'docker.io/library/busybox:1.36'],
    ['web:1', 'docker.io/library/web:1'],
    ['grafana/agent:v0.44.2', 'docker.io/grafana/agent:v0.44.2'],
    ['quay.io/prometheus/prometheus:v3.1.0-rc.1', 'quay.io/prometheus/prometheus:v3.1.0-rc.1'],
    ['localhost:5000/a/b', 'localhost:5000/a/b:latest'],
    ['localhost/b:x', 'localhost/b:x'],
    [`a/b:1@sha256:${'0'.repeat(64)}`, `docker.io/a/b@sha256:${'0'.repeat(64)}`],
  ])('%s is %s', (text, full) => {
    const name = parseImageName(text);
    expect(name === undefined ? undefined : fullImageName(name)).toBe(full);
  });

  test.each(['', 'Busy Box', 'UPPER', 'a//b', 'a:b:c', '/a', 'a@sha256:12', '-a', 'a'.repeat(600)])(
    '%j is none',
    (text) => {
      expect(parseImageName(text)).toBeUndefined();
    },
  );
});

describe('patterns', () => {
  test.each([
    ['prometheus', 'quay.io/prometheus/prometheus:v3', true],
    ['prometheus', 'prometheus', true],
    ['prometheus', 'quay.io/prometheus/node-exporter', false],
    ['grafana/agent', 'docker.io/grafana/agent:v0.44.2', true],
    ['grafana/agent', 'example.com/agent:1', false],
    ['quay.io/prometheus/prometheus', 'prometheus', false],
    ['prom*us', 'a/prometheus', true],
    ['prometheus:v2*', 'prometheus:v2.42.0', true],
    ['prometheus:v2*', 'prometheus:v3.1.0', false],
    ['web:latest', 'web', true],
    ['*', 'any/thing:1', true],
    ['team/*', 'reg.example/team/x', true],
    ['a*b*c', 'abc', true],
    ['a*bc*c', 'abc', false],
    ['ab*ba', 'aba', false],
  ])('%s, %s: %s', (pattern, text, expected) => {
    const name = parseImageName(text);
    expect(name !== undefined && matchesImage(pattern, name)).toBe(expected);
  });

  test('lines of a file', () => {
    expect(parseImageRules('# ours\n\n web = /opt/web \nprom*=prometheus\n')).toEqual({
      ok: true,
      rules: [
        { pattern: 'web', program: '/opt/web' },
        { pattern: 'prom*', program: 'prometheus' },
      ],
    });
    expect(parseImageRules('a=b\nnothing')).toEqual({
      ok: false,
      message: '"nothing" names no program for an image: write PATTERN=PROGRAM, such as grafana/agent=grafana-agent',
    });
  });

  test.each(['=x', 'x=', 'x=a b', 'x=./a', 'a b=c'])('%s is no rule', (text) => {
    expect(parseImageRule(text).ok).toBe(false);
  });
});

test.each([
  ['quay.io/prometheus/prometheus:v2.45.0', ['prometheus']],
  ['quay.io/prometheus-operator/prometheus-config-reloader:v0.93.0', ['signalbox reloader']],
  ['grafana/agent:v0.44.8', ['grafana-agent', 'agent']],
  ['quay.io/fluentd_elasticsearch/fluentd:v2.5.2', ['fluentd']],
  ['victoriametrics/vmagent', ['vmagent-prod', 'vmagent']],
  ['quay.io/prometheus/node-exporter:v1.9.0', ['node_exporter', 'prometheus-node-exporter']],
  ['busybox', ['sh']],
  ['example.com/agent:1', undefined],
])('%s is a program', (text, candidates) => {
  const plan = planImage(text, []);
  expect(plan.is === 'program' ? plan.candidates : undefined).toEqual(candidates);
});

describe('what is found', () => {
  const machine = (known: Partial<ImageSources> & { readonly programs?: readonly string[] } = {}) =>
    createImages({
      rules: [],
      lacking: async () => [],
      unpacked: async () => undefined,
      findProgram: async (program) =>
        (known.programs ?? []).includes(program)
          ? { argv: [`/usr/bin/${program}`], path: `/usr/bin/${program}`, paths: [] }
          : undefined,
      ...known,
    });

  test('is the program with what its image says besides', async () => {
    const found = await machine({ programs: ['prometheus'] }).find({ image: 'prom/prometheus:v3' }, []);
    expect(found).toMatchObject({
      image: {
        id: 'program:///usr/bin/prometheus',
        root: { is: 'programs', paths: [] },
        entrypoint: ['/usr/bin/prometheus'],
        cmd: ['--config.file=/etc/prometheus/prometheus.yml', '--storage.tsdb.path=/prometheus'],
        user: 'nobody',
        workingDir: '/prometheus',
        aliases: { prometheus: ['/usr/bin/prometheus'] },
      },
    });
  });

  test('a shell has no entry point, so that pods name their program', async () => {
    const found = await machine({ programs: ['sh'] }).find({ image: 'busybox' }, []);
    expect(found).toMatchObject({ image: { entrypoint: [], cmd: ['/usr/bin/sh'] } });
  });

  test('rules come first, unpacked images before them', async () => {
    const rules = [{ pattern: 'prometheus', program: 'vmagent' }];
    const found = await machine({ rules, programs: ['prometheus', 'vmagent'] }).find({ image: 'prom/prometheus' }, []);
    expect(found).toMatchObject({ image: { id: 'program:///usr/bin/vmagent' } });
    const image = { id: 'unpacked' } as never;
    const unpacked = async (name: string) => (name === 'docker.io/prom/prometheus:latest' ? image : undefined);
    expect(await machine({ rules, unpacked }).find({ image: 'prom/prometheus' }, [])).toEqual({ ok: true, image });
  });

  const refusal = async (container: object, known: Parameters<typeof machine>[0] = {}): Promise<unknown> => {
    const found = await machine(known).find(container, ['kubernetes discovery']);
    return found.ok ? found : `${found.reason}: ${found.message}`;
  };

  test('nothing is told with the mend', async () => {
    expect(await refusal({ image: 'prom/alertmanager' })).toBe(
      'ImagePullBackOff: Back-off pulling image "prom/alertmanager": ErrImagePull: no alertmanager or prometheus-alertmanager on PATH; apt-get install prometheus-alertmanager, or name another one by --image',
    );
    expect(await refusal({ image: 'mine', imagePullPolicy: 'Never' })).toBe(
      'ErrImageNeverPull: Container image "mine" is not present with pull policy of Never: no program stands for this image; name one by --image PATTERN=PROGRAM, or put an archive of it into --images DIR',
    );
    expect(await refusal({ image: 'No Image' })).toContain(
      'InvalidImageName: Failed to apply default image tag "No Image"',
    );
    const unpacked = async () => Promise.reject(new Error('web.tar is damaged'));
    expect(await refusal({ image: 'web' }, { unpacked })).toContain('ErrImagePull: web.tar is damaged');
  });

  test('a program that cannot do what is needed is refused', async () => {
    const lacking = async () => ['kubernetes discovery'] as const;
    expect(await refusal({ image: 'prometheus' }, { lacking, programs: ['prometheus'] })).toBe(
      'ImagePullBackOff: Back-off pulling image "prometheus": ErrImagePull: /usr/bin/prometheus is built without kubernetes discovery, which its configuration needs; name one that has it by --image PATTERN=PROGRAM',
    );
  });
});

describe('abilities', () => {
  const config = (path: string, text: string | Buffer): VolumeContent => ({
    ...{ name: 'config', is: 'files', isSecret: true },
    files: [{ path, base64: Buffer.from(text).toString('base64'), mode: 0o644 }],
  });
  const wanted = 'scrape_configs:\n- kubernetes_sd_configs:\n  - role: pod\n';
  test.each<[string, VolumeContent, number]>([
    ['plain', config('prometheus.yaml', wanted), 1],
    ['packed', config('prometheus.yaml.gz', gzipSync(wanted)), 1],
    ['without', config('prometheus.yaml', 'scrape_configs: []'), 0],
    ['damaged', config('prometheus.yaml.gz', 'no'), 0],
    ['something else', config('readme.txt', wanted), 0],
    ['no files', { name: 'x', is: 'empty', medium: 'disk' }, 0],
  ])('needed: %s', (_, volume, count) => {
    expect(abilitiesNeeded([volume])).toHaveLength(count);
  });

  test('only a Prometheus without Kubernetes lacks it', () => {
    const marks = (...parts: readonly string[]) =>
      new Set(abilityMarks.filter((each) => parts.some((part) => each.endsWith(part))));
    expect(abilitiesLacking(marks('targetgroup'))).toEqual(['kubernetes discovery']);
    expect(abilitiesLacking(marks('targetgroup', 'kubernetes'))).toEqual([]);
    expect(abilitiesLacking(marks())).toEqual([]);
  });
});

test('accounts', () => {
  expect(findAccount('nobody', programAccounts)).toMatchObject({ uid: 65534, gid: 65534 });
  expect(findAccount('', programAccounts)).toMatchObject({ uid: 0, gid: 0, home: '/root' });
  expect(findAccount('7:8', programAccounts)).toEqual({ is: 'found', uid: 7, gid: 8, home: '/', groups: [] });
  expect(findAccount('7:staff', programAccounts)).toEqual({ is: 'unknown', what: 'group staff' });
});
