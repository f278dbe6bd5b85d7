/** Of two refusals of one object: which mistakes only one of them tells, and why. Pure. */
import type { Parted } from '../play.ts';
import { type Cause, causesOf, gatedRow } from './class.ts';

/** Why a mistake is told by one of them only, or in other words. */
interface CauseRule {
  readonly row: string;
  /** Of which kinds; absent: of all. */
  readonly of?: RegExp;
  /** What the body has that it is about. */
  readonly body?: RegExp;
  /** Of a pair that is about the same: what both are to become alike by. */
  readonly plain?: (message: string) => string;
  readonly plainField?: (field: string) => string;
  /** Of one that only upstream tells: whether it follows from what both tell. */
  readonly there?: (cause: Cause, told: readonly Cause[]) => boolean;
  /** Of one that is told here only. */
  readonly here?: (cause: Cause) => boolean;
}

const volumePlace = /\.volumes\[\d+\]/;
const once = 'Of an object that is wrong in several ways, some are told that follow from others';

export const causeRules: readonly CauseRule[] = [
  {
    row: 'A time that nobody set is `null` in some places (`lastProbeTime` of a pod\'s conditions), and a part that says nothing is `{}`, `[]`, `""` or `null`',
    body: /"claims":\[\]/,
    there: ({ field = '', message = '' }) =>
      /\bspec\.resources\.claims$/.test(field) && message.startsWith('Forbidden: claims may not be set'),
  },
  {
    row: 'A time that nobody set is `null` in some places (`lastProbeTime` of a pod\'s conditions), and a part that says nothing is `{}`, `[]`, `""` or `null`',
    ...{ of: /^ResourceClaimTemplate /, body: /"(?:ownerReferences|managedFields|finalizers)":\[\]/ },
    there: ({ field = '', message = '' }) =>
      /^spec\.metadata\.(?:ownerReferences|managedFields|finalizers)$/.test(field) &&
      message === 'Forbidden: cannot be set',
  },
  {
    row: 'Which file of a `downwardAPI` volume is wrong is not said',
    plain: (message) => message,
    plainField: (field) =>
      field
        .replace(/\bdownwardAPI\.items\[\d+\]/, 'downwardAPI')
        .replace(/\bprojected\.sources\[\d+\]\.serviceAccountToken\.path$/, 'projected.path'),
  },
  {
    row: 'A value that a refusal quotes has the names of Go’s fields, and `""` or `null` where it has nothing',
    plain: (message) =>
      message
        .replace(/^(?:Invalid|Unsupported) value: (?:\{.*\}|""|null|\[.*\])(?:: |$)/s, 'Invalid value: ')
        .replace(/^Duplicate value: \{.*\}$/s, 'Duplicate value'),
  },
  {
    row: 'A value that a refusal quotes has the names of Go’s fields, and `""` or `null` where it has nothing',
    plain: (message) => message.replace(/^Invalid value: null: /s, 'Invalid value: '),
  },
  {
    row: 'Of an expression that cannot be read each mistake is told',
    plain: (message) => message.replace(/(?<=compilation failed: ERROR: .*)\nERROR: .*$/s, ''),
  },
  {
    row: 'A path of a CustomResourceDefinition that cannot be read is told of outside of its version, with how far it was read',
    of: /^CustomResourceDefinition /,
    plain: (message) =>
      message.replace(/(?<=: )(?:(?:must|should) be a simple json path|is an invalid path: ).*$/s, ''),
    plainField: (field) => field.replace(/^spec\.versions\[\d+\]\.(?=subresources|selectableFields)/, 'spec.'),
  },
  {
    row: 'Which values are supported is listed in an order of each field’s own',
    plain: (message) => message.replace(/(?<=supported values: ).*/s, (values) => values.split(', ').sort().join(', ')),
  },
  {
    row: 'Volumes of a StatefulSet are counted behind those of its claims',
    of: /^StatefulSet /,
    plain: (message) => message,
    plainField: (field) => field.replace(/\.volumes\[\d+\]/, '.volumes[]'),
  },
  {
    row: 'A refused pod update ends with a dump of Go structures',
    plain: (message) => message.replace(/(?<=(?:updates may not change|immutable after creation)[^\n]*)\n.*$/s, ''),
  },
  {
    // What a namespace allows is looked at of what is right by itself.
    ...{ row: once, of: /^ResourceClaim(?:Template)? / },
    there: ({ field = '' }, told) => /^spec\.devices\.requests\[\d+\]\.adminAccess$/.test(field) && told.length > 0,
  },
  { row: once, there: (cause, told) => told.some((other) => isAbout(cause, other)) },
  {
    row: 'Expressions of what is wrong elsewhere are read as well',
    of: /^(?:Validating|Mutating|DeviceClass |Resource)/,
    there: ({ message = '' }, told) =>
      /: compilation failed: ERROR: |: must evaluate to /.test(message) && told.length > 0,
  },
  {
    row: 'A Service of a webhook without a name is told to be without a namespace, and the other way round',
    of: /WebhookConfiguration /,
    plain: (message) => message,
    plainField: (field) => field.replace(/(?<=\.clientConfig\.service\.)(?:name|namespace)$/, 'name'),
  },
  {
    // They are no labels of the job yet.
    ...{ row: once, of: /^Job create$/ },
    here: ({ field = '', message = '' }) => field === 'metadata.labels' && message.includes('a valid label must be'),
  },
  {
    ...{ row: gatedRow, of: /^ResourceClaim/ },
    here: ({ field = '' }) => /\.requests\[\d+\]\..*tolerations\[/.test(field),
  },
  {
    row: 'Nothing is asked of `extendedResourceName` while its feature is off',
    of: /^DeviceClass /,
    here: ({ field = '' }) => field === 'spec.extendedResourceName',
  },
  {
    row: 'Selectors of a review are judged before it is answered',
    of: /AccessReview create$/,
    there: ({ field = '' }) => /^spec\.resourceAttributes\.(?:label|field)Selector\b/.test(field),
  },
  {
    row: 'Names of claim templates of StatefulSets are not validated; claims and pods are refused later',
    of: /^StatefulSet /,
    here: ({ field = '' }) => /^spec\.volumeClaimTemplates\[\d+\]\.metadata\.name$/.test(field),
    there: ({ field = '' }) => /^spec\.template\.spec\.volumes\[\d+\]\./.test(field),
  },
  {
    // The addresses that it had are not looked at again.
    ...{ row: once, of: /^Service / },
    here: ({ field = '', message = '' }) =>
      /^spec\.clusterIPs\[\d+\]$/.test(field) && message.startsWith('Invalid value: "None": '),
  },
  {
    // A volume that is wrong is none that could be mounted.
    row: once,
    there: ({ field = '', message = '' }, told) =>
      /\.volumeMounts\[\d+\]\.name$/.test(field) &&
      message.startsWith('Not found: ') &&
      told.some((other) => /\.volumes\[\d+\]/.test(other.field ?? '')),
  },
  {
    row: gatedRow,
    here: ({ field = '', message = '' }) =>
      /\.(?:fileKeyRef|stopSignal|restartPolicyRules|hostnameOverride|preferredHolder|podCertificate|bindingConditions|bindingFailureConditions|consumesCounters|allowMultipleAllocations|requestPolicy|shareID|sharedCounters|taints)\b/.test(
        field,
      ) ||
      /may not be set for non-init containers$|`perDeviceNodeSelection`\}|when `perDeviceNodeSelection` is set to true|^Invalid value: null: `nodeName`, `nodeSelector` and `allNodes` can only be set if `perDeviceNodeSelection`/.test(
        message,
      ),
  },
  {
    ...{ row: gatedRow, body: /"(?:clusterTrustBundle|podCertificate)"|\/(?:clusterTrustBundle|podCertificate)"/ },
    here: ({ field = '', message = '' }) =>
      /\.projected\.sources\[\d+\]$/.test(field) && message.includes('may not specify more than 1 volume type'),
  },
  {
    ...{ row: gatedRow, body: /"stopSignal":/ },
    here: ({ field = '' }) => /\.lifecycle$/.test(field),
  },
  {
    ...{ row: gatedRow, of: /^PersistentVolumeClaim /, body: /"dataSourceRef":\{[^}]*"namespace":/ },
    here: ({ field = '' }) => /^spec\.dataSource(?:Ref)?$/.test(field),
  },
  {
    ...{ row: gatedRow, body: /"fileKeyRef":/ },
    here: ({ field = '', message = '' }) => /\.valueFrom$/.test(field) && /may not be specified when/.test(message),
    there: ({ field = '', message = '' }) => /\.valueFrom$/.test(field) && /must specify one of: /.test(message),
  },
  {
    // Those behind one that was dropped have other numbers there.
    ...{ row: gatedRow, body: /"image":\{|"path":"[^"]*\/volumes\/\d+\/image"/ },
    there: ({ field = '' }) => volumePlace.test(field),
    here: ({ field = '' }) => volumePlace.test(field),
  },
  {
    row: 'A CustomResourceDefinition with `$ref` is told of twice, once with its whole schema as Go prints it',
    ...{ of: /^CustomResourceDefinition /, body: /"\$ref":/ },
    there: ({ field = '', message = '' }) =>
      /openAPIV3Schema$/.test(field) && /^Invalid value: \{.*"Ref":/s.test(message),
  },
];

/** It is the same place, or one below or above it. */
function isAbout({ field = '' }: Cause, { field: other = '' }: Cause): boolean {
  if (field === '' || other === '') return false;
  return field === other || field.startsWith(`${other}.`) || field.startsWith(`${other}[`);
}

export interface Compared {
  /** What explains the differences. */
  readonly rows: readonly string[];
  /** What nothing explains: `there: spec.a: Required value`. */
  readonly open: readonly string[];
}

/** Undefined: they are not two refusals with their mistakes. */
export function compareCauses(parted: Parted): Compared | undefined {
  const { there, here } = parted;
  if (there.code !== 422 || here.code !== 422) return undefined;
  const [theirs, ours] = [causesOf(there), causesOf(here)];
  if (theirs.length === 0 || ours.length === 0) return undefined;
  const rows = new Set<string>();
  let [upstream, local] = without(theirs, ours, (cause) => JSON.stringify(cause));
  if (upstream.length === 0 && local.length === 0) {
    const order = 'Of an object that is wrong in several ways, the mistakes are told in the order of its code';
    return { rows: [order], open: [] };
  }
  const rules = causeRules.filter(
    ({ of, body }) => (of?.test(parted.called) ?? true) && (body?.test(parted.asked.body ?? '') ?? true),
  );
  for (const { row, plain, plainField = (field: string) => field } of rules) {
    if (plain === undefined) continue;
    const key = ({ field = '', reason = '', message = '' }: Cause): string =>
      JSON.stringify([plainField(field), reason, plain(message)]);
    const rest = without(upstream, local, key);
    if (rest[0].length < upstream.length) rows.add(row);
    [upstream, local] = rest;
  }
  const open: string[] = [];
  for (const cause of upstream) {
    const rule = rules.find(({ there: follows }) => follows?.(cause, ours) === true);
    if (rule === undefined) open.push(`there ${formatCause(cause)}`);
    else rows.add(rule.row);
  }
  for (const cause of local) {
    const rule = rules.find(({ here: isOurs }) => isOurs?.(cause) === true);
    if (rule === undefined) open.push(`here ${formatCause(cause)}`);
    else rows.add(rule.row);
  }
  return { rows: [...rows], open };
}

function formatCause({ field = '', message = '' }: Cause): string {
  return `${field}: ${message}`;
}

/** What each of both has that the other has not, told apart by a key, each as often as it is there. */
function without(
  some: readonly Cause[],
  others: readonly Cause[],
  key: (cause: Cause) => string,
): readonly [readonly Cause[], readonly Cause[]] {
  const rest = [...others];
  const alone = some.filter((cause) => {
    const index = rest.findIndex((other) => key(other) === key(cause));
    if (index >= 0) rest.splice(index, 1);
    return index < 0;
  });
  return [alone, rest];
}
