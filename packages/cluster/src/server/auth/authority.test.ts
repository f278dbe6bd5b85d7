import { X509Certificate } from 'node:crypto';
import { beforeEach, describe, expect, test } from 'vitest';
import { type Authorities, loadAuthorities } from './authority.ts';
import { dayMs, isWithin } from './lifetime.ts';
import { openPkiFiles, type PkiFiles } from './pki-files.ts';

const startMs = Date.parse('2026-01-01T00:00:00Z');
const lifeDays = 3_650;

let files: PkiFiles;
let first: Authorities;
beforeEach(async () => {
  files = await openPkiFiles(undefined);
  first = await after(0);
});

const after = (days: number): Promise<Authorities> => loadAuthorities(files, startMs + days * dayMs);
const trusted = ({ bundle }: Authorities): readonly string[] =>
  bundle.split(/(?<=-----END CERTIFICATE-----\n)/).map((pem) => new X509Certificate(pem).fingerprint256);

test('one authority lasts ten years, and nothing is said about it', async () => {
  expect(first.notices).toEqual([]);
  expect(trusted(first)).toHaveLength(1);
  const later = await after(lifeDays - 366);
  expect(later).toEqual(first);
  expect(isWithin(startMs + (lifeDays - 366) * dayMs, first.window)).toBe(true);
  expect(isWithin(startMs + (lifeDays - 365) * dayMs, first.window)).toBe(false);
});

describe('near its end', () => {
  test('its successor is published a year before, and signs in the last month', async () => {
    const overlap = await after(lifeDays - 365);
    expect(overlap.signing).toEqual(first.signing);
    expect(trusted(overlap)).toEqual([...trusted(first), expect.any(String)]);
    expect(overlap.notices).toEqual([
      'the certificate authority signs until 2035-11-30; its successor is in the kubeconfig and in kube-root-ca.crt from now on: replace older copies of them before that day',
    ]);
    expect(await after(lifeDays - 31)).toEqual(overlap);

    const handed = await after(lifeDays - 30);
    expect(handed.signing).not.toEqual(first.signing);
    // Both are trusted until the end of the old one, whose client certificates are still about.
    expect(trusted(handed)).toEqual([...trusted(overlap)].reverse());
    expect(handed.notices).toEqual([]);
    const alone = await after(lifeDays);
    expect(trusted(alone)).toEqual(trusted(handed).slice(0, 1));
  });

  test('after a long rest it is replaced at once, and it is said that copies are refused', async () => {
    const late = await after(lifeDays + 100);
    expect(trusted(late)).toHaveLength(1);
    expect(late.notices).toEqual([
      'the certificate authority ends within a month or has ended and was replaced; copies of the kubeconfig made before now are refused: copy it again',
    ]);
    expect((await after(lifeDays + 100)).notices).toEqual([]);
  });

  test('decades go by in two places', async () => {
    for (let year = 1; year <= 40; year++) {
      const nowMs = startMs + year * 365 * dayMs;
      const { window, endsMs } = await after(year * 365);
      expect(isWithin(nowMs, window)).toBe(true);
      expect(endsMs - nowMs).toBeGreaterThan(30 * dayMs);
    }
  });
});

describe('a wrong clock', () => {
  test('one that is behind gets an authority of its own, and the first is taken back', async () => {
    const behind = await after(-400);
    expect(behind.signing).not.toEqual(first.signing);
    expect(behind.notices).toEqual([
      'the certificate authority is not valid yet (check the clock of this computer) and was replaced; copies of the kubeconfig made before now are refused: copy it again',
    ]);
    expect(isWithin(startMs - 400 * dayMs, behind.window)).toBe(true);
  });
  test.each([-20_000, 30_000])('one that is wrong by %i days for a while changes nothing for later', async (days) => {
    expect((await after(days)).signing).not.toEqual(first.signing);
    expect((await after(1)).signing).toEqual(first.signing);
  });
});
