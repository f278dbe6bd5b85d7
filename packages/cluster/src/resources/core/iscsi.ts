import type { Volume } from '../../api/generated/core-v1.ts';
import type { FieldPath, Issue } from '../../api/issue.ts';
import { required, type Secret, unitIssues } from './volume-sources.ts';

const badForm = 'must be valid format';
const forms: Readonly<Record<string, RegExp>> = {
  // As upstream, which looks for the first of them anywhere in the name.
  iqn: /iqn\.\d{4}-\d{2}\.[A-Za-z0-9\-.]+:[^,;*&$|\s]+$/,
  eui: /^eui.[A-Za-z0-9]{16}$/,
  naa: /^naa.[A-Za-z0-9]{32}$/,
};
const portalBytesMax = 64;

interface Iscsi extends Partial<Pick<NonNullable<Volume['iscsi']>, 'chapAuthDiscovery' | 'chapAuthSession'>> {
  readonly targetPortal?: string;
  readonly iqn?: string;
  readonly lun?: number;
  readonly initiatorName?: string | undefined;
  readonly secretRef?: Secret | undefined;
}

export interface IscsiPlace {
  readonly at: FieldPath;
  /** What the volume is called, and how a name that is too long for its portal is told of. */
  readonly name: string;
  readonly refuseName: (why: string) => Issue;
  /** Of a PersistentVolume rather than of a pod. */
  readonly isOwn: boolean;
}

/** Pods and PersistentVolumes differ in small things, as upstream. */
export function* iscsiIssues(source: Iscsi, { at, name, refuseName, isOwn }: IscsiPlace): Iterable<Issue> {
  const { targetPortal = '', iqn = '', lun = 0, initiatorName, secretRef } = source;
  const whyOther = isOwn ? badForm : `${badForm} starting with iqn, eui, or naa`;
  yield* required({ targetPortal }, at);
  if (initiatorName !== undefined && Buffer.byteLength(`${name}:${targetPortal}`) > portalBytesMax)
    yield refuseName(
      'Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters if iscsi.initiatorName is specified.',
    );
  if (iqn === '') yield at('iqn').required();
  else yield* nameIssues(iqn, { at: at('iqn'), whyOther });
  yield* unitIssues(lun, at);
  const chap = source.chapAuthDiscovery === true || source.chapAuthSession === true;
  if (chap && secretRef === undefined) yield at('secretRef').required();
  if (isOwn && secretRef !== undefined) yield* required({ name: secretRef.name }, at('secretRef'));
  if (initiatorName !== undefined) yield* nameIssues(initiatorName, { at: at('initiatorname'), whyOther });
}

interface Naming {
  readonly at: FieldPath;
  /** Why a name of no known form is refused. */
  readonly whyOther: string;
}

function* nameIssues(name: string, { at, whyOther }: Naming): Iterable<Issue> {
  const form = forms[name.slice(0, 3)];
  if (form === undefined) yield at.invalid(name, whyOther);
  else if (!form.test(name)) yield at.invalid(name, badForm);
}
