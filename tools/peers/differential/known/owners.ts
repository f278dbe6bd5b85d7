/** Who owns which field, where upstream has filled in something, or says nothing of owners. */
import type { Said } from '../answers.ts';
import { gatedRow, type KnownClass, type Part, part, whole } from './class.ts';

const filled = 'Fields that are filled in are owned, or not, by where upstream fills them in';
const fields = /metadata\.managedFields/;
const anything = (): boolean => true;

/** Of which kind which owned fields differ: those that one of both fills in, or that are no objects in Go. */
const filledIn: readonly (readonly [called: RegExp, at: RegExp])[] = [
  [/^ControllerRevision /, /\.f:data\b/],
  [/^IPAddress /, /\.f:parentRef\b/],
  [/^DaemonSet /, /\.f:annotations\b|\.f:metadata$/],
  [
    /^(?:ReplicationController|PodTemplate) /,
    /\.f:template\b.*f:(?:creationTimestamp|stdin)$|\.f:template\.f:metadata(?:$|\.)/,
  ],
  [/^APIService /, /\.f:spec\.\.$|\.f:spec\.f:/],
  [/^PrometheusAgent status-apply$/, /\.f:spec\.f:shards$/],
  [/^\S+ (?:create|apply|update)/, /\.f:projected\.f:sources$/],
  // A driver shows its keys also where it has none.
  [/^CSINode /, /managedFields\[\d+\]/],
  [/^Resource(?:Claim|ClaimTemplate|Slice) /, /\.f:devices\b|\.f:spec$|managedFields$/],
  // What holds nothing is owned there.
  [/^(?:Cluster)?Role /, /managedFields(?:\[\d+\](?:\.(?:manager|operation))?)?$|\.f:rules$/],
  // They are written by other components.
  [/^APIService /, /managedFields\[\d+\]/],
  [/^(?:FlowSchema|PriorityLevelConfiguration) /, /managedFields\[\d+\]/],
  // The other face of it is what was written last.
  [/^Event /, /managedFields\[\d+\](?:$|\.)/],
  [/^EndpointSlice /, /\.f:(?:ports|endpoints)$/],
  [/^LimitRange /, /managedFields\[\d+\](?:$|\.(?:manager|operation)$|\.fieldsV1\.f:(?:metadata|spec)$)/],
  [/^NetworkPolicy /, /\.f:podSelector\b|\.f:spec$/],
  [/^Service /, /\.f:(?:publishNotReadyAddresses|ipFamilies|clusterIP|clusterIPs|internalTrafficPolicy)\b/],
  [/^CustomResourceDefinition /, /\.f:(?:spec|status|conversion|names|versions)\b|managedFields\[\d+\]/],
];

/** Of nobody's door, and without a time. */
const splitByScale =
  /"apiVersion":"[^"]*","fieldsType":"FieldsV1","fieldsV1":\{"f:spec":\{"f:\w+":\{\}\}\}(?:,"manager":"\w+","operation":"Update")?\}/;

/** Two entries that differ in their time only are one there, and the later counts. */
function loses(body = ''): boolean {
  return /"apiVersion":"[^"]*","fieldsType":"FieldsV1","fieldsV1":\{"f:spec":\{"f:\w+":\{\}\}\}(?:,"manager":"\w+","operation":"Update")?\},\{/.test(
    body,
  );
}

/** Of what was taken over by a body which does not name it, or names it without a time. */
const scaledHere =
  /"apiVersion":"[^"]*","fieldsType":"FieldsV1","fieldsV1":\{"f:spec":\{"f:\w+":\{\}\}\},"subresource":"scale"/;

/** Owners of nothing but what stands for fields of `autoscaling/v2`. */
const standIns =
  /"fieldsV1":\{"f:metadata":\{"f:annotations":\{"\.":\{\}(?:,"f:autoscaling\.alpha\.kubernetes\.io\/[a-z-]+":\{\})+\}\}\}/;

interface Owned {
  readonly path: string;
  readonly there: Said;
  readonly here: Said;
}

/** Whether both have the same owners but for such entries of upstream's. */
export function isAlikeWithout(entry: RegExp, { path, there, here }: Owned): boolean {
  if (!/^body\.metadata\.managedFields/.test(path)) return false;
  const theirs = ownersIn(there.body).filter((each) => !entry.test(JSON.stringify(each)));
  return theirs.length < ownersIn(there.body).length && JSON.stringify(theirs) === JSON.stringify(ownersIn(here.body));
}

/** By the door of the status finalizers, owners and beginnings of names are noted, and not taken. */
function isAlikeButUntaken({ path, there, here }: Owned): boolean {
  const [, place] = /^body((?:\.items\[\d+\]|(?:\.rows)?\[\d+\]\.object)?)\.metadata\.managedFields/.exec(path) ?? [];
  if (place === undefined) return false;
  const [theirs, ours] = [there, here].map(({ body }) => ownersIn(at(body, place)));
  const known = (owners: readonly object[] = []): string =>
    owners
      .flatMap(withoutUntaken)
      .map((each) => JSON.stringify(each))
      .sort()
      .join();
  return JSON.stringify(theirs).includes('"subresource":"status"') && known(theirs) === known(ours);
}

/** What stands at `.items[1]`. */
function at(body: unknown, place: string): unknown {
  let found: unknown = body;
  for (const step of place.split(/[.[\]]/).filter((each) => each !== ''))
    found = (found as Readonly<Record<string, unknown>> | undefined)?.[step];
  return found;
}

interface Entry {
  readonly fieldsV1?: Readonly<Record<string, object>>;
}

function withoutUntaken(entry: Entry): readonly object[] {
  const { 'f:metadata': metadata, ...others } = entry.fieldsV1 ?? {};
  const {
    'f:finalizers': _finalizers,
    'f:ownerReferences': _owners,
    'f:generateName': _prefix,
    ...left
  } = (metadata ?? {}) as Entry & object as Record<string, object>;
  const fieldsV1 = { ...others, ...(Object.keys(left).length > 0 && { 'f:metadata': left }) };
  return Object.keys(fieldsV1).length === 0 ? [] : [{ ...entry, fieldsV1 }];
}

function ownersIn(body: unknown): readonly object[] {
  const { metadata } = (body ?? {}) as { readonly metadata?: { readonly managedFields?: readonly object[] } };
  return (metadata?.managedFields ?? []).map((each) =>
    Object.fromEntries(Object.entries(each).sort(([a], [b]) => (a < b ? -1 : 1))),
  );
}

/** By the door of the status, of whose body the rest is not looked at; and of lists whose elements may lack their key. */
const misfits: readonly Pick<Part, 'called' | 'path' | 'body'>[] = [
  { called: / status(?:-merge|-json)?$/, path: /^\/apis\/monitoring\./ },
  { called: /^ServiceAccount /, body: /"(?:secrets|imagePullSecrets)":\[|"path":"\/(?:secrets|imagePullSecrets)\b/ },
  { called: /^(?:FlowSchema|PriorityLevelConfiguration|APIService) /, body: /conditions/ },
];

const serviceRange =
  "A ServiceCIDR's status can be written through the main door, and its status door notes what a body says of the spec";

export const ownerClasses: readonly KnownClass[] = [
  {
    row: 'By the doors for ephemeral containers and for sizes, whoever updates something else owns it from then on, although it is dropped',
    covers: ({ path }, { called, there, here }) =>
      /^Pod /.test(called) &&
      fields.test(path) &&
      there.code < 300 &&
      here.code < 300 &&
      /"subresource":"(?:ephemeralcontainers|resize)"/.test(JSON.stringify(there.body)),
  },
  part({
    row: 'An apply to the status of a pod that changes nothing notes its time',
    ...{ called: /^Pod status-apply$/, at: /^body\.metadata\.managedFields\[\d+\]\.time$/ },
    there: /^"<time>"$/,
    here: 'nothing',
  }),
  part({
    row: 'An eviction that is refused for how its pod is to go leaves its condition behind',
    ...{ called: /^Pod /, at: /^body(?:\[\d+\]\.object|\.items\[\d+\])?\.status\.conditions$/ },
    there: /"DisruptionTarget"/,
    here: 'nothing',
  }),
  part({
    row: 'The door `finalize` of a Namespace takes labels, annotations and owners besides',
    ...{ called: /^Namespace door$/, at: /^body\.metadata\.(?:labels|annotations|ownerReferences|managedFields)/ },
    there: anything,
    here: 'nothing',
  }),
  part({
    ...{ row: serviceRange, called: /^ServiceCIDR / },
    at: /^body(?:\[\d+\]\.object|\.items\[\d+\])?\.(?:status\.conditions|metadata\.managedFields\[\d+\]\.fieldsV1\.f:status)$/,
    there: /^[[{]/,
    here: 'nothing',
  }),
  part({
    ...{ row: serviceRange, called: /^ServiceCIDR / },
    at: /^body(?:\[\d+\]\.object|\.items\[\d+\])?\.(?:status\.conditions|metadata\.managedFields\[\d+\]\.fieldsV1\.f:status|metadata\.managedFields\[\d+\])$/,
    there: 'nothing',
    here: /^[[{]/,
  }),
  // A projection of nothing is kept in memory, and shown without any list.
  {
    row: filled,
    covers: ({ path, there, here }, { asked, here: { body } }) =>
      /managedFields\[\d+\]\.fieldsV1\..*\.f:projected\.f:sources$/.test(path) &&
      there === '{}' &&
      here === undefined &&
      (/"sources":\[\]/.test(asked.body ?? '') || /"projected":\{(?:"defaultMode":\d+)?\}/.test(JSON.stringify(body))),
  },
  // Nothing is what nobody owns there.
  part({
    row: 'The door `finalize` of a Namespace takes labels, annotations and owners besides',
    ...{ called: /^Namespace door$/, body: /"finalizers":\[\]/, at: /managedFields\[\d+\]\.fieldsV1\.f:spec$/ },
    there: 'nothing',
    here: /^\{"f:finalizers":\{\}\}$/,
  }),
  // What is not taken counts as a change there.
  part({
    row: 'By the door of the status, all of the body is read',
    ...{ called: / status-apply$/, at: /managedFields\[\d+\]\.time$/ },
    there: /^"<time>"$/,
    here: 'nothing',
  }),
  part({
    ...{ row: serviceRange, called: /^ServiceCIDR status/, at: /managedFields(?:\[\d+\]\.fieldsV1\.f:spec)?$/ },
    there: 'nothing',
    here: /^(?:\{"f:cidrs":\{\}\}|\[\{[^[]*"fieldsV1":\{"f:spec":\{"f:cidrs":\{\}\}\}\}\])$/,
  }),
  part({
    row: 'Who says when an object was deleted that is on its way out owns what they say',
    ...{ body: /deletionTimestamp/, at: /\.f:metadata(?:\.f:deletionTimestamp)?$/ },
    there: /^\{(?:"f:deletionTimestamp":\{\})?\}$/,
    here: 'nothing',
  }),
  // What is sent as nothing is not kept where it is nothing anyway.
  {
    row: filled,
    covers: ({ path, there, here }, { asked, here: { body } }) => {
      const field = /managedFields\[\d+\]\.fieldsV1\.(?:.*\.)?f:(\w+)$/.exec(path)?.[1];
      if (field === undefined || there !== undefined || here !== '{}') return false;
      const nothing = new RegExp(`"${field}":(?:false|0|"")[,}]`);
      // It is kept here, and so it is seen later as well.
      return nothing.test(asked.body ?? '') || nothing.test(JSON.stringify(body));
    },
  },
  // It is filled in before the name is made up.
  part({
    ...{ row: filled, called: /^Namespace create$/, body: /"generateName":/, at: /\.f:metadata\.f:labels$/ },
    there: 'nothing',
    here: /^\{"\.":\{\},"f:kubernetes\.io\/metadata\.name":\{\}\}$/,
  }),
  part({
    ...{ row: serviceRange, called: /^ServiceCIDR /, at: /managedFields\[\d+\]\.subresource$/ },
    there: /^"status"$/,
    here: 'nothing',
  }),
  part({
    row: 'In `autoscaling/v1` the annotations that stand for what only v2 has have owners',
    ...{ called: /^HorizontalPodAutoscaler /, at: /managedFields\[\d+\]\.fieldsV1\.f:metadata$/ },
    there: /^\{"f:annotations":\{"\.":\{\}(?:,"f:autoscaling\.alpha\.kubernetes\.io\/[a-z-]+":\{\})+\}\}$/,
    here: 'nothing',
  }),
  part({
    row: 'A write of an Event in the other of its two groups forgets who owned its fields',
    ...{ called: /^Event /, at: /^body(?:\.rows\[\d+\]\.object)?\.metadata\.managedFields$/ },
    there: 'nothing',
    here: /"apiVersion":"(?:events\.k8s\.io\/)?v1"/,
  }),
  whole({
    row: 'A write of an Event in the other of its two groups forgets who owned its fields',
    called: /^Event apply$/,
    there: { code: 200 },
    here: {
      code: 409,
      says: /^Apply failed with \d+ conflicts?: conflicts? with "[^"]*" using (?:events\.k8s\.io\/)?v1\b/,
    },
  }),
  {
    row: 'In `autoscaling/v1` the annotations that stand for what only v2 has have owners',
    covers: ({ path }, { called, there, here }) =>
      /^HorizontalPodAutoscaler /.test(called) && isAlikeWithout(standIns, { path, there, here }),
  },
  {
    row: 'By the door of the status of a custom resource, metadata that is not taken (finalizers, owners, `generateName`) is owned',
    covers: ({ path }, { asked, there, here }) =>
      /^\/apis\/monitoring\./.test(asked.path) && isAlikeButUntaken({ path, there, here }),
  },
  part({
    row: 'A review shows who has asked it among its managed fields',
    ...{ called: /Review create$/, at: /^body\.metadata\.managedFields$/ },
    there: /^\[\{"manager":/,
    here: 'nothing',
  }),
  part({
    row: 'A review shows who has asked it among its managed fields',
    ...{ called: /^ServiceAccount door$/, at: /^body\.metadata\.managedFields$/ },
    there: /"apiVersion":"authentication\.k8s\.io\/v1"/,
    here: 'nothing',
  }),
  part({
    row: 'Who asks for a certificate owns no field of the request',
    ...{ called: /^CertificateSigningRequest /, at: /metadata\.managedFields(?:$|\[\d+\])/ },
    there: anything,
    here: anything,
  }),
  part({
    row: 'Who asks for a certificate owns no field of the request',
    ...{ called: /^CertificateSigningRequest /, at: /metadata\.managedFields(?:$|\[\d+\])/ },
    there: 'nothing',
    here: /"f:request"|f:spec|^"|\{\}/,
  }),
  {
    row: 'A write through `scale` that changes nothing makes the replicas an entry of their own',
    covers: ({ path }, { asked, there, here }) =>
      fields.test(path) &&
      there.code < 300 &&
      here.code < 300 &&
      (splitByScale.test(JSON.stringify(there.body)) ||
        loses(asked.body) ||
        scaledHere.test(JSON.stringify(here.body))),
  },
  part({
    row: 'A write through `scale` that changes nothing makes the replicas an entry of their own',
    at: /managedFields\[\d+\]\.fieldsV1\.f:spec\.f:replicas$/,
    ...{ there: 'nothing', here: /^\{\}$/ },
  }),
  ...misfits.map((misfit) =>
    part({
      row: 'A write of what does not fit its schema, or of an element of a list without its key, makes all owners be forgotten',
      ...{ ...misfit, at: /^body(?:\.metadata|(?:\.rows)?\[\d+\]\.object\.metadata)?\.managedFields$/ },
      there: 'nothing',
      here: /^\[\{"manager":/,
    }),
  ),
  // One that was dropped is noted.
  {
    row: gatedRow,
    covers: ({ path, there, here }, { there: { body } }) =>
      /f:initContainers\b.*f:restartPolicy$/.test(path) &&
      there === '{}' &&
      here === undefined &&
      !/"initContainers":\[(?:(?!\]).)*"restartPolicy":/.test(JSON.stringify(body)),
  },
  part({
    ...{ row: gatedRow, body: /"restartPolicyRules":/ },
    at: /\.f:restartPolicyRules$/,
    there: /^\{\}$/,
    here: 'nothing',
  }),
  // The time of a condition that nobody has set is there, as null.
  part({
    ...{ row: filled, called: /^APIService status/, at: /metadata\.managedFields\[\d+\]$/ },
    there:
      /"fieldsV1":\{"f:status":\{"f:conditions":\{"k:\{\\"type\\":\\"\w+\\"\}":\{"f:lastTransitionTime":\{\}\}\}\}\},/,
    here: 'nothing',
  }),
  part({
    ...{ row: filled, called: /^ResourceClaim(?:Template)? /, at: /managedFields\[\d+\]$/ },
    there: 'nothing',
    here: /"fieldsV1":\{"f:spec":\{(?:"f:spec":\{)?"f:devices":\{\}\}?\}\}/,
  }),
  ...filledIn.flatMap(([called, at]) => [
    part({ row: filled, called, at: both(at), there: 'nothing', here: anything }),
    part({ row: filled, called, at: both(at), there: anything, here: 'nothing' }),
    part({ row: filled, called, at: both(at), there: anything, here: anything }),
  ]),
  whole({
    ...{ row: filled, called: /apply$/ },
    there: { code: [200, 201] },
    here: { code: 409, says: /^Apply failed with 1 conflict: .* \.spec\.(?:podSelector|ipFamilies)$/ },
  }),
];

function both(at: RegExp): RegExp {
  return at.source.includes('managedFields') ? at : new RegExp(`${fields.source}.*(?:${at.source})`);
}
