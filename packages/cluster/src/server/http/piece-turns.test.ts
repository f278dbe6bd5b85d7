import { expect, test } from 'vitest';
import { createPieceTurns } from './piece-turns.ts';

/** A clock whose turns are told. */
function world(): { readonly ask: (user: string, name: string) => void; turn(): Promise<readonly string[]> } {
  let go: () => void = () => undefined;
  const turns = createPieceTurns({
    turn: () =>
      new Promise((resolve) => {
        go = resolve;
      }),
  });
  let made: string[] = [];
  return {
    ask: (user, name) => void turns(user).then(() => made.push(name)),
    async turn() {
      made = [];
      go();
      for (let step = 0; step < 10; step++) await Promise.resolve();
      return made;
    },
  };
}

test('few pieces are made in one turn, and users come by turns', async () => {
  const { ask, turn } = world();
  for (let index = 0; index < 6; index++) ask('greedy', `g${index}`);
  ask('jane', 'j');
  ask('joe', 'k');
  expect(await turn()).toEqual(['g0', 'j', 'k', 'g1']);
  ask('jane', 'l');
  expect(await turn()).toEqual(['g2', 'l', 'g3', 'g4']);
  expect(await turn()).toEqual(['g5']);
  ask('jane', 'm');
  expect(await turn()).toEqual(['m']);
});
