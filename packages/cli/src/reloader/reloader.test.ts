import { gzipSync } from 'node:zlib';
import { sleep } from '@signalbox/cluster/base';
import { createVirtualClock, type VirtualClock } from '@signalbox/cluster/testing';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createMemoryFiles, type MemoryFiles } from '../testing/memory-files.ts';
import { createMeters, type Meters } from './meters.ts';
import { type ReloaderTask, runReloader } from './reloader.ts';

let clock: VirtualClock;
let files: MemoryFiles;
let meters: Meters;
let ending: AbortController;
/** When it reloaded, in seconds since the start, and what the output held then. */
let reloads: string[];
/** `error apply error: ENOENT` */
let logged: string[];
/** What the process answers. */
let refusal: string | undefined;
/** How long it takes for that. */
let takesMs: number;
let ended: Promise<unknown>;
let startMs: number;

beforeEach(() => {
  clock = createVirtualClock();
  startMs = clock.nowMs();
  files = createMemoryFiles();
  files.put('/in/config.gz', gzipSync('a: $(FOO)'));
  files.put('/rules/a.yaml', 'a');
  files.folder('/out');
  meters = createMeters();
  ending = new AbortController();
  reloads = [];
  logged = [];
  refusal = undefined;
  takesMs = 0;
});
afterEach(async () => {
  ending.abort(new Error('the test is over'));
  await ended.catch(() => undefined);
});

const seconds = (): number => (clock.nowMs() - startMs) / 1_000;

const usual: ReloaderTask = {
  configFile: '/in/config.gz',
  outputFile: '/out/config',
  watchedFolders: ['/rules'],
  watchIntervalMs: 180_000,
  retryIntervalMs: 5_000,
  delayMs: 1_000,
  method: 'http',
};

/** Starts it and lets it do its first turn; resolves with what it ended with, if it did. */
async function start(task: Partial<ReloaderTask> = {}): Promise<string | undefined> {
  let end: string | undefined;
  ended = runReloader(
    { ...usual, ...task },
    {
      files,
      env: { FOO: 'bar' },
      clock,
      meters,
      signal: ending.signal,
      log: (level, message, { err = '' } = {}) => {
        if (level === 'warn' || level === 'error') logged.push(`${seconds()} ${level} ${message}: ${err}`);
      },
      reload: async () => {
        const text = task.outputFile === '' ? '' : files.text('/out/config');
        reloads.push(`${seconds()} ${text}`.trim());
        if (takesMs > 0) await sleep(clock, takesMs, ending);
        if (refusal !== undefined) throw new Error(refusal);
      },
    },
  ).then(
    () => {
      end = 'done';
    },
    (error: Error) => {
      end = error.message;
    },
  );
  await clock.settle();
  return end;
}

function meter(name: string): number {
  return Number(new RegExp(`^${name} (.*)$`, 'm').exec(meters.text([]))?.[1]);
}

describe('at the start', () => {
  test('it writes the configuration and reloads', async () => {
    expect(await start()).toBeUndefined();
    expect(reloads).toEqual(['0 a: bar']);
    expect(files.writes).toEqual(['/out/config.tmp']);
    expect(meter('reloader_last_reload_successful')).toBe(1);
    expect(meter('reloader_last_reload_success_timestamp_seconds')).toBe(startMs / 1_000);
    expect(meter('reloader_watches')).toBe(3);
    expect(meter('reloader_config_apply_operations_total')).toBe(0);
  });

  test('an init container writes, reloads nobody and ends', async () => {
    expect(await start({ watchIntervalMs: 0 })).toBe('done');
    expect(files.text('/out/config')).toBe('a: bar');
    expect(reloads).toEqual([]);
  });

  test.each<[string, () => void, string]>([
    ['no configuration', () => files.drop('/in/config.gz'), 'ENOENT: /in/config.gz'],
    ['a damaged one', () => files.put('/in/config.gz', gzipSync('a').subarray(0, 12)), 'read compressed config file'],
    ['no watched folder', () => files.drop('/rules'), 'ENOENT: /rules'],
    ['a full disk', () => Object.assign(files.failing, { write: 'ENOSPC' }), 'ENOSPC: /out/config.tmp'],
  ])('%s ends it: who started it has to see that', async (_, breaks, message) => {
    files.put('/out/config', 'good');
    breaks();
    expect(await start()).toContain(message);
    expect(files.text('/out/config')).toBe('good');
    expect(await start({ watchIntervalMs: 0 })).toContain(message);
  });

  test('the output that is there already is not written again, but loaded', async () => {
    files.put('/out/config', 'a: bar');
    await start();
    expect(files.writes).toEqual([]);
    expect(reloads).toEqual(['0 a: bar']);
  });

  test('with nothing to watch it waits for its end, or as an init container is done', async () => {
    expect(await start({ configFile: '', watchedFolders: [] })).toBeUndefined();
    await clock.advance(3_600_000);
    expect(reloads).toEqual([]);
    ending.abort(new Error('stop'));
    expect(await start({ configFile: '', watchedFolders: [], watchIntervalMs: 0 })).toBe('done');
  });

  test('folders can be watched without a configuration', async () => {
    await start({ configFile: '', outputFile: '' });
    expect(reloads).toEqual(['0']);
    files.put('/rules/b.yaml', 'b');
    await clock.advance(2_000);
    expect(reloads).toEqual(['0', '1']);
  });
});

describe('a change', () => {
  test('is written and loaded when nothing has changed any more for a second', async () => {
    await start();
    await clock.advance(10_000);
    files.put('/in/config.gz', gzipSync('b'));
    await clock.advance(600);
    files.put('/in/config.gz', 'c: $(FOO)');
    await clock.advance(5_000);
    expect(reloads).toEqual(['0 a: bar', '11.6 c: bar']);
    expect(meter('reloader_config_apply_operations_total')).toBe(1);
    expect(meter('reloader_reloads_total')).toBe(2);
  });

  test('of a watched folder is loaded', async () => {
    await start();
    files.put('/rules/b.yaml', 'b');
    await clock.advance(1_000);
    expect(reloads).toEqual(['0 a: bar', '1 a: bar']);
    expect(files.writes).toHaveLength(1);
  });

  test('that changes nothing is not loaded', async () => {
    await start();
    files.put('/in/config.gz', gzipSync('a: $(FOO)'));
    files.stir('/rules');
    await clock.advance(3_600_000);
    expect(reloads).toEqual(['0 a: bar']);
    expect(files.writes).toHaveLength(1);
  });

  test('that never ends is loaded with the interval', async () => {
    await start();
    for (let round = 0; round < 400; round++) {
      files.put('/rules/a.yaml', `round ${round}`);
      await clock.advance(500);
    }
    expect(reloads).toEqual(['0 a: bar', '180 a: bar']);
  });

  test('that nobody tells of is found with the interval', async () => {
    files.failing.watch = 'ENOSPC';
    await start();
    expect(logged).toContain('0 error watch error: ENOSPC: /in/config.gz');
    expect(meter('reloader_watch_errors_total')).toBe(3);
    files.put('/in/config.gz', 'b');
    await clock.advance(179_999);
    expect(reloads).toHaveLength(1);
    await clock.advance(1);
    expect(reloads).toEqual(['0 a: bar', '180 b']);
  });

  test('of the kubelet, which replaces the folder behind a link, is heard twice in a row', async () => {
    const project = (revision: number): void => {
      files.put(`/mount/..${revision}/config`, `revision ${revision}`);
      files.link('/mount/config', '..data/config');
      files.link('/mount/..data', `..${revision}`);
      files.drop(`/mount/..${revision - 1}`);
    };
    project(1);
    await start({ configFile: '/mount/config', watchedFolders: ['/mount'] });
    project(2);
    await clock.advance(1_000);
    project(3);
    await clock.advance(1_000);
    expect(reloads).toEqual(['0 revision 1', '1 revision 2', '2 revision 3']);
  });

  test('of the output by somebody else is put right, without a reload', async () => {
    await start();
    files.drop('/out/config');
    await clock.advance(180_000);
    expect(files.text('/out/config')).toBe('a: bar');
    expect(reloads).toHaveLength(1);
  });

  test('while the process reloads is loaded after that', async () => {
    await start();
    takesMs = 20_000;
    files.put('/in/config.gz', 'b');
    await clock.advance(5_000);
    files.put('/in/config.gz', 'c');
    await clock.advance(60_000);
    expect(reloads).toEqual(['0 a: bar', '1 b', '21 c']);
  });
});

describe('a reload that fails', () => {
  test('is tried again after the interval for it, until it succeeds', async () => {
    refusal = 'received non-200 response: 500';
    await start();
    await clock.advance(10_000);
    expect(meter('reloader_last_reload_successful')).toBe(0);
    refusal = undefined;
    await clock.advance(60_000);
    expect(reloads).toEqual(['0 a: bar', '5 a: bar', '10 a: bar', '15 a: bar']);
    expect(meter('reloader_reloads_failed_total')).toBe(3);
    expect(meter('reloader_last_reload_successful')).toBe(1);
    expect(logged[0]).toBe('0 error Failed to trigger reload. Retrying.: received non-200 response: 500');
  });

  test('is tried again also when the files become what they were', async () => {
    await start();
    refusal = 'no';
    files.put('/rules/a.yaml', 'b');
    await clock.advance(1_000);
    files.put('/rules/a.yaml', 'a');
    refusal = undefined;
    await clock.advance(1_000);
    expect(reloads).toEqual(['0 a: bar', '1 a: bar', '2 a: bar']);
  });
});

describe('what cannot be read or written', () => {
  test.each<[string, () => void, () => void, string]>([
    [
      'a configuration that is gone',
      () => files.drop('/in/config.gz'),
      () => files.put('/in/config.gz', 'b'),
      'ENOENT: /in/config.gz',
    ],
    [
      'a damaged configuration',
      () => files.put('/in/config.gz', gzipSync('b').subarray(0, 12)),
      () => files.put('/in/config.gz', 'b'),
      'read compressed config file: unexpected end of file',
    ],
    [
      'a watched folder that is gone',
      () => files.drop('/rules'),
      () => files.put('/rules/a.yaml', 'b'),
      'ENOENT: /rules',
    ],
    [
      'a full disk',
      () => {
        files.failing.write = 'ENOSPC';
        files.put('/in/config.gz', 'b');
      },
      () => {
        delete files.failing.write;
      },
      'ENOSPC: /out/config.tmp',
    ],
  ])('%s leaves the last good output, is told and tried again', async (_, breaks, mends, message) => {
    await start();
    breaks();
    await clock.advance(1_000);
    expect(files.text('/out/config')).toBe('a: bar');
    expect(await files.list('/out')).toEqual(['config']);
    expect(logged.at(-1)).toBe(`1 error apply error: ${message}`);
    expect(meter('reloader_config_apply_operations_failed_total')).toBe(1);
    expect(reloads).toHaveLength(1);
    mends();
    await clock.advance(10_000);
    expect(reloads).toHaveLength(2);
  });

  test('is tried less and less often', async () => {
    await start();
    files.drop('/in/config.gz');
    await clock.advance(600_000);
    const told = logged.filter((line) => line.includes('apply error')).map((line) => Number(line.split(' ')[0]));
    expect(told).toEqual([1, 6, 16, 36, 76, 156, 316, 496]);
  });
});

test('variables without a value are told once, counted, and left', async () => {
  files.put('/in/config.gz', '$(FOO) $(NO) $(NO)');
  await start();
  await clock.advance(600_000);
  expect(logged).toEqual(['0 warn expand environment variable: found reference to unset environment variable "NO"']);
  expect(meter('reloader_config_environment_variable_expansion_errors')).toBe(2);
  expect(files.text('/out/config')).toBe('bar $(NO) $(NO)');
});

test('it ends at once when it is told to, and watches nothing any more', async () => {
  await start();
  ending.abort(new Error('stop'));
  await ended;
  files.put('/rules/a.yaml', 'b');
  await clock.advance(600_000);
  expect(reloads).toHaveLength(1);
  expect(meter('reloader_watch_events_total')).toBe(0);
});
