package dev.wheelhouse.bench.apiserver;

import java.net.URI;

/** Where a server listens. @param token its bearer token, or empty */
record Endpoint(URI uri, String token) {}
