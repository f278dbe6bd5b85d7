// A whole cluster in this process; in memory or in a folder; on the network if wanted.

export { type RequestHeaderTerms, usualHeaders } from './api/front-proxy.ts';
export { writeFileAtomically } from './base/atomic-file.ts';
export { createDrivenClock, type DrivenClock, type DrivenClockOptions, type Moving } from './base/driven-clock.ts';
export { overlaid } from './base/overlaid.ts';
export {
  type AppliedObject,
  type Cluster,
  type ClusterAuthority,
  type ClusterOptions,
  createCluster,
  type FleetOptions,
} from './cluster.ts';
export type { PublishedAuthority } from './controllers/serviceaccount/controller.ts';
export { apiParts, isLeftPart, type LeftPart, type PlanePart, partsWithout, planeParts } from './part-names.ts';
export {
  type Advertised,
  loadServingPki,
  type PkiPlace,
  type ServeOptions,
  type Serving,
  serveCluster,
} from './serve.ts';
export { type GivenOptions, serveGiven } from './serve-given.ts';
export { type AdmissionConfiguration, readAdmissionConfiguration } from './server/admission/configuration.ts';
export type { EventLimit } from './server/admission/event-rate-limit.ts';
export {
  type AskedPlugins,
  choosePlugins,
  defaultPlugins,
  type FurtherPlugin,
  furtherPlugins,
  type PluginChoice,
} from './server/admission/plugin-choice.ts';
export type { KnownToken } from './server/auth/authenticate.ts';
export { makeAuthority, type PemPair, type Period } from './server/auth/certificates.ts';
export { type KubeconfigOptions, kubeconfigContext, writeKubeconfig } from './server/auth/kubeconfig.ts';
export type { Window as CertificateWindow } from './server/auth/lifetime.ts';
export type { FurtherCertificate, Pki } from './server/auth/pki.ts';
export type { KeepOptions, PkiKeeper } from './server/auth/pki-keeper.ts';
export { parseTokenFile } from './server/auth/token-file.ts';
export { checkingKeysProblem, signingKeyProblem, type TokenTerms } from './server/auth/token-signer.ts';
export type { Registry } from './server/context/registry.ts';
export type { ClockDoor, ClockFacts } from './server/http/clock.ts';
export type { SchedulerFacts } from './server/http/scheduler.ts';
export { createLaggingBackend, type LaggingBackend, type LaggingOptions } from './store/backends/lagging.ts';
export { type LmdbOptions, openLmdbBackend } from './store/backends/lmdb.ts';
export { type FolderHolder, type FolderLock, folderHolder, lockFolder, processName } from './store/backends/lock.ts';
export { checkFolder, type FolderCheck, withFolderContent } from './store/backup/check-folder.ts';
export {
  type BackupContent,
  type BackupFacts,
  type BackupFile,
  encodeBackup,
  verifyBackup,
} from './store/backup/format.ts';
export { type Restored, type RestoreOptions, restoreFolder, revisionJump } from './store/backup/restore.ts';
export type { Backend, BackendBatch } from './store/store.ts';

// Who may what.

export type { PolicyRule, RoleRef } from './api/generated/rbac-v1.ts';
export { serviceAccount } from './api/identities.ts';
export type { User } from './api/operation.ts';
export { controllerUser, type Identity } from './api/system-identities.ts';
export { rbac } from './server/access/rbac/rbac.ts';
export type {
  Access,
  AccessVerdict,
  Authorizer,
  AuthorizerWorld,
  PathAccess,
  ResourceAccess,
  SubjectRules,
} from './server/context/authorizer.ts';
export type { Grant, Grants } from './server/context/grants.ts';

// What is written down of requests.

export type { AuditOptions } from './server/audit/auditor.ts';
export type { AuditEvent, AuditObject, AuditUser } from './server/audit/event.ts';
export { type AuditLog, type AuditLogOptions, auditLine, openAuditLog } from './server/audit/log-file.ts';
export type { AuditedResources, AuditLevel, AuditPolicy, AuditRule, AuditStage } from './server/audit/policy.ts';
export { parseAuditPolicy } from './server/audit/policy-text.ts';

// By which rules pods get their nodes, and what they say of one.

export { parseSchedulerConfiguration, type SchedulerSettings } from './scheduler/configuration/configuration.ts';
export type { Aimed, LabelPair } from './scheduler/counting/audience.ts';
export type { Carried, CarriedKind } from './scheduler/counting/carried-terms.ts';
export type { Counted, TopologyCount } from './scheduler/counting/live-count.ts';
export type { PodCounts } from './scheduler/counting/pod-counts.ts';
export type { AffinityTerm, NamespaceLabels, PodTerms, WeightedTerm } from './scheduler/counting/pod-terms.ts';
export type { Cycle, Step } from './scheduler/cycle.ts';
export type { Detail, Shortage } from './scheduler/detail.ts';
export type { Groundwork, Standing } from './scheduler/groundwork.ts';
export { createJudge, type JudgedWorld, type Judgement, judgePod, type PluginVerdict } from './scheduler/judgement.ts';
export type { NodeView } from './scheduler/node-view.ts';
export {
  abstains,
  type Change,
  type ClusterEvent,
  fits,
  type PlacementEvent,
  type PluginState,
  type Preparation,
  type Reason,
  type Rejection,
  rejects,
  rejectsForGood,
  type SchedulerPlugin,
  type Turn,
  type Verdict,
} from './scheduler/plugin.ts';
export type { HostPort, PodView } from './scheduler/pod-view.ts';
export type { Fork, Snapshot } from './scheduler/snapshot.ts';
export type { HeldVolumes, VolumeChoice } from './scheduler/volumes/held-volumes.ts';

// Why something runs, waits or does not go.

export { type ExplainOptions, explain, explainFrom, explainLive } from './explain/explain.ts';
export type {
  Cause as ExplainedCause,
  Explanation,
  Group as ExplainedGroup,
  Rule as ExplainedRule,
} from './explain/explanation.ts';
export {
  type ExplainWorld,
  explainedTypes,
  type KnownScheduler,
  type ObjectSource,
  type ReadOptions,
  readWorld,
  type Scheduling,
  type Subject,
  sourceOf,
  worldOf,
} from './explain/world.ts';

// Groups of the API that a part of this process answers for.

export { type ApisAnswer, type ApisRequest, answerApis } from './server/apis/answer.ts';
export type { ApiRequest, LocalApi } from './server/context/local-api.ts';

// Clients, of this cluster and of others.

export type { Client, Place } from './client/client.ts';
export { createClient } from './client/create-client.ts';
export { fencedTransport } from './client/fenced-transport.ts';
export type { ClientCredentials, ClientTls, Connection, CredentialSource } from './client/http/connection.ts';
export { download } from './client/http/download.ts';
export { isUnreachable } from './client/http/failures.ts';
export {
  createHttpTransport,
  type HttpTransport,
  type HttpTransportLimits,
  type HttpTransportOptions,
} from './client/http/http-transport.ts';
export { type LoadedKubeconfig, type LoadKubeconfigOptions, loadKubeconfig } from './client/http/kubeconfig.ts';
export { listAll } from './client/list-all.ts';
export {
  type AnsweredRequest,
  type EndedWatch,
  type ObservedTransportOptions,
  observedTransport,
  type RequestObserver,
} from './client/observed-transport.ts';
export {
  type OptionsOf,
  type Patient,
  type PatientClient,
  patientClient,
  type WriteOptionsOf,
} from './client/patient-client.ts';
export { type PodPage, readPodPage, readPodText } from './client/pod-page.ts';
export type { Transport, Waiting } from './client/transport.ts';

// Manifests.

export { SourceError } from './api/codec/source.ts';
export { expandLists, formatYaml, parseYamlDocuments, type YamlDocument, type YamlOptions } from './api/codec/yaml.ts';
export { dumpedYaml, kubernetesYaml } from './api/codec/yaml-schema.ts';
export { type Applied, type Applying, applyObject, inInstallOrder, planApply } from './client/apply.ts';

// Objects as they stand on the wire.

export {
  type Condition as AnyCondition,
  conditionOf,
  type Dating,
  datedCondition,
  mergeConditions,
} from './api/conditions.ts';
export type * from './api/generated/apiextensions-v1.ts';
export type * from './api/generated/apps-v1.ts';
export type * from './api/generated/authentication-v1.ts';
// Where two groups have a type of one name, the core group's, or that of the kind itself, has it here.
export type { TokenRequest } from './api/generated/authentication-v1.ts';
export type * from './api/generated/authorization-v1.ts';
export type * from './api/generated/autoscaling-v2.ts';
export type * from './api/generated/batch-v1.ts';
export type * from './api/generated/coordination-v1.ts';
export type * from './api/generated/core-v1.ts';
export type { EndpointPort, Event, EventList, EventSeries } from './api/generated/core-v1.ts';
export type * from './api/generated/discovery-v1.ts';
export type { EndpointPort as DiscoveryEndpointPort } from './api/generated/discovery-v1.ts';
export type * from './api/generated/events-v1.ts';
export type {
  Event as EventsEvent,
  EventList as EventsEventList,
  EventSeries as EventsEventSeries,
} from './api/generated/events-v1.ts';
export * from './api/generated/kinds.ts';
export type * from './api/generated/meta-v1.ts';
export type { DeleteOptions as WireDeleteOptions } from './api/generated/meta-v1.ts';
export type * from './api/generated/networking-v1.ts';
export type * from './api/generated/node-v1.ts';
export type * from './api/generated/policy-v1.ts';
export type * from './api/generated/rbac-v1.ts';
export type * from './api/generated/scheduling-v1.ts';
export type * from './api/generated/storage-v1.ts';
export type { TokenRequest as StorageTokenRequest } from './api/generated/storage-v1.ts';
export type { GroupVersionKind, GroupVersionResource, ResourceType } from './api/gvk.ts';
export { apiVersionOf, parseApiVersion, resourceId, resourceName, resourceType } from './api/gvk.ts';
export { type FieldPath, type Issue, type IssueReason, root as rootPath } from './api/issue.ts';
export type {
  Key,
  KubeList,
  KubeObject,
  LabelSelector,
  LabelSelectorRequirement,
  ListMeta,
  ManagedFieldsEntry,
  New,
  ObjectMeta,
  OwnerReference,
  StoredMeta,
} from './api/meta.ts';
export { controllerOf, keyOf, splitKey } from './api/meta.ts';
export type {
  CreateOperation,
  DeleteCollectionOperation,
  DeleteOperation,
  DeleteOptions,
  Encoded,
  GetOperation,
  ListOperation,
  ListOptions,
  Operation,
  Outcome,
  PatchOperation,
  PatchType,
  UpdateOperation,
  WatchEvent,
  WatchOperation,
  WriteOptions,
} from './api/operation.ts';
export { applyMergePatch } from './api/patch/merge.ts';
export { applyStrategicPatch } from './api/patch/strategic.ts';
export { formatMilli, parseQuantity } from './api/quantity.ts';
export type { JsonObject } from './api/record.ts';
export { type Checked, type CheckOptions, checkSchema } from './api/schema/check.ts';
export { descriptionOf } from './api/schema/descriptions.ts';
export { type CelRule, customResourceSchema, type SchemaNode, type SchemaType, schemaOf } from './api/schema/node.ts';
export { defaultValue, validateValue } from './api/schema/structural.ts';
export {
  compileSelector,
  compileUnmet,
  type LabelMatcher,
  type Labels,
  type Requirement,
  type UnmetFinder,
  validateSelector,
} from './api/selector/selector.ts';
export { type FieldRequirement, parseFieldSelector, parseLabelSelector } from './api/selector/text.ts';
export {
  failure,
  ifFound,
  isStatusError,
  type Named as NamedResource,
  type Status,
  type StatusCause,
  type StatusDetails,
  StatusError,
  type StatusReason,
} from './api/status.ts';
export { builtinType, defaulted } from './resources/defaulted.ts';

// What stands behind a Service.

export {
  addressTypesOf,
  type Group as EndpointGroup,
  type Grouping,
  groupsOf as endpointGroups,
} from './controllers/endpointslice/endpoints.ts';
export { serviceSelector } from './workloads/serving.ts';
export type { AddressType } from './workloads/slices.ts';

// A node of one's own: the agent, and what it asks of who runs the containers.

export { createNodeAgent } from './node/agent.ts';
export type { NodeAgentOptions } from './node/agent-state.ts';
export { type AloneTerms, checkedPod, endingAlone, podAlone, tendAlone } from './node/alone.ts';
export type {
  ContainerSeen,
  ContainerStart,
  DriverEars,
  Ended,
  LogQuery,
  Machine,
  Measured,
  NodeDriver,
  PodEvent,
  PodSeen,
  Started,
  StopTerms,
  Usage,
  Waiting as ContainerWaiting,
} from './node/driver.ts';
export { quickEndsOf } from './node/pod-containers.ts';
export { driverAnnotation } from './resources/core/node.ts';

// Values, time and chance.

export { InvariantError } from './base/assert.ts';
export { type Clock, fromTimestamp, sleep, systemClock, toTimestamp } from './base/clock.ts';
export { collectWhenMuch, type Used } from './base/collecting.ts';
export { agreeing, counted } from './base/counted.ts';
export { durationMs, formatDuration, parseGoDuration } from './base/duration.ts';
export { withUsualFlags } from './base/engine-flags.ts';
export { equal } from './base/equal.ts';
export { formatExactJson, parseExactJson } from './base/exact-json.ts';
export { freeze } from './base/freeze.ts';
export { type Limiting, within } from './base/limit.ts';
export { optimizeAfterStart, optimizeAsUsual, optimizeLater } from './base/optimizing.ts';
export {
  availableMemoryBytes,
  createProcessMemory,
  type MemoryMeasure,
  type ProcessMemory,
} from './base/process-memory.ts';
export { compileWasmOnce, quietProcess } from './base/quiet-process.ts';
export { type Random, seededRandom, systemRandom } from './base/random.ts';
export { type SpawnAlone, spawnAlone } from './base/spawn-alone.ts';

// What controllers are made of.

export type { Cache, CacheEvent, Caches, Index } from './client/cache.ts';
export {
  createInformers,
  type Followed,
  type InformerScope,
  type Informers,
  type InformersOptions,
} from './client/informers.ts';
export type { Component, Platform, Problem } from './runtime/component.ts';
export type { Controller, Failure, Watch } from './runtime/controller.ts';
export { mapped, owned, primary } from './runtime/controller.ts';
export type { NamedCheck } from './runtime/health.ts';
export {
  type Holding,
  type LeaseOptions,
  type LeaseTimes,
  leaseIdentity,
  runWithLease,
  type Work as LeasedWork,
} from './runtime/lease.ts';
export {
  type Cause,
  type EndedRun,
  observedByAll,
  type QueueFigures,
  type Run,
  type RuntimeObserver,
} from './runtime/observer.ts';
export type {
  Action,
  Announcement,
  Create,
  Delete,
  Emit,
  InOrder,
  Patch,
  Plan,
  SetStatus,
  Update,
} from './runtime/plan.ts';
export { createControllerRunner } from './runtime/runner.ts';
export {
  type CreateComponent,
  createSupervisor,
  type GivenUp,
  type PartState,
  type Supervisor,
} from './runtime/supervisor.ts';
export { controllerReference } from './workloads/owner.ts';
