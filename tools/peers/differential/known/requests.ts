/** Requests that cannot be read, or that ask for what is not to be had. */
import { type KnownClass, messageOf, part, whole } from './class.ts';

const notAWord =
  /^(?:json parse error|yaml parse error|the request needs a body|the body of the request must be an object)/;
const notRead =
  /couldn't get version\/kind|error converting YAML to JSON|^error decoding patch|cannot unmarshal|unexpected end of JSON|invalid character|Object 'Kind' is missing/;
const quoted = (pattern: RegExp) => (json: string) => pattern.test(JSON.parse(json) as string);
const forms =
  'An answer in parts of the wrong form is refused with the Go type of the object, of custom resources with a 500';
const twice = 'Of a list that is wrong in two ways, the selectors are told before the form of the answer';
const ofDeletion = 'Of a deletion of a collection that is wrong in two ways, the selectors are told first';
const badVersion = 'A get, a watch, or a write of a version that is no number is a 500';
const wrongType = 'A 400 for values of the wrong type names the first';
const badSelector = /selector|found '|unable to parse|can't understand|field label/;

const badBinding = 'A binding that names no node, or something else, is a 500';

const noTable =
  'Whether an answer can be a table is looked at before the object is looked for; statuses of APIServices and ResourceClaims and some doors of pods can be none';
const onlyMedia = /^only the following media types are accepted/;
const statusBody = 'By the door of the status, all of the body is read';

export const requestClasses: readonly KnownClass[] = [
  whole({
    row: 'An apply that cannot be made is refused before it is judged; which of several unknown fields is named is by chance',
    called: / apply$/,
    there: { code: 500, says: /^failed to convert new object / },
    here: { code: 409, says: /: uid mismatch: / },
  }),
  part({
    row: 'A custom resource that was patched to have no name and another version is told of its name',
    ...{ path: /^\/apis\/monitoring\./, method: 'PATCH', at: /^body\.message$/, codes: [400, 400] },
    there: /was undeterminable: name must be provided"$/,
    here: /^"the API version in the data \(\S+\) does not match the expected API version /,
  }),
  whole({
    row: 'An update of a claim that changes nothing is held to the limits that there are by now',
    called: /^PersistentVolumeClaim /,
    there: { code: 403, says: / is forbidden: (?:maximum|minimum) storage usage per PersistentVolumeClaim is / },
    here: { code: 200 },
  }),
  whole({
    ...{ row: noTable, called: /^Pod door$/ },
    there: { code: 406, says: onlyMedia },
    here: { code: 404, says: /not found$/ },
  }),
  whole({
    ...{ row: noTable, called: /^(?:APIService|ResourceClaim) status/ },
    there: { code: 406, says: onlyMedia },
    here: { code: [200, 201] },
  }),
  whole({
    row: 'The `generateName` of an object that is there is judged as part of a path',
    body: /"generateName":|\/generateName"/,
    there: { code: 200 },
    here: { code: 422, says: /is invalid: metadata\.generateName: Invalid value/ },
  }),
  whole({
    ...{ row: statusBody, called: / status(?:-\w+)?$/, body: /"uid":"other"/ },
    there: { code: 422, says: /cannot unmarshal|^ "" is invalid: patch:|unrecognized type|is invalid: / },
    here: { code: 409, says: /Precondition failed: UID|uid mismatch|UID in/ },
  }),
  part({
    row: 'Why a body is no JSON is told in the words of Go, with the place where it broke or the bytes in hexadecimal',
    ...{ at: /^body\.message$/, codes: [400, 400] },
    there: quoted(notRead),
    here: quoted(notAWord),
  }),
  part({
    row: 'Why a body is no JSON is told in the words of Go, with the place where it broke or the bytes in hexadecimal',
    ...{ at: /^body\.message$/, codes: [400, 400] },
    there: quoted(/Object 'Kind' is missing in '/),
    here: quoted(/Object 'Kind' is missing$/),
  }),
  part({
    row: 'Why a body is no JSON is told in the words of Go, with the place where it broke or the bytes in hexadecimal',
    ...{ method: 'PATCH', at: /^body\.message$/, codes: [400, 400] },
    there: /^"json: cannot unmarshal \w+ into Go value of type jsonpatch\.(?:Patch|Operation)"$/,
    here: /^"error decoding patch: json: cannot unmarshal \w+ into Go value of type (?:\[\])?handlers\.jsonPatchOp"$/,
  }),
  part({
    row: 'Why a body is no JSON is told in the words of Go, with the place where it broke or the bytes in hexadecimal',
    ...{ method: 'PATCH', at: /^body\.message$/, codes: [400, 400] },
    there: /^"Invalid JSON Patch"$/,
    here: quoted(notAWord),
  }),
  {
    row: 'A text of a type of its own is called by that type (`v1.SecretType`)',
    covers: ({ path }, { there, here }) =>
      path === 'body.message' &&
      there.code === 400 &&
      here.code === 400 &&
      asText(messageOf(there)) === messageOf(here),
  },
  whole({
    row: 'A body that cannot be read is told of after the object was looked for',
    there: { code: 404, says: /not found$/ },
    here: { code: 400, says: notAWord },
  }),
  whole({
    row: 'A body that cannot be read is told of after the object was looked for',
    ...{ method: 'PUT', path: /^\/apis\/monitoring\./ },
    there: { code: 404, says: /not found$/ },
    here: { code: 422, says: /is invalid: kind: Invalid value: "Other": must be \w+$/ },
  }),
  part({
    row: 'Of a kind that is none, or one of a version that is none, a refusal names the source file of its registry',
    ...{ at: /^body\.message$/, codes: [400, 400] },
    there: /no kind \\".*\\" is registered for version /,
    here: /does not match the expected API version|cannot be handled as a \S+"$/,
  }),
  whole({
    row: 'A port for health checks of a Service that is taken, or out of the range, is a 500; a dry run looks at none',
    there: { code: 500, says: /requested HealthCheck NodePort/ },
    here: { code: 422, says: /requested HealthCheck NodePort/ },
  }),
  whole({
    row: 'A port for health checks of a Service that is taken, or out of the range, is a 500; a dry run looks at none',
    path: /[?&]dryRun=All/,
    there: { code: [200, 201] },
    here: { code: 422, says: /requested HealthCheck NodePort/ },
  }),
  // Nor at those of nodes.
  whole({
    row: 'A port for health checks of a Service that is taken, or out of the range, is a 500; a dry run looks at none',
    path: /[?&]dryRun=All/,
    there: { code: 422, says: /is invalid: / },
    here: {
      code: 422,
      says: /is invalid: spec\.ports\[\d+\]\.nodePort: Invalid value: \d+: provided port is not in the valid range\. [^,\]]*$/,
    },
  }),
  whole({
    ...{ row: badBinding, called: /^Pod door$/, path: /\/binding(?:\?|$)/ },
    there: { code: 500, says: /^\[?target\.(?:name|kind): / },
    here: { code: [404, 422], says: /target\.(?:name|kind): |not found$/ },
  }),
  whole({
    row: 'The door `finalize` of a Namespace takes labels, annotations and owners besides',
    called: /^Namespace door$/,
    there: { code: 406, says: /^only the following media types/ },
    here: { code: 404, says: /not found$/ },
  }),
  whole({
    row: badVersion,
    there: { code: 500, says: /strconv\.ParseUint/ },
    here: {
      code: [400, 422, 409],
      says: /resource ?[vV]ersion|object has been modified|is invalid|declared merge key/,
    },
  }),
  whole({
    ...{ row: badVersion, called: /^Service status$/ },
    there: { code: 500, says: /strconv\.ParseUint/ },
    here: { code: 404, says: /not found$/ },
  }),
  whole({ row: badVersion, called: / apply$/, there: { code: 500, says: /strconv\.ParseUint/ }, here: { code: 201 } }),
  whole({ row: badVersion, method: 'PUT', there: { code: 500, says: /strconv\.ParseUint/ }, here: { code: 201 } }),
  whole({ row: badVersion, method: 'POST', there: { code: 500, says: /strconv\.ParseUint/ }, here: { code: 201 } }),
  whole({
    row: 'A new object with a resourceVersion is a 500',
    there: { code: 500, says: /^resourceVersion should not be set on objects to be created/ },
    here: { code: 400, says: /^resourceVersion should not be set on objects to be created/ },
  }),
  whole({
    row: 'Selectors of a review are judged before it is answered',
    called: /AccessReview create$/,
    there: { code: 422, says: /(?:label|field)Selector\./ },
    here: { code: 201 },
  }),
  whole({
    row: '`application/*` is no form that an answer may have',
    accept: 'application/*',
    there: { code: 406, says: /^406: Not Acceptable/ },
    here: { code: [400, 404, 422], says: /./ },
  }),
  whole({
    row: '`application/*` is no form that an answer may have',
    accept: 'application/*',
    there: { code: 406, says: /^406: Not Acceptable/ },
    here: { code: 200 },
  }),
  whole({
    ...{ row: twice, method: 'GET' },
    there: { code: [400, 422], says: /selector|found '|ListOptions|strconv|continue|can't understand|unable to parse/ },
    here: { code: 406, says: /^only the following media types|^you requested/ },
  }),
  whole({
    ...{ row: twice, method: 'GET', path: /includeObject=x/ },
    there: { code: 400, says: badSelector },
    here: { code: 400, says: /^Unable to convert to Table as requested: includeObject/ },
  }),
  {
    row: forms,
    covers: ({ path }, { there, here }) =>
      there.code === 406 &&
      here.code === 406 &&
      /^body\.(?:message|details)$/.test(path) &&
      /^you requested PartialObjectMetadata/.test(messageOf(here)) &&
      messageOf(there).startsWith(messageOf(here)),
  },
  whole({
    row: forms,
    there: { code: 500, says: /^content is not a list$|^object does not implement the/ },
    here: { code: 406, says: /^you requested PartialObjectMetadata/ },
  }),
  whole({
    row: 'A body is refused by its media type before the options of its request are read',
    there: { code: [415, 406], says: /unknown format|Unsupported Media Type|media types/ },
    here: { code: 422, says: /^(?:Create|Update|Patch)Options\.meta\.k8s\.io "" is invalid/ },
  }),
  part({
    row: 'A patch in an unknown form is refused without a list of those that are known',
    ...{ method: 'PATCH', at: /^body\.message$/, codes: [415, 415] },
    there: /./,
    here: /^"the body of the request was in an unknown format - accepted media types include: /,
  }),
  whole({
    row: 'A body that is `null` is an object without any field',
    body: /^null$/,
    there: {
      code: [400, 404, 422],
      says: /undeterminable|invalid object type|no namespace on request|name in URL does not match|required|Required|must be|not found|is invalid/,
    },
    here: { code: 400, says: /^the body of the request must be an object$|^the request needs a body$/ },
  }),
  whole({
    row: 'A body that is `null` is an object without any field',
    body: /^null$/,
    there: { code: [200, 201] },
    here: { code: 400, says: /^the body of the request must be an object$/ },
  }),
  part({
    ...{ row: wrongType, at: /^body\.details$/, codes: [400, 400] },
    there: 'nothing',
    here: /^\{"causes":\[\{"reason":"FieldValueTypeInvalid"/,
  }),
  {
    row: wrongType,
    covers: ({ path }, { there, here }) =>
      path === 'body.message' &&
      there.code === 400 &&
      here.code === 400 &&
      JSON.stringify(here.body).includes(
        JSON.stringify(/(?:json: |parsing time |quantities |illegal |unable ).*/s.exec(messageOf(there))?.[0] ?? '-'),
      ),
  },
  part({
    row: 'What is of a wrong type in an APIService is told in the words of Go',
    ...{ called: /^APIService /, at: /^body\.message$/, codes: [400, 400] },
    there: /cannot be handled as a APIService: json: cannot unmarshal /,
    here: /cannot be handled as a APIService: Invalid value: .* in body must be of type /,
  }),
  whole({
    ...{ row: 'A runtime class of a pod whose name is no name is a 500', called: /^Pod / },
    there: { code: 500, says: /^invalid resource name "/ },
    here: { code: 403, says: /RuntimeClass ".*" not found$/ },
  }),
  part({
    row: 'A scale of a custom resource that does not fit is told to be of no kind',
    ...{ path: /\/scale(?:\?|$)/, at: /^body\.message$/, codes: [400, 400] },
    there: /^"no kind is registered for the type v1\.Scale in scheme /,
    here: /^"(?:Scale in version \\"v1\\" cannot be handled as a Scale: (?:json|strict decoding error): |the body of the request must be an object|the API version in the data )/,
  }),
  part({
    row: 'What is of a wrong type in the place of a quantity is told to be none',
    ...{ at: /^body\.message$/, codes: [400, 400] },
    there: /: quantities must match the regular expression /,
    here: /: json: cannot unmarshal (?:object|array|bool) into Go struct field \S+ of type string"$/,
  }),
  whole({
    ...{ row: 'Options of a deletion that cannot be read are a 500', path: /\/eviction\?/ },
    there: { code: 500, says: /^Non-matching dry-run options in request and content/ },
    here: { code: 422, says: /^DeleteOptions\.meta\.k8s\.io "" is invalid: dryRun: / },
  }),
  whole({
    row: 'Options of a deletion that cannot be read are a 500',
    method: 'DELETE',
    there: { code: 500, says: /json: |no kind "|cannot unmarshal|strconv/ },
    here: { code: 400, says: /DeleteOptions|strconv/ },
  }),
  whole({
    ...{ row: ofDeletion, called: / collection$/ },
    there: { code: 400, says: /selector|found '|unable to parse|can't understand|field label/ },
    here: { code: [400, 422], says: /DeleteOptions/ },
  }),
  {
    row: 'A watch with a negative time-out ends with an error, or at once',
    covers: (_, { called, asked, here }) =>
      called.endsWith(' watch') && asked.path.includes('timeoutSeconds=-') && here.code < 500,
  },
  {
    row: 'Why a continue token is none is told as its parts are read',
    covers: ({ path }, { there, here }) =>
      path === 'body.message' &&
      /continue key is not valid/.test(messageOf(there)) &&
      /continue key is not valid/.test(messageOf(here)),
  },
  {
    row: 'A list at version 0 ignores its limit',
    covers: ({ path }, { asked }) =>
      asked.method === 'GET' &&
      asked.path.includes('resourceVersion=0&limit=') &&
      /^body\.(?:metadata\.(?:continue|remainingItemCount)|(?:items|rows)\[)/.test(path),
  },
  part({
    row: 'A deletion with `orphanDependents: false` that has to wait is a 202',
    ...{ method: 'DELETE', body: /"orphanDependents":false/, at: /^code$/, codes: [202, 200] },
    there: /^202$/,
    here: /^200$/,
  }),
  part({
    row: 'A refusal because of another uid names the key of the store',
    ...{ at: /^body\.message$/, codes: [409, 409] },
    there: /StorageError: invalid object, Code: 4/,
    here: /Precondition failed: UID in precondition/,
  }),
];

/** In Go a text may be of a type of its own. */
function asText(message: string): string {
  return message
    .replace(/(?<= of type )v1\.ExtraValue$/, '[]string')
    .replace(/(?<= of type (?:\[\]|map\[string\])?)v\d\w*\.[A-Z]\w*$/, 'string');
}
