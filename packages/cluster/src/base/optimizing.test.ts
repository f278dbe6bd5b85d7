import { execFileSync } from 'node:child_process';
import { beforeAll, describe, expect, test } from 'vitest';
import { createVirtualClock } from '../testing/virtual-clock.ts';
import { collectWhenMuch } from './collecting.ts';
import type { EngineFlag } from './engine-flags.ts';
import { optimizeAfterStart, optimizeAsUsual, optimizeLater } from './optimizing.ts';

let said: string[];
const say = ({ set }: EngineFlag): void => void said.push(set);
const rest = () => ({ used: { cpuMs: () => 0, usedBytes: () => 0 }, clock: createVirtualClock() });
const node20 = '11.3.244.8-node.26';

/** What this engine does unasked, by the names of its flags. */
let usual: Map<string, string>;
beforeAll(() => {
  const text = execFileSync(process.execPath, ['--v8-options'], { encoding: 'utf8' });
  usual = new Map(
    [...text.matchAll(/^ {2}--([\w-]+) .*\n\s+type: \w+ +default: (?:--[\w-]+=)?(\S+)/gm)].map(([, name, value]) => [
      name ?? '',
      value ?? '',
    ]),
  );
});

const flagsOf = (run: () => void): readonly string[] => {
  said = [];
  run();
  return said;
};
const namesOf = (flags: readonly string[]): readonly string[] =>
  flags.map((flag) => /^--([^=]+)=/.exec(flag)?.[1] ?? '');

describe('an engine that was measured', () => {
  test('waits ten times as long while a process starts, then as long as usual', () => {
    expect(flagsOf(() => optimizeAfterStart(node20, say))).toEqual(['--ticks-before-optimization=30']);
    expect(flagsOf(() => optimizeAsUsual(node20, say))).toEqual(['--ticks-before-optimization=3']);
    expect(flagsOf(() => collectWhenMuch(node20, { ...rest(), say }))).toEqual([
      '--gc-memory-reducer-start-delay-ms=2000000000',
    ]);
  });

  test.skipIf(!process.versions.v8.startsWith('11.'))(
    'has these flags, and is put back to what it does unasked',
    () => {
      const told: string[] = [];
      const note = (flag: EngineFlag): void => void told.push(flag.usual);
      optimizeAfterStart(node20, note);
      optimizeLater(note);
      collectWhenMuch(node20, { ...rest(), say: note });
      expect(told).toEqual([
        `--ticks-before-optimization=${usual.get('ticks-before-optimization')}`,
        `--interrupt-budget=${usual.get('interrupt-budget')}`,
        `--gc-memory-reducer-start-delay-ms=${usual.get('gc-memory-reducer-start-delay-ms')}`,
      ]);
      expect(Number(usual.get('interrupt-budget'))).toBeLessThan(1_000_000 / 5);
    },
  );
});

test.each(['12.4.254.21-node.33', '13.6.233.10-node.28', '1.11.0', ''])('engine %j is left as it is', (engine) => {
  expect(flagsOf(() => optimizeAfterStart(engine, say))).toEqual([]);
  expect(flagsOf(() => optimizeAsUsual(engine, say))).toEqual([]);
  expect(flagsOf(() => collectWhenMuch(engine, { ...rest(), say }))).toEqual([]);
});

test('what is said to this engine, it knows', () => {
  const engine = process.versions.v8;
  const flags = flagsOf(() => {
    optimizeLater(say);
    optimizeAfterStart(engine, say);
    optimizeAsUsual(engine, say);
    collectWhenMuch(engine, { ...rest(), say });
  });
  for (const name of namesOf(flags)) expect(usual.has(name), name).toBe(true);
});
