/** Who owns which field, where upstream has filled in something, or says nothing of owners. */
import type { Said } from '../answers.ts';
import { type KnownClass, type Part, part, whole } from './class.ts';

const fields = /metadata\.managedFields/;
const anything = (): boolean => true;

/** What upstream's server says of a definition's names, and of the level of a FlowSchema. */
const saidByServer =
  /^\{(?=.*(?:"manager":"(?:kube-apiserver|api-priority-and-fairness-config-consumer-v1)"|\{"k:\{\\"type\\":\\"Dangling\\"\}":\{"f:message":\{\}\}\}))(?=.*"subresource":"status").*\}$/;

/** Lists that Go writes also where there is nothing in them: kept here, and null there. */
const keptEmpty = /"(?:limits|rules|requests|endpoints|ports|devices|drivers|topologyKeys|value)":(?:\[\]|null)/;

function versionsIn(said: Said, path: string): string {
  const place = ownersAt.exec(path)?.[1];
  const owners = place === undefined ? [] : ownersIn(at(said.body, place));
  const versions = owners.map((each) => (each as { readonly apiVersion?: string }).apiVersion ?? '');
  return [...new Set(versions)].sort().join();
}

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

const ownersAt = /^body((?:\.items\[\d+\]|(?:\.rows)?\[\d+\]\.object)?)\.metadata\.managedFields/;

/** Whether both have the same owners but for such entries of upstream's, in whatever order. */
export function isAlikeWithout(entry: RegExp, { path, there, here }: Owned): boolean {
  const place = ownersAt.exec(path)?.[1];
  if (place === undefined) return false;
  const [all, ours] = [there, here].map(({ body }) => ownersIn(at(body, place)).map((each) => JSON.stringify(each)));
  if (all === undefined || ours === undefined) return false;
  const known = (entries: readonly string[]): readonly string[] => entries.filter((each) => !entry.test(each)).sort();
  return known(all).length < all.length && known(all).join() === known(ours).join();
}

/** By the door of the status finalizers, owners and beginnings of names are noted, and not taken. */
function isAlikeButUntaken({ path, there, here }: Owned): boolean {
  const place = ownersAt.exec(path)?.[1];
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
  // It is filled in before the name is made up.
  part({
    ...{
      row: 'The label of a Namespace whose name is made up is nobody’s',
      called: /^Namespace create$/,
      body: /"generateName":/,
      at: /\.f:metadata\.f:labels(?:\.f:kubernetes\.io\/metadata\.name)?$/,
    },
    there: 'nothing',
    here: /^\{(?:"\.":\{\},"f:kubernetes\.io\/metadata\.name":\{\})?\}$/,
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
    there: { code: 422, says: /is invalid: / },
    here: {
      code: 409,
      says: /^Apply failed with \d+ conflicts?: conflicts? with "[^"]*" using (?:events\.k8s\.io\/)?v1\b/,
    },
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
    row: 'By the door of the status of a custom resource or a ResourceClaim, metadata that is not taken (finalizers, owners, `generateName`) is owned',
    covers: ({ path }, { asked, there, here }) =>
      /^\/apis\/(?:monitoring\.|resource\.k8s\.io\/)/.test(asked.path) && isAlikeButUntaken({ path, there, here }),
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
    ...{ called: /^CertificateSigningRequest /, at: /managedFields\[\d+\]\.(?:time|fieldsV1\.f:metadata)$/ },
    there: anything,
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
  {
    row: 'A write of an Event in the other of its two groups forgets who owned its fields',
    covers: ({ path }, { called, there, here }) =>
      called.startsWith('Event ') && fields.test(path) && versionsIn(there, path) !== versionsIn(here, path),
  },
  {
    row: 'Who sends an empty list in the place of an empty list takes it over',
    covers: ({ path }, { called, asked, there, here }) =>
      /^(?:LimitRange|(?:Cluster)?Role|Resource(?:Claim|ClaimTemplate|Slice)|EndpointSlice|CSINode) /.test(called) &&
      fields.test(path) &&
      // A row shows nothing of it.
      (/\.rows\[\d+\]\./.test(path) || keptEmpty.test(`${asked.body}${JSON.stringify([there.body, here.body])}`)),
  },
  {
    row: 'What the API server says in the status of a CustomResourceDefinition or a FlowSchema has an owner of its name',
    covers: ({ path }, { called, there, here }) =>
      /^(?:CustomResourceDefinition|FlowSchema) /.test(called) && isAlikeWithout(saidByServer, { path, there, here }),
  },
];
