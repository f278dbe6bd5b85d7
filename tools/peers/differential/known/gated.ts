/** Fields of features that upstream has, and that are off there. */
import { gatedRow, type KnownClass, part, whole } from './class.ts';
import { isAlikeWithout } from './owners.ts';

const gatedField =
  /\.(?:fileKeyRef|stopSignal|restartPolicyRules|hostnameOverride|preferredHolder|terminatingReplicas|nodeAllocatableUpdatePeriodSeconds|bindingConditions|bindingFailureConditions|bindsToNode|podCertificate|clusterTrustBundle|consumesCounters|allowMultipleAllocations|requestPolicy|perDeviceNodeSelection|sharedCounters|errorCode)\b/;
const gatedSent = /"(?:fileKeyRef|stopSignal|restartPolicyRules|hostnameOverride)":/;
const sentOff = /"perDeviceNodeSelection":false|"path":"\/spec\/perDeviceNodeSelection","value":false/;

export const gatedClasses: readonly KnownClass[] = [
  {
    // Who sends one owns it, though it is dropped.
    row: gatedRow,
    covers: ({ path }, { there, here }) =>
      isAlikeWithout(/"f:containers":\{"k:\{[^{}]*\}":\{"f:restartPolicy":\{\}\}\}\}+,/, { path, there, here }),
  },
  // What is dropped is no change.
  part({
    ...{ row: gatedRow, at: /metadata\.generation$/, body: gatedSent },
    there: /^\d+$/,
    here: /^\d+$/,
  }),
  whole({
    row: 'Nothing is asked of `extendedResourceName` while its feature is off',
    called: /^DeviceClass /,
    there: { code: [200, 201] },
    here: { code: 422, says: /spec\.extendedResourceName/ },
  }),
  part({
    row: 'Nothing is asked of `extendedResourceName` while its feature is off',
    ...{ called: /^DeviceClass /, at: /\bspec\.extendedResourceName$/ },
    there: 'nothing',
    here: /^"/,
  }),
  part({ ...{ row: gatedRow, at: gatedField }, there: 'nothing', here: () => true }),
  whole({
    ...{ row: gatedRow, called: /^ResourceSlice /, body: /"perDeviceNodeSelection":true/ },
    there: { code: 422, says: /`perDeviceNodeSelection` is required/ },
    here: { code: [200, 201, 422] },
  }),
  // It is dropped after it was noted whose it is.
  part({
    ...{ row: gatedRow, at: /managedFields\[\d+\]\..*\.f:containers\.k:\{[^}]*\}\.f:restartPolicy$/ },
    there: /^\{\}$/,
    here: 'nothing',
  }),
  part({
    ...{ row: gatedRow, at: /\.containers\[\d+\]\.restartPolicy$/ },
    there: 'nothing',
    here: /^"/,
  }),
  part({
    ...{ row: gatedRow, called: /^Lease /, at: /metadata\.managedFields$/ },
    there: /"fieldsV1":\{"f:spec":\{"f:(?:strategy|preferredHolder)":\{\}\}\}/,
    here: 'nothing',
  }),
  part({
    ...{ row: gatedRow, called: /^(?:Lease|Node) /, at: /\.f:spec\.f:(?:strategy|preferredHolder|configSource)$/ },
    there: /^\{\}$/,
    here: 'nothing',
  }),
  part({ ...{ row: gatedRow, called: /^Lease /, at: /spec\.strategy$/ }, there: 'nothing', here: /^"/ }),
  part({
    ...{ row: gatedRow, called: /^Node /, at: /\.f:spec(?:\.f:configSource)?$/, body: /"configSource":/ },
    there: /^\{(?:"f:configSource":\{)?"\.":\{\}/,
    here: 'nothing',
  }),
  whole({
    ...{ row: gatedRow, body: /"image":\{/ },
    there: { code: [200, 201] },
    here: { code: 422, says: /is invalid: \[?[\w.]*\.volumes\[\d+\]/ },
  }),
  part({
    ...{ row: gatedRow, called: /^CSIDriver /, at: /spec\.nodeAllocatableUpdatePeriodSeconds$/ },
    there: 'nothing',
    here: /^\d+$/,
  }),
  whole({
    row: gatedRow,
    there: { code: [200, 201] },
    here: {
      code: 422,
      says: /`perDeviceNodeSelection`|is invalid: \[?\S*(?:fileKeyRef|stopSignal|restartPolicyRules|hostnameOverride|preferredHolder|nodeAllocatableUpdatePeriodSeconds|binding(?:Failure)?Conditions|podCertificate|consumesCounters|allowMultipleAllocations|sharedCounters|devices\[\d+\]\.taints)|may not be set for non-init containers/,
    },
  }),
  // Once dropped, it stays owned.
  part({ ...{ row: gatedRow, at: /\.f:restartPolicyRules$/ }, there: /^\{\}$/, here: 'nothing' }),
  {
    row: gatedRow,
    covers: ({ path }, { called, there, here }) =>
      called.startsWith('Node ') &&
      isAlikeWithout(/"fieldsV1":\{"f:spec":\{"f:configSource":\{[^[\]]*\}\}\}/, { path, there, here }),
  },
  part({
    ...{
      row: gatedRow,
      called: /^Lease (?:apply|update|merge|strategic|json)$/,
      at: /^body\.metadata\.managedFields\[\d+\]$/,
    },
    there: 'nothing',
    here: /"manager":"before-first-apply".*"fieldsV1":\{"f:spec":\{(?:"f:(?:strategy|preferredHolder)":\{\},?)+\}\}/,
  }),
  part({
    ...{ row: gatedRow, called: /^ResourceClaim/, at: /\.(?:exactly|firstAvailable\[\d+\])\.capacity$/ },
    there: 'nothing',
    here: /^\{/,
  }),
  part({
    ...{ row: gatedRow, called: /^ResourceClaim/, at: /\bstatus\..*\.(?:shareID|consumedCapacity)$/ },
    there: 'nothing',
    here: /./,
  }),
  whole({
    ...{ row: gatedRow, called: /^ResourceClaim(?:Template)? /, body: /"capacity":/ },
    there: { code: 200 },
    here: { code: 422, says: /is invalid: spec: Invalid value: .*"capacity":.*field is immutable$/s },
  }),
  part({
    ...{ row: gatedRow, called: /^ResourceSlice /, body: sentOff, at: /metadata\.generation$/ },
    there: /^\d+$/,
    here: /^\d+$/,
  }),
  part({
    ...{ row: gatedRow, called: /^ResourceSlice /, at: /\.f:spec\.f:perDeviceNodeSelection$/ },
    there: /^\{\}$/,
    here: 'nothing',
  }),
  part({
    ...{ row: gatedRow, body: /"path":"[^"]*\/hostnameOverride"/, at: /^body\.metadata\.generation$/ },
    ...{ there: /^\d+$/, here: /^\d+$/ },
  }),
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
];
