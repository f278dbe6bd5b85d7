import { expect, test } from 'vitest';
import { naming } from './groups.ts';

test('a command names its nodes, and leaves a label alone that has the word in its name', () => {
  const mend = 'label nodes (kubectl label nodes NODE NODE_POOL=NODE), or change the nodeSelector';
  expect(naming(mend, ['n1'])).toBe(mend.replace('NODE', 'n1'));
  expect(naming('kubectl uncordon NODE', ['n1'])).toBe('kubectl uncordon n1');
  expect(naming('kubectl uncordon NODE', [''])).toBe('kubectl uncordon NODE');
});
