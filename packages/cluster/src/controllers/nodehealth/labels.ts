import type { Node } from '../../api/generated/core-v1.ts';

/** Labels by the names that they had before they were stable: charts of years ago select by them. */
const olderNames = [
  ['kubernetes.io/os', 'beta.kubernetes.io/os'],
  ['kubernetes.io/arch', 'beta.kubernetes.io/arch'],
] as const;

/** What the older labels have to become to say what the newer ones say; undefined when they do. */
export function correctedLabels({ metadata: { labels = {} } }: Node): Readonly<Record<string, string>> | undefined {
  const wrong = olderNames.flatMap(([name, older]) => {
    const value = labels[name];
    return value === undefined || labels[older] === value ? [] : [[older, value] as const];
  });
  return wrong.length === 0 ? undefined : Object.fromEntries(wrong);
}
