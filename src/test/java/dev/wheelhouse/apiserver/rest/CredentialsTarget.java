package dev.wheelhouse.apiserver.rest;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import dev.wheelhouse.apiserver.auth.Credentials;
import dev.wheelhouse.apiserver.protocol.ApiRequest;
import dev.wheelhouse.apiserver.protocol.ApiResponse;
import dev.wheelhouse.fuzz.FuzzTarget;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Fuzzes the header lines of a request for a Secret: bearer tokens, JWTs and impersonations. No input leads to an
 * internal error, and no input is authorized.
 */
public final class CredentialsTarget implements FuzzTarget {
    private final FuzzedServer server = new FuzzedServer(true, Map.of("1/api/v1/namespaces/default/secrets", """
            {"metadata": {"name": "hidden"}, "data": {"k": "aGlkZGVu"}}"""));

    @Override
    public void run(byte[] input) {
        Map<String, List<String>> headers = new TreeMap<>();
        for (String line : new String(input, StandardCharsets.UTF_8).split("\n")) {
            int colon = line.indexOf(':');
            if (colon > 0) {
                headers.computeIfAbsent(line.substring(0, colon), name -> new ArrayList<>())
                        .add(line.substring(colon + 1).strip());
            }
        }
        Credentials credentials = Credentials.of(headers, null);
        ApiResponse.Content answer = server.ask(
                ApiRequest.of("GET", "/api/v1/namespaces/default/secrets/hidden", null).withCredentials(credentials));
        assertThat(answer.code()).isIn(400, 401, 403, 422);
    }
}
