/**
 * Expressions by chance, to ours and to an implementation that others wrote: the same value, or no value from either. Where the
 * second is known to differ, the generator asks for nothing of the kind; upstream's own answers as ours does:
 * `getMilliseconds` of a duration is all of it, not what is beyond whole seconds; what is no number is an error, not a NaN or a
 * zero; fractions of seconds have no zeros at their end; a zero may be negative; a map has no key twice; types are checked before anything runs.
 */
import { isCelError, isCelList, isCelMap, isCelUint, run } from '@bufbuild/cel';
import fc from 'fast-check';
import { expect, inject, test } from 'vitest';
import { expression } from '../testing/cel/expressions-by-chance.ts';
import { showValue } from '../testing/cel/show.ts';
import { compile } from './compile.ts';
import { kubernetesStored } from './environment.ts';
import { Duration, Timestamp } from './values/time.ts';

const failed = 'an error';

/** Undefined where it is refused before it runs, which the second does not do. */
function ours(source: string): string | undefined {
  const program = compile(source, kubernetesStored);
  if ('problem' in program) return undefined;
  const outcome = program.run(() => undefined, { costMax: 10_000_000 });
  if ('value' in outcome) return showValue(outcome.value);
  return outcome.error.startsWith('insert failed') ? undefined : failed;
}

function theirs(source: string): string {
  try {
    const value: unknown = run(source);
    return isCelError(value) ? failed : shown(value);
  } catch {
    return failed;
  }
}

interface Moment {
  readonly $typeName: string;
  readonly seconds: bigint;
  readonly nanos: number;
}

function shown(value: unknown): string {
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean')
    return showValue(value);
  if (value === null || value instanceof Uint8Array) return showValue(value);
  if (isCelUint(value)) return `${value.value}u`;
  if (isCelList(value)) return `[${[...value].map(shown).join(', ')}]`;
  if (isCelMap(value)) return `map of ${value.size}`;
  const { message } = value as { readonly message: Moment };
  const ns = BigInt(message.seconds) * 1_000_000_000n + BigInt(message.nanos);
  return showValue(message.$typeName.endsWith('Duration') ? new Duration(ns) : new Timestamp(ns));
}

test('both give the same value, or neither gives one', { timeout: 300_000 }, () => {
  let compared = 0;
  const runs = 60 * inject('thoroughness');
  fc.assert(
    fc.property(
      expression.filter(({ length }) => length < 300),
      (source) => {
        const own = ours(source);
        if (own === undefined) return;
        compared++;
        expect(theirs(source)).toBe(own);
      },
    ),
    { numRuns: runs },
  );
  expect(compared).toBeGreaterThan(runs / 2);
});
