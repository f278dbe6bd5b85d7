import type { Subject } from '../../api/generated/flowcontrol-v1.ts';
import type { FieldPath, Issue } from '../../api/issue.ts';
import { dnsLabel, dnsSubdomain } from '../validation/names.ts';

/** By kind, the field that names whom it means. */
const fields = { ServiceAccount: 'serviceAccount', User: 'user', Group: 'group' } as const;
type Kind = keyof typeof fields;
const kinds: readonly Kind[] = ['Group', 'ServiceAccount', 'User'];

/** Whose requests a FlowSchema is about. */
export function* subjectIssues(subject: Subject, at: FieldPath): Iterable<Issue> {
  const kind = kinds.find((each) => each === subject.kind);
  if (kind === undefined) {
    yield at('kind').notSupported(subject.kind ?? '', kinds);
    return;
  }
  yield* nameIssues(subject, kind, at(fields[kind]));
  for (const other of ['User', 'Group', 'ServiceAccount'] as const)
    if (other !== kind && subject[fields[other]] !== undefined)
      yield at(fields[other]).forbidden(`${fields[other]} is forbidden when subject kind is not '${other}'`);
}

function* nameIssues(subject: Subject, kind: Kind, at: FieldPath): Iterable<Issue> {
  const field = fields[kind];
  const named = subject[field];
  if (named === undefined) {
    yield at.required(`${field} is required when subject kind is '${kind}'`);
    return;
  }
  const name = named.name ?? '';
  if (name === '') yield at('name').required();
  if (named !== subject.serviceAccount) return;
  if (name !== '' && name !== '*') yield* dnsSubdomain(name, at('name'));
  const namespace = subject.serviceAccount?.namespace ?? '';
  if (namespace === '') yield at('namespace').required('must specify namespace for service account');
  else yield* dnsLabel(namespace, at('namespace'));
}
