/** By what other servers of the API know this one. */

/** They believe nobody else who shows a certificate of the same authority. */
export const proxyClientName = 'front-proxy-client';

/** Who asks, as other servers of the API are told it; in these headers. */
export const remoteHeaderNames = {
  user: 'X-Remote-User',
  uid: 'X-Remote-Uid',
  group: 'X-Remote-Group',
  extraPrefix: 'X-Remote-Extra-',
} as const;
