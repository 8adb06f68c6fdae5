package dev.wheelhouse.apiserver.rest;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import dev.wheelhouse.apiserver.auth.Credentials;
import dev.wheelhouse.apiserver.error.StatusException;
import dev.wheelhouse.apiserver.protocol.ApiRequest;
import dev.wheelhouse.apiserver.protocol.ApiResponse;
import dev.wheelhouse.apiserver.protocol.QueryParameters;
import dev.wheelhouse.fuzz.FuzzTarget;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Fuzzes whole requests: a line of method, path and query, header lines, an empty line, the body. No answer to the
 * administrator is an internal error. A user who may read one Secret, watch one ConfigMap and list pods gets nothing
 * else and changes nothing.
 */
public final class RequestTarget implements FuzzTarget {
    private static final String HIDDEN = "aGlkZGVu";
    private static final Map<String, String> OBJECTS = new TreeMap<>(Map.of(
            "1/api/v1/namespaces/default/secrets", """
                    {"metadata": {"name": "allowed", "labels": {"x": "1"}}, "data": {"k": "b3Blbg=="}}""",
            "2/api/v1/namespaces/default/secrets", """
                    {"metadata": {"name": "hidden", "labels": {"x": "2"}}, "data": {"k": "aGlkZGVu"}}""",
            "3/api/v1/namespaces/default/configmaps", """
                    {"metadata": {"name": "allowed"}, "data": {"k": "open"}}""",
            "4/api/v1/namespaces/default/configmaps", """
                    {"metadata": {"name": "hidden"}, "data": {"k": "aGlkZGVu"}}""",
            "5/api/v1/namespaces/default/pods",
            """
                    {"metadata": {"name": "web", "labels": {"app": "web"}}, "spec": {"containers": [{"name": "c",
                     "image": "i"}]}}""",
            "6/api/v1/namespaces/kube-system/pods",
            """
                    {"metadata": {"name": "hidden", "annotations": {"k": "aGlkZGVu"}},
                     "spec": {"containers": [{"name": "c",
                    "image": "i"}]}}""",
            "7/apis/rbac.authorization.k8s.io/v1/namespaces/default/roles",
            """
                    {"metadata": {"name": "r"}, "rules": [{"apiGroups": [""], "resources": ["secrets"],
                     "verbs": ["get"],
                    "resourceNames": ["allowed"]}, {"apiGroups": [""], "resources": ["configmaps"], "verbs": ["watch",
                     "list"],
                    "resourceNames": ["allowed"]}, {"apiGroups": [""], "resources": ["pods"], "verbs": ["list", "watch",
                     "get"]}]}""",
            "8/apis/rbac.authorization.k8s.io/v1/namespaces/default/rolebindings",
            """
                    {"metadata": {"name": "r"}, "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role",
                     "name": "r"},
                    "subjects": [{"kind": "User", "name": "reader", "apiGroup": "rbac.authorization.k8s.io"}]}"""));

    private final FuzzedServer open = new FuzzedServer(false, OBJECTS);
    private final FuzzedServer guarded = new FuzzedServer(true, OBJECTS);

    @Override
    public void run(byte[] input) {
        ApiRequest request;
        try {
            request = RequestText.parse(input);
        } catch (StatusException e) {
            assertThat(e.code()).isEqualTo(400);
            return;
        }
        assertThat(QueryParameters.parse(written(request.query()))).as("a query that is written and read again")
                .isEqualTo(request.query());
        open.ask(request);
        if (open.isChanged()) {
            open.reset();
        }
        ApiRequest ofReader = request.withCredentials(
                Credentials.of(Map.of("Authorization", List.of("Bearer " + FuzzedServer.READER)), null));
        ApiResponse.Content answer = guarded.ask(ofReader);
        if (guarded.isChanged()) {
            guarded.reset();
            throw new AssertionError("a reader changed something by " + request.method() + " " + request.path());
        }
        assertThat(new String(answer.body(), StandardCharsets.UTF_8)).as("what a reader gets").doesNotContain(HIDDEN);
        assertThat(answer.code() == 201 && !request.path().contains("self")).as("a reader made something").isFalse();
    }

    private static String written(QueryParameters query) {
        List<String> pairs = new ArrayList<>();
        query.parameters().forEach((name, values) -> values
                .forEach(value -> pairs.add(URLEncoder.encode(name, StandardCharsets.UTF_8) + "="
                        + URLEncoder.encode(value, StandardCharsets.UTF_8))));
        return String.join("&", pairs);
    }
}
