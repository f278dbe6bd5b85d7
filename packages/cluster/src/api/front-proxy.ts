/** By what other servers of the API know this one, and by what it knows a proxy in front of itself. */

/** They believe nobody else who shows a certificate of the same authority. */
export const proxyClientName = 'front-proxy-client';

/** Who asks, as other servers of the API are told it; in these headers. */
export const remoteHeaderNames = {
  user: 'X-Remote-User',
  uid: 'X-Remote-Uid',
  group: 'X-Remote-Group',
  extraPrefix: 'X-Remote-Extra-',
} as const;

/** Who may say in headers that somebody else asks, and in which. */
export interface RequestHeaderTerms {
  /** PEM of the authorities that sign the proxy's certificate. */
  readonly ca: string;
  /** The common names that its certificate may have; none: any. */
  readonly allowedNames: readonly string[];
  /** Of several the first with a value counts. */
  readonly usernameHeaders: readonly string[];
  readonly uidHeaders: readonly string[];
  /** All of them count. */
  readonly groupHeaders: readonly string[];
  readonly extraPrefixes: readonly string[];
}

/** As the parts of a cluster usually say it. */
export const usualHeaders: Omit<RequestHeaderTerms, 'ca' | 'allowedNames'> = {
  usernameHeaders: [remoteHeaderNames.user],
  uidHeaders: [remoteHeaderNames.uid],
  groupHeaders: [remoteHeaderNames.group],
  extraPrefixes: [remoteHeaderNames.extraPrefix],
};
