import { expect, test } from 'vitest';
import { createGraph } from './related.ts';

function graph(): ReturnType<typeof createGraph> {
  const made = createGraph({ entries: { lib: 'lib/src/index.ts' } });
  made.put('lib/src/index.ts', "export { a } from './a.ts';\n");
  made.put('lib/src/a.ts', "import type { B } from './deep/b.ts';\n");
  made.put(
    'lib/src/a.test.ts',
    "import { a } from './a.ts';\nconst folder = new URL('../testdata/', import.meta.url);\n",
  );
  made.put('lib/src/deep/b.ts', '');
  made.put('lib/src/deep/b.test.ts', "import {\n  b,\n} from './b.ts';\n");
  made.put('app/main.test.ts', "import { a } from 'lib';\nconst later = await import('./late.ts');\n");
  return made;
}

test('tests that import a file are related to it, the nearest first', () => {
  expect(graph().testsOf('lib/src/deep/b.ts')).toEqual([
    'lib/src/deep/b.test.ts',
    'lib/src/a.test.ts',
    'app/main.test.ts',
  ]);
  expect(graph().testsOf('lib/src/a.ts')).toEqual(['lib/src/a.test.ts', 'app/main.test.ts']);
});

test('a test is related to itself, to what it imports late, and to the folder that it reads', () => {
  expect(graph().testsOf('app/main.test.ts')).toEqual(['app/main.test.ts']);
  expect(graph().testsOf('app/late.ts')).toEqual(['app/main.test.ts']);
  expect(graph().testsOf('lib/testdata/one.yaml')).toEqual(['lib/src/a.test.ts']);
  expect(graph().testsOf('README.md')).toEqual([]);
});

test('what changes or goes is followed', () => {
  const made = graph();
  made.put('lib/src/a.ts', '');
  expect(made.testsOf('lib/src/deep/b.ts')).toEqual(['lib/src/deep/b.test.ts']);
  made.remove('lib/src/deep/b.test.ts');
  expect(made.testsOf('lib/src/deep/b.ts')).toEqual([]);
});
