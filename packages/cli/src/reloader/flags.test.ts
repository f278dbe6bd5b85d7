import { describe, expect, test } from 'vitest';
import { parseFlags, type ReloaderOptions } from './flags.ts';

function parsed(...argv: readonly string[]): ReloaderOptions {
  const found = parseFlags(argv);
  if (found.kind !== 'run') throw new Error(JSON.stringify(found));
  return found.options;
}

test('without a flag everything is as upstream has it', () => {
  expect(parsed()).toEqual({
    configFile: '',
    outputFile: '',
    watchedFolders: [],
    watchIntervalMs: 180_000,
    delayMs: 1_000,
    retryIntervalMs: 5_000,
    reloadTimeoutMs: 30_000,
    method: 'http',
    reloadUrl: new URL('http://127.0.0.1:9090/-/reload'),
    runtimeInfoUrl: new URL('http://127.0.0.1:9090/api/v1/status/runtimeinfo'),
    processName: 'prometheus',
    ordinalFrom: 'POD_NAME',
    listen: undefined,
    webConfigFile: '',
    logForm: 'logfmt',
    logLevel: 'info',
  });
});

test.each<[string, readonly string[]]>([
  ['with two dashes and a sign', ['--config-file=a=b', '--watch-interval=1m']],
  ['with two dashes and a space', ['--config-file', 'a=b', '--watch-interval', '1m']],
  ['with one dash and a sign', ['-config-file=a=b', '-watch-interval=1m']],
  ['with one dash and a space', ['-config-file', 'a=b', '-watch-interval', '1m']],
])('flags are taken %s', (_, argv) => {
  expect(parsed(...argv)).toMatchObject({ configFile: 'a=b', watchIntervalMs: 60_000 });
});

test('the arguments of the operators’ manifests are understood', () => {
  const options = parsed(
    '--listen-address=localhost:8080',
    '--web-config-file=/etc/prometheus/web_config/web-config.yaml',
    '--reload-method=signal',
    '--runtimeinfo-url=https://localhost:9090/prefix/api/v1/status/runtimeinfo',
    '--config-file=/etc/prometheus/config/prometheus.yaml.gz',
    '--config-envsubst-file=/etc/prometheus/config_out/prometheus.env.yaml',
    '--watched-dir=/etc/prometheus/rules/a',
    '--watched-dir=/etc/prometheus/config',
    '--log-level=DEBUG',
    '--log-format=json',
    '--auto-gomemlimit-ratio=0.9',
  );
  expect(options).toMatchObject({
    listen: { host: 'localhost', port: 8080 },
    method: 'signal',
    watchedFolders: ['/etc/prometheus/rules/a', '/etc/prometheus/config'],
    logLevel: 'debug',
    logForm: 'json',
  });
});

test.each<[string, unknown]>([
  [':8081', { host: undefined, port: 8081 }],
  ['0.0.0.0:0', { host: '0.0.0.0', port: 0 }],
  ['[::1]:80', { host: '::1', port: 80 }],
  ['', undefined],
])('it listens where %s says', (text, listen) => {
  expect(parsed(`--listen-address=${text}`).listen).toEqual(listen);
});

describe('refused, in upstream’s words where it has some', () => {
  test.each<[readonly string[], string]>([
    [['--foo'], "unknown long flag '--foo'"],
    [['-foo=1'], "unknown long flag '--foo'"],
    [['--config-file'], "expected argument for flag '--config-file'"],
    [['--config-file=a', '--config-file=b'], "flag 'config-file' cannot be repeated"],
    [['here'], 'unexpected here'],
    [['--'], 'unexpected --'],
    [['--watch-interval=soon'], '--watch-interval: "soon" is no duration such as 90s, 2m or 1h30m'],
    [['--watch-interval=-1s'], '--watch-interval: "-1s" is no duration such as 90s, 2m or 1h30m'],
    [['--retry-interval=0'], '--retry-interval must be more than 0, e.g. --retry-interval=5s'],
    [['--reload-method=mail'], '--reload-method: "mail" is none of http, signal'],
    [['--log-level=loud'], '--log-level: "loud" is none of all, debug, info, warn, error, none'],
    [['--log-format=text'], '--log-format: "text" is none of logfmt, json'],
    [['--reload-url=user:secret@host'], '--reload-url is no address such as http://127.0.0.1:9090/-/reload'],
    [['--listen-address=8080'], '--listen-address: "8080" is no address such as :8080'],
    [['--listen-address=:99999'], '--listen-address: ":99999" is no address such as :8080'],
  ])('%j', (argv, message) => {
    expect(parseFlags(argv)).toEqual({ kind: 'refused', message });
  });
});

test.each([
  ['--version', false],
  ['--short-version', true],
])('%s asks for the version', (flag, isShort) => {
  expect(parseFlags(['--config-file=x', flag])).toEqual({ kind: 'version', isShort });
});
