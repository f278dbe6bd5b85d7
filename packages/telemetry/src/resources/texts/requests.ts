import type { Texts } from './texts.ts';

/** How a request is made and who it says it is from: of scrapes, discovery and everything that is sent. */
export const requestTexts: Texts = {
  '*': {
    authorization: 'An Authorization header of another scheme than basic. Not together with another login.',
    basicAuth: 'Name and password of HTTP basic authentication. Not together with another login.',
    enableHTTP2: 'Whether HTTP/2 may be spoken. Default true.',
    enableHttp2: 'Whether HTTP/2 may be spoken. Default true.',
    followRedirects: 'Whether redirects are followed. Default true.',
    noProxy: 'Hosts, networks and domains that are reached without the proxy, separated by commas. Needs proxyUrl.',
    oauth2: 'Gets a token with client credentials and sends it. Not together with another login.',
    proxyConnectHeader: "Headers for the proxy's CONNECT, each with values from Secrets.",
    proxyFromEnvironment: 'Whether HTTP_PROXY, HTTPS_PROXY and NO_PROXY of the process count. Excludes proxyUrl.',
    proxyUrl: 'Address of the proxy that requests go through.',
    tlsConfig: "Certificates and checks of TLS. Default: the system's authorities, no certificate of its own.",
  },
  basicAuth: {
    password: 'The key of a Secret that holds the password.',
    username: 'The key of a Secret that holds the name.',
  },
  authorization: {
    credentials: 'The key of a Secret that holds what follows the scheme.',
    credentialsFile: 'A file of the container that holds it.',
    type: 'The scheme. Default Bearer; Basic is refused.',
  },
  oauth2: {
    clientId: "Where the client's name stands.",
    clientSecret: "The key of a Secret that holds the client's secret.",
    endpointParams: "More parameters for the token's address.",
    scopes: 'What the token is to be good for.',
    tokenUrl: 'Where tokens are asked for.',
    tlsConfig: 'Certificates and checks of TLS when a token is asked for.',
  },
  tlsConfig: {
    ca: "Authorities that the other side's certificate must come from, in PEM.",
    caFile: 'The same in a file of the container. Wins over ca.',
    cert: 'The own certificate, in PEM. Goes with a key.',
    certFile: 'The same in a file of the container. Wins over cert.',
    insecureSkipVerify: "true: the other side's certificate is not checked.",
    keyFile: 'The own key in a file of the container. Wins over keySecret.',
    keySecret: 'The key of a Secret that holds the own key, in PEM.',
    maxVersion: 'The newest version of TLS that is spoken. Default: the newest known.',
    minVersion: 'The oldest version of TLS that is spoken. Default TLS12.',
    serverName: "The name that the other side's certificate must have. Default: that of the address.",
  },
};
