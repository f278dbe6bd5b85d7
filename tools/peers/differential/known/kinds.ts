/** What is known of single kinds. Pure. */
import type { Said } from '../answers.ts';
import type { Parted } from '../play.ts';
import { causesOf, type KnownClass, part, whole } from './class.ts';

const finalize = 'The door `finalize` of a Namespace takes labels, annotations and owners besides';
const serviceRange =
  "A ServiceCIDR's status can be written through the main door, and its status door notes what a body says of the spec";
const ended = 'Who says when an object was deleted that is on its way out owns what they say';
const requests = 'Who asks for a certificate owns no field of the request';
const late = 'A new CustomResourceDefinition is served some time after it is accepted';
const byStatus = 'By the door of the status of a CustomResourceDefinition, metadata is taken, and owned by nobody';
const untouched =
  'A Namespace that nobody holds any more is only marked by its first deletion, and stays until a second';
const dangling = 'Whether the level of a FlowSchema exists is told some time after it was written';
const checked = 'Whether the server of an APIService answers is found out again at moments of its own';
const bytes = 'A list of numbers may stand in the place of bytes';
const place = '^body(?:\\.items\\[\\d+\\]|(?:\\.rows)?\\[\\d+\\]\\.object)?';

export const kindClasses: readonly KnownClass[] = [
  whole({
    row: bytes,
    there: { code: [200, 201] },
    here: { code: 400, says: /cannot unmarshal array into Go struct field \S+ of type \[\]uint8$/ },
  }),
  part({
    ...{ row: bytes, at: /^body\.message$/, codes: [400, 400] },
    there: / of type uint8"$/,
    here: /cannot unmarshal array into Go struct field \S+ of type \[\]uint8"$/,
  }),
  {
    row: untouched,
    covers: (_, { called, there, here }) =>
      called === 'Namespace delete' && isUnheld(there.body) && kindOf(here.body) === 'Status',
  },
  part({
    row: 'A deletion with `orphanDependents: false` that has to wait is a 202',
    ...{
      called: / delete$/,
      body: /"orphanDependents":false/,
      at: /^body\.metadata\.finalizers(?:\[\d+\])?$/,
    },
    there: /"foregroundDeletion"/,
    here: 'nothing',
  }),
  whole({
    ...{ row: finalize, called: /^Namespace door$/ },
    there: { code: 422, says: /is invalid: \[?metadata\./ },
    here: { code: 200 },
  }),
  part({
    ...{ row: finalize, called: /^Namespace door$/, at: /^body\.metadata\.(?:labels|annotations)\./ },
    there: /^"/,
    here: /^"/,
  }),
  part({
    ...{ row: finalize, called: /^Namespace door$/, at: /^body\.metadata\.managedFields\b/ },
    there: 'nothing',
    here: /./,
  }),
  part({
    ...{ row: checked, called: /^APIService /, at: new RegExp(`${place}\\.status\\.conditions\\[0\\]\\.`) },
    there: /./,
    here: () => true,
  }),
  part({
    ...{ row: checked, called: /^APIService /, at: new RegExp(`${place}\\.status\\.conditions\\[0\\]\\.`) },
    there: /./,
    here: 'nothing',
  }),
  part({
    ...{ row: ended, at: /\.f:metadata$/, body: /deletionTimestamp/ },
    there: /^\{(?:"f:deletionGracePeriodSeconds":\{\},?)?(?:"f:deletionTimestamp":\{\})?\}$/,
    here: 'nothing',
  }),
  part({
    ...{ row: ended, at: /^body\.metadata\.managedFields\[\d+\]$/, body: /deletionTimestamp/ },
    there: /"fieldsV1":\{"f:metadata":\{"f:deletionGracePeriodSeconds":\{\},"f:deletionTimestamp":\{\}\}\}/,
    here: 'nothing',
  }),
  whole({
    ...{ row: requests, called: /^CertificateSigningRequest apply$/ },
    there: { code: 200 },
    here: { code: 409, says: /^Apply failed with \d+ conflicts?: / },
  }),
  part({
    ...{ row: dangling, called: /^FlowSchema /, at: new RegExp(`${place}\\.status\\.conditions$`) },
    there: 'nothing',
    here: /^\[\{"type":"Dangling","status":"(?:True|False)","reason":"(?:Found|NotFound)","message":"This FlowSchema references the PriorityLevelConfiguration object named /,
  }),
  part({
    ...{ row: dangling, called: /^FlowSchema /, at: /^body\.rows\[\d+\]\.cells\[5\]$/ },
    there: /^"\?"$/,
    here: /^"(?:True|False)"$/,
  }),
  part({
    ...{ row: late, called: /^CustomResourceDefinition (?:update|merge|strategic|json|apply)$/ },
    at: /^body\.status\.(?:acceptedNames\.\w+|conditions\[\d+\]\.\w+)$/,
    there: (json) => json !== 'null',
    here: /./,
  }),
  part({
    ...{ row: late, called: /^CustomResourceDefinition (?:merge|strategic|json)$/ },
    at: /^body\.status\.(?:acceptedNames|conditions\[\d+\])\.\w+$/,
    there: 'nothing',
    here: /./,
  }),
  part({
    ...{ row: byStatus, called: /^CustomResourceDefinition status/ },
    at: /^body\.metadata\.(?:labels|annotations|finalizers|ownerReferences|generateName)\b/,
    there: /./,
    here: 'nothing',
  }),
  part({
    ...{ row: byStatus, called: /^CustomResourceDefinition status/ },
    at: /^body\.metadata\.(?:labels|annotations|finalizers|ownerReferences)\b/,
    there: 'nothing',
    here: /./,
  }),
  whole({
    ...{ row: 'By the door of the status, all of the body is read', called: /^CustomResourceDefinition status-apply$/ },
    there: { code: 500, says: /^failed to convert new object .*to proper version: unable to convert unstructured/ },
    here: { code: 200 },
  }),
  {
    row: serviceRange,
    covers: ({ path }, parted) =>
      /^body\.metadata\.managedFields\b/.test(path) && isServiceRange(parted) && isAlikeElsewhere(parted),
  },
  whole({
    ...{ row: serviceRange, called: /^ServiceCIDR (?:status-)?apply$/ },
    there: { code: 409, says: /^Apply failed with 1 conflict: .*: \.spec\.cidrs$/ },
    here: { code: 200 },
  }),
  part({
    ...{ row: serviceRange, called: /^ServiceCIDR apply$/, at: /^body\.(?:message|details)/, codes: [409, 409] },
    there: /with subresource \\"status\\" using /,
    here: /^"(?:Apply failed with 1 )?conflict/,
  }),
  part({
    row: 'A place that an endpoint is told in words of older versions counts as a change, and is not kept',
    ...{ called: /^EndpointSlice /, body: /deprecatedTopology/, at: /^body\.metadata\.generation$/ },
    ...{ there: /^\d+$/, here: /^\d+$/ },
  }),
  whole({
    row: 'A write through `scale` that changes nothing makes the replicas an entry of their own',
    ...{ called: /^ReplicationController apply$/, body: /"replicas":null/ },
    there: { code: 200 },
    here: { code: 409, says: /^Apply failed with 1 conflict: conflict with "[^"]*" using v1: \.spec\.replicas$/ },
  }),
  whole({
    row: 'Two ports of a Service that would have one node port are a 500 once other things are wrong with it',
    called: /^Service /,
    there: { code: 500, says: /^duplicate nodePort: \{TCP \d+\}$/ },
    here: { code: 422, says: / is invalid: / },
  }),
  part({
    row: 'A time that nobody set is `null` in some places (`lastProbeTime` of a pod\'s conditions), and a part that says nothing is `{}`, `[]`, `""` or `null`',
    ...{
      called: /WebhookConfiguration /,
      body: /"(?:matchExpressions|matchLabels|matchConditions)":(?:\[\]|\{\})|"path":"\/webhooks\/\d+\/.*"value":(?:\[\]|\{\})/,
    },
    ...{ at: /^body\.metadata\.generation$/, there: /^\d+$/, here: /^\d+$/ },
  }),
  {
    row: 'Bookmarks come at moments of chance, some while something happens',
    covers: (_, { called, there, here }) => called.endsWith(' watch') && isMarkedMore(there.body, here.body),
  },
  part({
    row: 'A write through `scale` that changes nothing makes the replicas an entry of their own',
    ...{ called: /^Prometheus(?:Agent)? /, at: /^body\.metadata\.managedFields\[\d+\]\.fieldsV1\.f:spec\.f:shards$/ },
    there: 'nothing',
    here: /^\{\}$/,
  }),
  part({
    ...{ row: serviceRange, called: /^ServiceCIDR (?:update|merge|strategic|json|apply)$/ },
    at: /^body\.status\.conditions\[\d+\]/,
    there: /./,
    here: () => true,
  }),
  whole({
    ...{ row: byStatus, called: /^CustomResourceDefinition status/ },
    there: { code: 422, says: /is invalid: \[?metadata\./ },
    here: { code: 200 },
  }),
  whole({
    ...{ row: late, called: /^CustomResourceDefinition (?:status|update|apply)/ },
    there: { code: 409, says: /the object has been modified/ },
    here: { code: 200 },
  }),
  {
    row: 'Conflicts with several managers are told in an order of chance',
    covers: ({ path }, { there, here }) =>
      there.code === 409 &&
      here.code === 409 &&
      /^body\.(?:message|details\.causes)/.test(path) &&
      conflictsIn(there) !== '' &&
      conflictsIn(there) === conflictsIn(here),
  },
  whole({
    row: 'A write of an Event in the other of its two groups forgets who owned its fields',
    called: /^Event apply$/,
    there: { code: 422, says: /field is immutable/ },
    here: {
      code: 409,
      says: /^Apply failed with \d+ conflicts?: conflicts? with "[^"]*" using (?:events\.k8s\.io\/)?v1\b/,
    },
  }),
];

/** But for bookmarks, the same is told. */
function isMarkedMore(there: unknown, here: unknown): boolean {
  if (!Array.isArray(there) || !Array.isArray(here)) return false;
  const told = (events: readonly unknown[]): string =>
    (events as readonly { readonly type: string; readonly object: { readonly metadata?: object } }[])
      .filter(({ type }) => type !== 'BOOKMARK')
      .map(({ type, object }) => JSON.stringify([type, nameOf(object)]))
      .join();
  return there.length > here.length && told(there) === told(here);
}

function nameOf({ metadata }: { readonly metadata?: object }): unknown {
  return (metadata as { readonly name?: unknown } | undefined)?.name;
}

/** Each with its manager, in one order. */
function conflictsIn(said: Said): string {
  const causes = causesOf(said).map((cause) => JSON.stringify([cause.field, cause.message, cause.reason]));
  return causes.length > 1 ? causes.sort().join() : '';
}

function kindOf(body: unknown): unknown {
  return (body as { readonly kind?: unknown } | null)?.kind;
}

/** No finalizer of its own, and none of its spec. */
function isUnheld(body: unknown): boolean {
  type Shown = { readonly kind?: string; readonly spec?: { readonly finalizers?: readonly string[] } };
  const { kind, spec } = (body ?? {}) as Shown;
  return kind === 'Namespace' && (spec?.finalizers ?? []).length === 0;
}

function isServiceRange({ called, there, here }: Parted): boolean {
  return called.startsWith('ServiceCIDR ') && there.code < 300 && here.code < 300;
}

interface Entry {
  readonly manager?: string;
  readonly fieldsV1?: Readonly<Record<string, unknown>>;
}

/** Who owns what besides the spec and the status. */
function isAlikeElsewhere({ there, here }: Parted): boolean {
  const elsewhere = ({ body }: Said): string => {
    const { metadata } = (body ?? {}) as { readonly metadata?: { readonly managedFields?: readonly Entry[] } };
    return (metadata?.managedFields ?? [])
      .flatMap(({ manager, fieldsV1 = {} }) => {
        const { 'f:spec': _spec, 'f:status': _status, ...others } = fieldsV1;
        return Object.keys(others).length === 0 ? [] : [JSON.stringify([manager, others])];
      })
      .sort()
      .join();
  };
  return elsewhere(there) === elsewhere(here);
}
