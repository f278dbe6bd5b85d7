/** Patches and applies that cannot be made. */
import { type KnownClass, messageOf, part, whole } from './class.ts';

const wrongType = 'A patch that brings a value of the wrong type is a 422 that quotes the whole object, or a 500';
const strategic500 = 'A strategic merge patch of what has no schema, or of a map of lists, is a 500';
const missing = 'A JSON patch may remove what is shown as `null` or empty, and add below it';
const otherKind = 'A patch that changes kind or version is a 422, or is not seen';
const atStatus = 'By the door of the status, all of the body is read';
const apply =
  'An apply that cannot be made is refused before it is judged; which of several unknown fields is named is by chance';
/** Upstream’s refusal of a patch that does not fit quotes all of the object. */
const quotesAll = / is invalid: patch: Invalid value/;
const ofAnotherKind =
  /^\S+ in version "[^"]*" cannot be handled as a \S+$|^the API version in the data \(.*\) does not match|^apiVersion and kind must be strings$|Object 'Kind' is missing$/;
const badNumber = 'An apply of a number, a quantity or a time that cannot be one is a 500';
const autoscalerType = 'An apply takes the type of an autoscaler’s target from the value that is there';
const status = /\/status(?:\?|$)/;

export const patchClasses: readonly KnownClass[] = [
  whole({
    ...{ row: 'A strategic merge patch with an element that does not say its key is a 500', called: / strategic$/ },
    there: { code: 500, says: /^map: .* does not contain declared merge key: / },
    here: { code: 400, says: /^invalid strategic merge patch: map: .* does not contain declared merge key: / },
  }),
  whole({
    ...{ row: 'A patch that changes the uid is a 422 that says so twice', method: 'PATCH' },
    there: { code: 422, says: /metadata\.uid: Invalid value/ },
    here: { code: 409, says: /Precondition failed: UID in precondition/ },
  }),
  whole({
    ...{ row: otherKind, method: 'PATCH' },
    there: {
      code: [400, 422],
      says: /kind: Invalid value|apiVersion: Invalid value|no kind "|is invalid: patch|registered|invalid object type/,
    },
    here: { code: 400, says: ofAnotherKind },
  }),
  whole({
    ...{ row: otherKind, method: 'PATCH' },
    there: { code: 500, says: /^Internal error occurred: Object 'apiVersion' is missing in / },
    here: { code: 400, says: /^the API version in the data \(\) does not match/ },
  }),
  // Without a version it has no fields at all.
  whole({
    ...{ row: otherKind, method: 'PATCH', body: /"apiVersion":null|"remove","path":"\/apiVersion"/ },
    there: { code: 400, says: /was undeterminable: name must be provided$/ },
    here: { code: 200 },
  }),
  whole({
    row: 'By the status door of a Service that is not there, a PUT is judged as a new one, and may make one',
    called: /^Service status$/,
    there: { code: 422, says: /is invalid/ },
    here: { code: 404, says: /not found$/ },
  }),
  whole({
    row: 'By the status door of a Service that is not there, a PUT is judged as a new one, and may make one',
    called: /^Service status$/,
    there: { code: 201 },
    here: { code: 404, says: /not found$/ },
  }),
  part({
    row: 'A JSON patch that cannot be made is refused without a reason',
    ...{ method: 'PATCH', at: /^body\.message$/, codes: [422, 422] },
    there: /^"the server rejected our request due to an error in our request"$/,
    here: /^"the server rejected our request due to an error in our request: operation \d+/,
  }),
  whole({
    ...{ row: missing, called: / (?:status-)?json$/ },
    there: { code: 200 },
    here: { code: 422, says: /\((?:remove|add|replace) \S+\): no value at / },
  }),
  whole({
    ...{ row: missing, called: / (?:status-)?json$/ },
    there: { code: 422, says: quotesAll },
    here: { code: 422, says: /\((?:remove|add|replace) \S+\): no value at / },
  }),
  whole({
    ...{ row: missing, called: / (?:status-)?json$/, body: /"path":"\/metadata"/ },
    there: { code: 400, says: /was undeterminable: name must be provided$/ },
    here: { code: 422, says: /\((?:remove|add|replace) \S+\): no value at / },
  }),
  whole({
    ...{ row: missing, called: / (?:status-)?json$/ },
    there: { code: 422, says: /(?<!: patch): (?:Invalid|Required|Forbidden|Unsupported|Duplicate)/ },
    here: { code: 422, says: /\((?:remove|add) \S+\): no value at / },
  }),
  whole({
    ...{ row: strategic500, called: / strategic$/ },
    there: {
      code: 500,
      says: /^unable to find api field in struct RawExtension|^merging an object in json but data type is not struct/,
    },
    here: { code: 200 },
  }),
  whole({
    ...{ row: strategic500, called: / strategic$/ },
    there: {
      code: 500,
      says: /^unable to find api field in struct RawExtension|^merging an object in json but data type is not struct/,
    },
    here: { code: 422, says: /is invalid/ },
  }),
  whole({
    ...{ row: wrongType, method: 'PATCH' },
    there: { code: 422, says: quotesAll },
    here: { code: 400, says: /cannot be handled as a \S+: |invalid strategic merge patch|undeterminable|must be a/ },
  }),
  whole({
    ...{ row: wrongType, method: 'PATCH', body: /^\[/ },
    there: { code: 422, says: /couldn't get version\/kind; json parse error/ },
    here: { code: 400, says: /^error decoding patch: / },
  }),
  whole({
    ...{ row: wrongType, method: 'PATCH' },
    there: {
      code: 500,
      says: /list element types|unable to convert unstructured|cannot convert|json: |expected|^strconv\.ParseInt: /,
    },
    here: { code: 400, says: /cannot be handled as a \S+: |invalid strategic merge patch/ },
  }),
  part({
    ...{ row: 'A patch whose fields are refused shows the object with its fields by name', method: 'PATCH' },
    ...{ at: /^body\.(?:message|details\.causes\[\d+\]\.message)$/, codes: [422, 422] },
    there: /patch: Invalid value|^"Invalid value: .*strict decoding error/,
    here: /strict decoding error/,
  }),
  // What stands below a value of the wrong type has no field that anybody knows.
  whole({
    row: 'A patch whose fields are refused shows the object with its fields by name',
    ...{ method: 'PATCH', path: /^\/apis\/monitoring\./ },
    there: { code: 422, says: /^ "" is invalid: patch: Invalid value: .*strict decoding error: unknown field /s },
    here: { code: 422, says: / in body must be of type / },
  }),
  whole({
    ...{ row: atStatus, path: status, method: 'PUT' },
    there: { code: 400, says: / cannot be handled as a \w+: json: / },
    here: { code: 409, says: /Precondition failed: UID|the object has been modified/ },
  }),
  whole({
    ...{ row: atStatus, path: status, method: 'PUT' },
    there: {
      code: 400,
      says: / cannot be handled as a \w+: json: cannot unmarshal \w+ into Go struct field \w+\.(?:spec|metadata)\b/,
    },
    here: { code: 422, says: / is invalid: \[?(?:status|metadata)\./ },
  }),
  whole({
    ...{ row: atStatus, path: status },
    there: {
      code: [400, 422, 500],
      says: / cannot be handled as |failed to (?:create typed patch object|convert new object)| is invalid: patch: /,
    },
    here: { code: [200, 201] },
  }),
  whole({
    ...{ row: atStatus, path: status },
    there: {
      code: [400, 422, 500],
      says: / cannot be handled as |failed to create typed patch object| is invalid: patch: /,
    },
    here: { code: 404, says: /not found$/ },
  }),
  part({
    ...{ row: atStatus, path: status, at: /^body\.message$/, codes: [400, 400] },
    there: / cannot be handled as a \w+: (?:json: |quantities must match )/,
    here: /^"the (?:name|namespace) of the (?:provided )?object .*does not match the .* (?:on the URL|sent on the request)/,
  }),
  whole({
    ...{ row: atStatus, path: status, method: 'PATCH' },
    there: { code: 422, says: quotesAll },
    here: { code: 409, says: /the object has been modified/ },
  }),
  whole({
    ...{ row: atStatus, path: status, method: 'PATCH' },
    there: { code: 422, says: quotesAll },
    here: { code: 400, says: /^the (?:name|namespace) of the object .* does not match the .* on the URL/ },
  }),
  whole({
    ...{ row: atStatus, path: status, method: 'PATCH' },
    there: { code: 422, says: / is invalid: patch: Invalid value: .*json: cannot unmarshal /s },
    here: { code: 422, says: / is invalid: \[?metadata\.\w+: / },
  }),
  // What is of a wrong type in the spec is told before a field of the status that nobody knows.
  whole({
    ...{ row: atStatus, path: status, method: 'PATCH' },
    there: { code: 422, says: / is invalid: patch: Invalid value: .*json: cannot unmarshal /s },
    here: { code: 422, says: / is invalid: patch: Invalid value: .*strict decoding error: unknown field "status\./s },
  }),
  // The time of its end is taken by this door as any other field of metadata that it does not know.
  whole({
    ...{ row: atStatus, path: status, body: /"deletionGracePeriodSeconds":/ },
    there: {
      code: 422,
      says: /is invalid: metadata\.deletionGracePeriodSeconds: Invalid value: \d+: field is immutable$/,
    },
    here: { code: 200 },
  }),
  part({ ...{ row: atStatus, path: status, at: /^warnings$/ }, there: /unknown field/, here: /^""$/ }),
  part({
    row: 'A Secret that cannot be applied is repeated in its refusal',
    ...{ called: /^Secret apply$/, at: /^body\.message$/, codes: [500, 500] },
    there: /^"failed to create typed patch object \(.*\): /,
    here: /^"failed to create typed patch object \(.*\): .*got something else/,
  }),
  {
    row: apply,
    covers: ({ path }, { called, there, here }) =>
      called.endsWith('apply') &&
      (path === 'body.message' || path === 'code') &&
      there.code === 500 &&
      here.code === 500 &&
      isSameProblem(messageOf(there), messageOf(here)),
  },
  whole({
    ...{ row: apply, called: /apply$/ },
    there: { code: 422, says: /^PatchOptions\.meta\.k8s\.io "" is invalid: fieldManager/ },
    here: { code: 400, says: /^yaml parse error: / },
  }),
  whole({
    ...{ row: autoscalerType, called: /^HorizontalPodAutoscaler apply$/ },
    there: { code: [200, 201] },
    here: {
      code: 422,
      says: /is invalid: spec\.metrics\[\d+\]\.\w+\.target\.type: Invalid value: "[^"]+": must be either /,
    },
  }),
  whole({
    ...{ row: badNumber, called: /apply$/ },
    there: {
      code: 500,
      says: /^failed to convert (?:new object \(.*\) to proper version: unable to convert unstructured object to |to unversioned \(.*\): strconv\.ParseInt: )/,
    },
    here: { code: [400, 409], says: /cannot be handled as a \S+: |^Apply failed with/ },
  }),
  // The status is not taken there.
  whole({
    ...{ row: badNumber, called: / apply$/, body: /"status":/ },
    there: {
      code: 500,
      says: /^failed to convert new object \(.*\) to proper version: unable to convert unstructured object to /,
    },
    here: { code: [200, 201] },
  }),
  whole({
    row: 'A null that is applied to a place of a custom resource that may not be null is refused',
    called: / (?:status-)?apply$/,
    there: { code: 422, says: /in body must be of type \w+: "null"/ },
    here: { code: [200, 201] },
  }),
  whole({
    ...{ row: apply, called: /apply$/ },
    there: { code: [409, 500], says: /^Apply failed with|^failed to create typed patch object/ },
    here: { code: 422, says: / is invalid: / },
  }),
  whole({
    ...{ row: apply, called: /apply$/ },
    there: { code: 500, says: /^failed to create typed patch object/ },
    here: { code: 409, says: /^Apply failed with|uid mismatch: |the object has been modified/ },
  }),
];

const untyped = /^failed to create typed patch object \([^)]*\): /;

/** Of several fields that nobody knows one is named, by chance; mistakes of values are told in an order of chance. */
function isSameProblem(there: string, here: string): boolean {
  const [theirs, ours] = [there, here].map((message) => untyped.exec(message)?.[0]);
  if (theirs === undefined || theirs !== ours) return false;
  const [first, second] = [there, here].map((message) => message.slice(theirs.length).split('\n'));
  const isUnknown = (lines: readonly string[] = []): boolean =>
    lines.some((line) => line.endsWith(': field not declared in schema'));
  return (isUnknown(first) && isUnknown(second)) || first?.sort().join() === second?.sort().join();
}
