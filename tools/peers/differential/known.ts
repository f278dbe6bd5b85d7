/** Where answers are known to differ, and why: docs/differences.md tells it to users. Pure. */
import { type Known, unexplained } from '../compare/differences.ts';
import type { Parted } from './play.ts';

interface KnownAnswer {
  readonly why: string;
  matches(parted: Parted): boolean;
}

const messageOf = (body: unknown): string => (body as { readonly message?: string } | null)?.message ?? '';

/** Of the whole answer. */
const answers: readonly KnownAnswer[] = [
  {
    why: 'a patch that brings a value of the wrong type is answered as a PUT of it would be',
    matches: ({ asked, there, here }) =>
      asked.method === 'PATCH' &&
      here.code === 400 &&
      (there.code === 500 || (there.code === 422 && / is invalid: patch: Invalid value/.test(messageOf(there.body)))),
  },
  {
    why: 'by the door of the status nothing is read but the status',
    matches: ({ asked, there, here }) =>
      asked.path.includes('/status') &&
      there.code === 400 &&
      here.code !== 400 &&
      / cannot be handled as /.test(messageOf(there.body)),
  },
  {
    why: 'fields behind gates that are off are refused, not dropped',
    matches: ({ there, here }) =>
      there.code < 300 &&
      here.code === 422 &&
      /non-init containers|fileKeyRef|stopSignal|restartPolicyRules/.test(messageOf(here.body)),
  },
  {
    why: 'a finalizer protects claims and volumes that are in use',
    matches: ({ asked, differences }) =>
      /\/persistentvolume(?:claim)?s/.test(asked.path) &&
      differences.every(({ path }) => path.endsWith('metadata.finalizers')),
  },
];

/** Of a field of an answer. */
const fields: readonly Known[] = [
  { what: '*: body.columnDefinitions[*].description: upstream', why: 'the texts are ours to write' },
  {
    what: '*: body.details: upstream nothing, here {"causes":[{"reason":"FieldValueTypeInvalid"',
    why: 'every mistyped field is named',
  },
  { what: '* delete: body.code: upstream nothing, here 200', why: 'every Status has its code' },
  { what: '*: body.rows[*].object: upstream null, here nothing', why: 'what was not asked for is left out' },
].map((each) => ({ ...each, comesAndGoes: true }));

/** The lines of a difference that nobody has explained. */
export function newsOf(parted: Parted): readonly string[] {
  if (answers.some(({ matches }) => matches(parted))) return [];
  return unexplained(parted.differences, fields).lines;
}
