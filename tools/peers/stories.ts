/** Upstream's controllers take their time on a busy machine, and a look may come between two of their steps: such a story is told again. */
export const onceMore = { retry: 1 } as const;

/**
 * Stories beside upstream wait more than they work, and take minutes together: a run plays a part of them, with another `FC_SEED`
 * another one. `SIGNALBOX_STORIES=all` plays them all, `SIGNALBOX_STORIES=least,dark` those in whose names that stands. To be asked about each, in their order.
 */
export function createChoice(
  env: Readonly<Record<string, string | undefined>>,
  /** Of so many stories one run plays one. */
  parts = 6,
): (name: string) => boolean {
  const wanted = env['SIGNALBOX_STORIES'] ?? '';
  const names = wanted.split(',');
  const part = Number(env['FC_SEED'] ?? '0') % parts;
  let asked = 0;
  return (name) => {
    const isOfPart = asked++ % parts === part;
    if (wanted === '') return isOfPart;
    return wanted === 'all' || names.some((word) => name.includes(word));
  };
}
