import fc from 'fast-check';
import { expect, test } from 'vitest';
import { compileGoRegex } from './go-regex.ts';
import { ruleProblem } from './problem.ts';
import { regexProblem } from './regex.ts';
import { type RelabelRule, toRelabelRule } from './rule.ts';

test.each<[string, RelabelRule]>([
  ['replace into a fixed label', { source_labels: ['a'], target_label: 'b' }],
  ['replace into a label with a group in its name', { source_labels: ['a'], target_label: 'x_$1' }],
  ['keep without sources', { regex: 'x', action: 'keep' }],
  ['hashmod', { source_labels: ['a'], target_label: 'b', modulus: 2, action: 'hashmod' }],
  ['labelmap', { regex: '__meta_(.+)', action: 'labelmap' }],
  ['labeldrop', { regex: 'x', action: 'labeldrop' }],
  ['keepequal', { source_labels: ['a'], target_label: 'b', action: 'keepequal' }],
  ['keepequal with what holds anyway', { target_label: 'b', separator: ';', replacement: '$1', action: 'keepequal' }],
  ['lowercase with the replacement that holds anyway', { target_label: 'b', replacement: '$1', action: 'lowercase' }],
  ['an RE2 expression that JavaScript does not know', { regex: '(?i)x\\z', target_label: 'a' }],
])('%s is fine', (_, rule) => expect(ruleProblem(rule)).toBeUndefined());

test.each<[RelabelRule, string, string]>([
  [{ source_labels: ['a'] }, 'targetLabel', 'replace needs a target label'],
  [{ target_label: 'a-b' }, 'targetLabel', '"a-b" is no label name'],
  [{ source_labels: ['a-b'], target_label: 'a' }, 'sourceLabels', '"a-b" is no label name'],
  [{ target_label: 'a', action: 'hashmod' }, 'modulus', 'hashmod needs a modulus'],
  [{ modulus: 2, action: 'hashmod' }, 'targetLabel', 'hashmod needs a target label'],
  [{ target_label: '$1', action: 'lowercase' }, 'targetLabel', '"$1" is no label name'],
  [{ replacement: '-', action: 'labelmap' }, 'replacement', '"-" makes no label name'],
  [{ regex: 'x', source_labels: ['a'], action: 'labelkeep' }, 'sourceLabels', 'labelkeep takes no sourceLabels'],
  [{ target_label: 'a', regex: 'x', action: 'dropequal' }, 'regex', 'dropequal takes no regex'],
  [{ target_label: 'a', replacement: 'x', action: 'uppercase' }, 'replacement', 'uppercase takes no replacement'],
  [{ target_label: 'a', modulus: -1 }, 'modulus', 'must not be negative'],
  [{ action: 'explode' }, 'action', '"explode" is no action'],
])('%j is refused', (rule, field, message) => expect(ruleProblem(rule)).toEqual({ field, message }));

test.each<RelabelRule>([
  { source_labels: ['a.b'], target_label: 'my-label' },
  { target_label: 'größe', modulus: 2, action: 'hashmod' },
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the label of a relabelling rule.
  { target_label: '${1}-x' },
  { regex: 'a', replacement: 'b c', action: 'labelmap' },
  { target_label: '$1', action: 'lowercase' },
])('%j is fine where any text is a name', (rule) => {
  expect(ruleProblem(rule, 'utf8')).toBeUndefined();
  expect(ruleProblem(rule, 'legacy')).toBeDefined();
});

test('where any text is a name, an empty one is not', () => {
  expect(ruleProblem({ source_labels: [''], target_label: 'a' }, 'utf8')?.field).toBe('sourceLabels');
  expect(ruleProblem({ target_label: '' }, 'utf8')?.field).toBe('targetLabel');
});

test.each(['(', '(?=a)', '(a)\\1', 'a{1001}'])('the expression %s, which RE2 does not know, is refused', (regex) => {
  expect(ruleProblem({ target_label: 'a', regex })?.field).toBe('regex');
});

test('rules keep what is spelled out and drop what says nothing', () => {
  expect(toRelabelRule({ sourceLabels: [], targetLabel: '', regex: '', modulus: 0, action: 'LabelMap' })).toEqual({
    action: 'labelmap',
  });
  expect(toRelabelRule({ separator: '', replacement: '', targetLabel: 'a' })).toEqual({
    separator: '',
    target_label: 'a',
    replacement: '',
  });
});

test('what is passed without the engine is what the engine takes', () => {
  const pieces = fc.constantFrom('a', '-', ';', '|', '.', '*', '+', '(', ')', '/', ' ', '_', '.*', '(.+)', '(a|b)');
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 8 }), (parts) => {
      const regex = parts.join('');
      expect(regexProblem(regex) === undefined).toBe(isTaken(regex));
    }),
    { numRuns: 2_000 },
  );
});

function isTaken(regex: string): boolean {
  try {
    compileGoRegex(regex);
    return true;
  } catch {
    return false;
  }
}
